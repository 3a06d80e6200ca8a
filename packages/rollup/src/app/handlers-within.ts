import { url as inspected } from 'node:inspector';
import { Script } from 'node:vm';
import type { RollupAction, RollupDefinition } from './definition.ts';
import { mapHandlers } from './map-handlers.ts';

const CALL = Symbol.for('@switchyard/rollup: call with a limit');
/** Code that is run as a script can be ended from outside, also in the middle of a loop. */
const script = new Script('globalThis[Symbol.for("@switchyard/rollup: call with a limit")]()');
const shared = globalThis as { [CALL]?: (() => unknown) | undefined };

/**
 * Ends handlers of a rollup that run for longer than a limit. Such a one throws then, as for any other bug. Without an effect
 * while a debugger is attached, which may hold up a handler for as long as it likes.
 *
 * Each call takes about 0.1 ms longer, so that this is for tests.
 */
export function handlersWithin<A extends RollupAction, E>(
  definition: RollupDefinition<A, E>,
  limitMs: number,
): RollupDefinition<A, E> {
  const limited = <T>(work: () => T): T => within(limitMs, work);
  const mapped = mapHandlers(definition, (handler) => ({
    check: (action) => limited(() => handler.check(action)),
    execute: (action, context) => limited(() => handler.execute(action, context)),
  }));
  return { ...mapped, onDeposit: (deposit, state) => limited(() => definition.onDeposit(deposit, state)) };
}

function within<T>(limitMs: number, work: () => T): T {
  if (inspected() !== undefined) return work();
  const outer = shared[CALL];
  shared[CALL] = work;
  try {
    // The script returns what the call returns.
    return script.runInThisContext({ timeout: limitMs }) as T;
  } catch (error) {
    if ((error as { code?: unknown }).code !== 'ERR_SCRIPT_EXECUTION_TIMEOUT') throw error;
    throw new Error(`it has not ended within ${limitMs} ms, and was ended`);
  } finally {
    shared[CALL] = outer;
  }
}
