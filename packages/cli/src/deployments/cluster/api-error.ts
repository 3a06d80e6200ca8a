import { plain } from '@switchyard/protocol/hidden-characters';
import { Failure, tried } from '@switchyard/service/failure';
import { CONNECTION } from '../../describe-error.ts';

/** Description of a call, for messages. */
export interface Call {
  /** Such as `apply Secret cosmic-composer-key`. */
  readonly what: string;
  readonly context: string;
  readonly server: string;
}

const LONGEST = 600;

/** Explanations of the error codes of failed connections to a cluster. */
const TO_CLUSTER: Readonly<Record<string, string>> = {
  ...CONNECTION,
  ECONNREFUSED: 'nothing listens there: is the cluster running?',
  ENOTFOUND: 'no such host: is the context the right one?',
  CERT_HAS_EXPIRED: 'its certificate has expired',
  ERR_TLS_CERT_ALTNAME_INVALID: 'its certificate is for another name',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'its certificate is not of the authority in the kubeconfig',
  SELF_SIGNED_CERT_IN_CHAIN: 'its certificate is not of the authority in the kubeconfig',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'its certificate is not of the authority in the kubeconfig',
};

/** The status code of an answer; undefined if none came. */
export function findStatus(error: unknown): number | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'number' ? error.code : undefined;
}

/** One line for any error of a call. */
export function toFailure(error: unknown, { what, context, server }: Call): Failure {
  if (error instanceof Failure) return error;
  const cluster = `the cluster of context ${plain(context)} (${plain(server)})`;
  const make = (line: string) => new Failure(line, error);
  const status = findStatus(error);
  if (status !== undefined) return make(answered(status, reasonIn(error), what, cluster));
  if (!(error instanceof Error)) return make(`${cluster}: ${what}: ${plain(String(error))}`);
  if (error.name === 'AbortError' || error.name === 'TimeoutError')
    return make(`${cluster} cannot be reached: no answer in time`);
  const code = 'code' in error && typeof error.code === 'string' ? error.code : undefined;
  const reason = code === undefined ? undefined : (TO_CLUSTER[code] ?? code);
  return make(`${cluster} cannot be reached: ${reason ?? plain(firstLine(error.message))}`);
}

function answered(status: number, reason: string, what: string, cluster: string): string {
  if (status === 401)
    return `${cluster} does not accept the credentials of the kubeconfig: they may have expired; log in again, or name another context with --context`;
  if (status === 403 && !/admission|denied the request|violates PodSecurity|quota/i.test(reason))
    return `${cluster} does not allow to ${what}: ${reason}`;
  if (status === 409 && reason.includes('conflict'))
    return `${what}: others have changed it: ${reason}: take their changes back with --force`;
  if (status === 422) return `${what}: the cluster finds it invalid: ${reason}`;
  return `${what}: the cluster answers ${status}: ${reason}`;
}

/** The message of the `Status` in an answer. */
function reasonIn(error: unknown): string {
  const body = error instanceof Error && 'body' in error ? error.body : undefined;
  const status = typeof body === 'string' ? tried(Error, undefined, () => JSON.parse(body) as unknown) : body;
  const message =
    typeof status === 'object' && status !== null && 'message' in status && typeof status.message === 'string'
      ? status.message
      : typeof body === 'string'
        ? body
        : '';
  const line = plain(message.trim().replace(/\s*\n\s*/g, ' '));
  return line === '' ? 'no reason given' : line.slice(0, LONGEST);
}

const firstLine = (text: string) => text.split('\n')[0] ?? '';
