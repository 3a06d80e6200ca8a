import type { StateWriter } from '@switchyard/machine';
import { Rejected } from '@switchyard/protocol';

/** Rows that an action may read, write or delete, each time counted, unless its definition has another bound. */
export const DEFAULT_STEPS = 10_000;

/**
 * The state with a bound of steps: the action that takes one more is refused, on every node at the same one. A bound of
 * time would not be. A handler that never touches the state is not bounded by this.
 */
export function withSteps(state: StateWriter, kind: string, steps: number): StateWriter {
  let left = steps;
  const step = (): void => {
    if (left === 0) throw new Rejected('limit-reached', { action: kind, field: 'steps', limit: steps });
    left -= 1;
  };
  return {
    get(key) {
      step();
      return state.get(key);
    },
    put(key, value) {
      step();
      state.put(key, value);
    },
    delete(key) {
      step();
      state.delete(key);
    },
  };
}
