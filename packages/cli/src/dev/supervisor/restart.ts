/** Exit status of our services when their configuration is wrong: the same start would fail in the same way. */
const BAD_CONFIGURATION = 78;

/** Exit status of our services when their data on disk is damaged: only a repair helps, and the last line names it. */
const DAMAGED_DATA = 65;

const FIRST_MS = 250;
const LONGEST_MS = 10_000;
/** Starts in a row that may end soon. */
const TRIES = 5;
/** A service that has run this long gets all its tries back. */
const HEALTHY_MS = 60_000;

export interface Exit {
  readonly code: number | undefined;
  readonly signal: NodeJS.Signals | undefined;
  /** The program could not be started at all. */
  readonly error?: string;
}

export type Restart =
  | { readonly kind: 'again'; readonly afterMs: number; readonly failures: number; readonly tries: number }
  | { readonly kind: 'finished' }
  | { readonly kind: 'give-up'; readonly reason: string };

/** What to do about a service that ended without being asked to. */
export function afterExit(exit: Exit, ran: { ms: number; failures: number; endless: boolean }): Restart {
  if (exit.error !== undefined) return { kind: 'give-up', reason: 'its program cannot be started' };
  if (exit.code === BAD_CONFIGURATION) return { kind: 'give-up', reason: 'its configuration is wrong' };
  if (exit.code === DAMAGED_DATA) return { kind: 'give-up', reason: 'its data on disk is damaged' };
  // A program of the user's may be done; ours never are.
  if (exit.code === 0 && !ran.endless) return { kind: 'finished' };
  const failures = ran.ms >= HEALTHY_MS ? 1 : ran.failures + 1;
  if (failures > TRIES) return { kind: 'give-up', reason: `it ended ${failures} times in a row` };
  return { kind: 'again', afterMs: Math.min(FIRST_MS * 2 ** (failures - 1), LONGEST_MS), failures, tries: TRIES };
}

/** `exit code 1`, `signal SIGKILL`, or why the program did not start. */
export function describeExit({ code, signal, error }: Exit): string {
  if (error !== undefined) return error;
  return signal === undefined ? `exit code ${code ?? 'unknown'}` : `signal ${signal}`;
}
