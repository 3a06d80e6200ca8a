import type { ReplayStep } from '@switchyard/client';
import type { StateWriter } from '@switchyard/machine';
import { type TxHash, toHex } from '@switchyard/protocol';
import { exactJsonText } from '@switchyard/service';
import { asRefusal } from '../app/bugs.ts';
import type { EncodedEvent } from '../app/commits.ts';
import type { RollupDefinition } from '../app/definition.ts';
import { mapHandlers } from '../app/refusing-bugs.ts';

/** Steps of one block, in the order of their execution. */
export interface BlockTrace {
  readonly deposits: ReplayStep[];
  /** Runs of each transaction: equal bytes may be in a block twice, and run twice if the first copy was refused. */
  readonly runs: Map<TxHash, ReplayStep[][]>;
}

export const newTrace = (): BlockTrace => ({ deposits: [], runs: new Map() });

/** The definition, whose actions and deposits are recorded as well: events, writes and refusals. Their results stay the same. */
export function traced(definition: RollupDefinition, trace: () => BlockTrace): RollupDefinition {
  const actions = mapHandlers(definition.actions, (handler, kind) => ({
    check: (action) => handler.check(action),
    execute(action, context) {
      const { runs } = trace();
      const ofTransaction = runs.get(context.tx) ?? [];
      runs.set(context.tx, ofTransaction);
      if (context.index === 0) ofTransaction.push([]);
      const steps = ofTransaction.at(-1) ?? [];
      record(kind, steps, context.state, (state, events) => {
        const emit = (event: EncodedEvent): void => {
          events.push(exactJsonText(event.value));
          context.emit(event);
        };
        handler.execute(action, { ...context, state, emit });
      });
    },
  }));
  return {
    ...definition,
    actions,
    onDeposit: (deposit, state) =>
      record('deposit', trace().deposits, state, (recorded) => definition.onDeposit(deposit, recorded)),
  };
}

function record<T>(
  kind: string,
  steps: ReplayStep[],
  state: StateWriter,
  work: (state: StateWriter, events: string[]) => T,
): T {
  const events: string[] = [];
  const writes: { key: string; value?: string }[] = [];
  const recorded: StateWriter = {
    get: (key) => state.get(key),
    range: (options) => state.range(options),
    put(key, value) {
      writes.push({ key, value: toHex(value) });
      state.put(key, value);
    },
    delete(key) {
      writes.push({ key });
      state.delete(key);
    },
  };
  const step = { kind, events, writes };
  try {
    const result = work(recorded, events);
    steps.push(step);
    return result;
  } catch (error) {
    steps.push({ ...step, refused: asRefusal(error, { action: kind }).message });
    throw error;
  }
}
