/**
 * An error that other nodes with the same state may not have: a row that was damaged, a store that cannot be read, a clock. It
 * refuses no transaction, since nodes would then disagree; the node stops.
 */
export class NodeFault extends Error {}

/** Reads a stored value. @throws {NodeFault} if it differs from the written one. */
export function readStored<T>(read: () => T): T {
  try {
    return read();
  } catch (cause) {
    throw toFault(cause);
  }
}

/** The error of a read of stored data. */
export function toFault(cause: unknown): unknown {
  // An error with an exit code ends the process on its own.
  if (cause instanceof NodeFault || (cause instanceof Error && 'exitCode' in cause)) return cause;
  const { message } = cause instanceof Error ? cause : new Error(String(cause));
  return new NodeFault(message, { cause });
}
