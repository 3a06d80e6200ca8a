import { Code, ConnectError } from '@connectrpc/connect';
import { Rejected } from '@switchyard/protocol';
import { refusalToStatus } from '../http/refusal.ts';
import { ENDS_NOW, findExitCode } from '../telemetry/exit-code.ts';
import type { Logger } from '../telemetry/log.ts';
import { getFailures } from '../telemetry/rejections.ts';

/**
 * Translates errors for callers: a refusal becomes the status that belongs to its reason, a status stays unchanged, and an error that ends
 * the process has callers come back. Anything else is logged, and is to be shown as an internal error without its message.
 */
export function statusTranslator(log: Logger) {
  return (error: unknown, path: string, signal: AbortSignal): unknown => {
    if (error instanceof Rejected) return refusalToStatus(error);
    if (findExitCode(error) !== undefined) return new ConnectError(ENDS_NOW, Code.Unavailable);
    // A caller that has gone gets no answer, and errors of the service then are no fault of its own.
    if (!(error instanceof ConnectError) && !signal.aborted) {
      getFailures(log).calls.add(path, undefined, { err: error, method: path });
    }
    return error;
  };
}
