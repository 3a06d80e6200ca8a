import { backoffMs } from '@switchyard/service';

/** Exit status of our services when their configuration is wrong: the same start would fail in the same way. */
const BAD_CONFIGURATION = 78;

/** Exit status of our services when their data on disk is damaged: only a repair helps, and the last line names it. */
const DAMAGED_DATA = 65;

const BACKOFF = { initialMs: 500, maxMs: 30_000 };
/** After running this long, the next end counts as the first one again. */
export const HEALTHY_MS = 60_000;

export interface Exit {
  readonly code: number | undefined;
  readonly signal: NodeJS.Signals | undefined;
  /** Why the program could not be started at all. */
  readonly error?: string;
}

export type Restart =
  | { readonly kind: 'again'; readonly afterMs: number; readonly failures: number }
  | { readonly kind: 'finished' }
  | { readonly kind: 'give-up'; readonly reason: string };

export interface Ran {
  readonly ms: number;
  /** Times in a row that it has ended before, without a healthy run in between. */
  readonly failures: number;
  /** It never finishes, regardless of its exit status. */
  readonly endless: boolean;
  /** Its program has been started at least once. */
  readonly known: boolean;
}

/**
 * Decides about a service that ended on its own. It is restarted without limit, after pauses that grow up to half a
 * minute, since the cause may be temporary; not if a person has to correct something first.
 *
 * @param random From 0 (inclusive) to 1 (exclusive): services that fail together do not restart together.
 */
export function afterExit(exit: Exit, ran: Ran, random: () => number): Restart {
  if (exit.error !== undefined && !ran.known) return { kind: 'give-up', reason: 'its program cannot be started' };
  if (exit.code === BAD_CONFIGURATION) return { kind: 'give-up', reason: 'its configuration is wrong' };
  if (exit.code === DAMAGED_DATA) return { kind: 'give-up', reason: 'its data on disk is damaged' };
  // A program of the user's may be done; ours never are.
  if (exit.code === 0 && !ran.endless) return { kind: 'finished' };
  const failures = ran.ms >= HEALTHY_MS ? 1 : ran.failures + 1;
  return { kind: 'again', afterMs: backoffMs(failures, BACKOFF, random), failures };
}

/** `exit code 1`, `signal SIGKILL`, or why the program did not start. */
export function describeExit({ code, signal, error }: Exit): string {
  if (error !== undefined) return error;
  return signal === undefined ? `exit code ${code ?? 'unknown'}` : `signal ${signal}`;
}

/** `after 1 failure`, `after 3 failures in a row`. */
export function describeFailures(failures: number): string {
  return failures === 1 ? 'after 1 failure' : `after ${failures} failures in a row`;
}
