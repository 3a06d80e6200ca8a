import { setTimeout } from 'node:timers/promises';

/** Exit status of a process that cannot write its data: EX_IOERR of sysexits.h. */
const EXIT_NOT_WRITTEN = 74;

/**
 * Exit status of a process that failed within a commit: EX_OSERR. The library has damaged the heap by then, if the system
 * refused a write, so the other parts of such a process end too.
 */
export const EXIT_HALF_WRITTEN = 71;

/** The library learns the reason of a failed commit right after the failure. */
const REASON_WITHIN_MS = 1_000;

/** The system did not write a transaction, for want of space for example. Nothing of the transaction is there. The process stops. */
export class StoreNotWritten extends Error {
  override readonly name = 'StoreNotWritten';

  /** @param reason Error that the system reported. @param exitCode Of the process: by default nothing was begun. */
  constructor(
    readonly directory: string,
    reason: Error,
    readonly exitCode = EXIT_NOT_WRITTEN,
  ) {
    super(`the store at ${directory} cannot be written: ${reason.message}; make room on its disk, or repair the disk`, {
      cause: reason,
    });
  }
}

/** Recognizes errors of the library: their `code` is the system's error number. */
export function isSystemError(error: unknown): error is Error {
  return error instanceof Error && 'code' in error && typeof error.code === 'number' && error.code > 0;
}

/** Why a commit failed: the library rejects with an error that only refers to the reason. */
export async function commitError(error: unknown): Promise<unknown> {
  if (!(error instanceof Error) || !('commitError' in error)) return error;
  const reason = Promise.resolve(error.commitError).then(
    () => error,
    (cause: unknown) => cause,
  );
  return Promise.race([reason, setTimeout(REASON_WITHIN_MS, error, { ref: false })]);
}
