import { type RangeOptions, type Row, type StateReader, type StateWriter, Steps } from '@switchyard/machine/browser';
import { Rejected } from '@switchyard/protocol';

/** Bounds of steps, which are rules of the chain: they are in the fingerprint of a definition. */
export const BOUNDS = {
  /** A row that is read, written or deleted is a step, and so is each full KiB of it. */
  bytesOfStep: 1_024,
  /** Steps of an action, unless its definition has another. A transaction has those of its action that may take most. */
  action: 10_000,
  /** Steps of `onDeposit`. Deposits are paid for on the sequencer and cannot be sent again: they do not count in their block. */
  deposit: 10_000,
  /** Steps of all transactions of a block, or those of an action that may take more. */
  block: 1_000_000,
  /** Steps of `initialState`, of each migration, and of `onBlock`, which has no part in the result of a block. */
  whole: 1_000_000,
};

/** A state whose reads are counted. */
export class CountedReader<S extends StateReader = StateReader> implements StateReader {
  constructor(
    protected readonly state: S,
    protected readonly steps: Steps,
  ) {}

  get(key: string): Uint8Array | undefined {
    this.steps.take(1);
    const value = this.state.get(key);
    if (value !== undefined) this.steps.take(kibs(value));
    return value;
  }

  /** A step for the search, and those of each row. */
  range(options: RangeOptions): readonly Row[] {
    this.steps.take(1);
    const found: Row[] = [];
    const place = options.reverse === true ? 'before' : 'after';
    for (let last: Row | undefined; found.length < options.limit; ) {
      const limit = Math.min(options.limit - found.length, ROWS_AT_ONCE, this.steps.left + 1);
      const rows = this.state.range({ ...options, ...(last && { [place]: last[0] }), limit });
      for (const row of rows) this.steps.take(1 + kibs(row[1]));
      found.push(...rows);
      last = rows.at(-1);
      if (rows.length < limit) break;
    }
    return found;
  }
}

/** The state that a handler has, with a bound of steps: a handler that never touches the state is not bounded by it. */
export class CountedState extends CountedReader<StateWriter> implements StateWriter {
  put(key: string, value: Uint8Array): void {
    this.steps.take(1 + kibs(value));
    this.state.put(key, value);
  }

  delete(key: string): void {
    this.steps.take(1);
    this.state.delete(key);
  }
}

/** Rows that are in memory before they are counted. */
const ROWS_AT_ONCE = 256;

function kibs({ length }: Uint8Array): number {
  return Math.floor(length / BOUNDS.bytesOfStep);
}

/** @returns a function that begins to count the steps of an action of this kind. */
export function stepsOfAction(action: string, limit: number): (outer: Steps | undefined) => Steps {
  const exceeded = (): Error => new Rejected('limit-reached', { action, field: 'steps', limit });
  return (outer) => new Steps(limit, exceeded, outer);
}

/** Steps of a handler that belongs to no transaction: one more than it has is a bug of it. */
export function countedFor(handler: string, limit: number, state: StateWriter): CountedState {
  return new CountedState(state, new Steps(limit, () => new Error(`${handler} takes more than ${limit} steps`)));
}
