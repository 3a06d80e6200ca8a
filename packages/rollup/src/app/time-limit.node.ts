import { url as inspected } from 'node:inspector';
import { Script } from 'node:vm';
import { engineRests, NodeFault } from '@switchyard/machine/browser';

const CALL = Symbol.for('@switchyard/rollup: call with a limit');
/** Code that is run as a script can be ended from outside, also in the middle of a loop. */
const script = new Script('globalThis[Symbol.for("@switchyard/rollup: call with a limit")]()');
const shared = globalThis as { [CALL]?: (() => unknown) | undefined };

/** Code of a user that runs now. It is not put back if that is ended, so that it can be named. */
let running: readonly string[] = [];

/** @param words Of its name, which is made on demand. */
export function nowRuns(...words: readonly string[]): void {
  running = words;
}

/** Work that has not ended within its limit, and was ended. */
export class Overtime extends NodeFault {}

/**
 * Runs synchronous work, which is ended at the limit: nothing else of this thread would be answered again. It takes about 0.1 ms
 * longer, for the thread that measures. A debugger may hold it up for as long as it likes.
 *
 * @throws {Overtime} with the handler that was running. No `finally` of the work has run then.
 */
export function withTimeLimit<T>(limitMs: number, work: () => T): T {
  if (inspected() !== undefined) return work();
  const outer = shared[CALL];
  shared[CALL] = work;
  nowRuns('its code');
  try {
    // The script returns the result of the call.
    return script.runInThisContext({ timeout: limitMs }) as T;
  } catch (error) {
    if ((error as { code?: unknown }).code !== 'ERR_SCRIPT_EXECUTION_TIMEOUT') throw error;
    engineRests();
    throw new Overtime(`${running.join(' ')} has not ended within ${limitMs} ms, and was ended`);
  } finally {
    shared[CALL] = outer;
  }
}
