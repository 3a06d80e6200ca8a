/** Answer to a caller whose call met such an error. */
export const ENDS_NOW = 'the process ends, since its data cannot be read or written; try again later';

/** Exit code that an error, or a cause of it, names: its process ends with it. Undefined for all other errors. */
export function findExitCode(error: unknown): number | undefined {
  for (let current = error; current instanceof Error; current = current.cause) {
    if ('exitCode' in current && typeof current.exitCode === 'number') return current.exitCode;
  }
  return undefined;
}
