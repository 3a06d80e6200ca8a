import { isLoopbackHost } from '../input/loopback.ts';
import type { Listen } from '../settings/parsers.ts';
import type { Logger } from '../telemetry/log.ts';
import type { GrpcAuth } from './authenticator.ts';

/** Logs who may call, if an address invites more callers than will be let in, or lets all of them in. */
export function logPeers({ host, port, path }: Listen, { authenticator, tls }: GrpcAuth, log: Logger): void {
  const { rule, secret, settings } = authenticator.rules;
  if (path !== undefined || isLoopbackHost(host)) return;
  const listen = `${host}:${port}`;
  if (rule === 'open') {
    log.warn({ listen, setting: settings.rule }, 'every peer that reaches this address may call, without a secret');
  } else if (secret === undefined && tls?.ca === undefined) {
    log.info(
      { listen, setting: settings.secret },
      'only loopback peers may call this address: no secret is set for others',
    );
  } else if (rule === 'local') {
    log.info(
      { listen, setting: settings.rule },
      'loopback peers may call this address without a secret, others need it',
    );
  }
}
