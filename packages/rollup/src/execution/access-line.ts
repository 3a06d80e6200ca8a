import { type GrpcAuth, isLoopback, type Listen, type Logger } from '@switchyard/service';

/** Says who may drive the rollup, where an address invites more callers than will be let in. */
export function logExecutionAccess({ host, port, path }: Listen, { authenticator, tls }: GrpcAuth, log: Logger): void {
  const { rule, secret, settings } = authenticator.rules;
  if (path !== undefined || isLoopback(host) || host === 'localhost' || tls?.ca !== undefined) return;
  if (secret === undefined) {
    const fields = { listen: `${host}:${port}`, setting: settings.secret };
    log.info(fields, 'only loopback peers may use the Execution API: no secret is set for others');
  } else if (rule === 'local') {
    const fields = { listen: `${host}:${port}`, setting: settings.rule };
    log.info(fields, 'peers beyond loopback need the secret to use the Execution API; loopback peers do not');
  }
}
