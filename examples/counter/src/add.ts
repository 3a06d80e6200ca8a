import { type ActionHandler, table, text, u64 } from '@switchyard/machine';
import { Rejected } from '@switchyard/protocol';

/** Adds an amount to the total. */
export interface Add {
  readonly kind: 'add';
  readonly amount: bigint;
}

export const MAX_TOTAL = (1n << 64n) - 1n;

/** The state: one row. Its encoding is part of every state root, so it is fixed once the chain runs. */
export const totals = table({ prefix: 'counter/', key: text, value: u64, absent: 0n });
export const TOTAL = 'total';

export const add: ActionHandler<Add, never> = {
  // Needs no state: also runs when a transaction is submitted.
  check({ amount }) {
    if (amount === 0n) throw new Rejected('empty', { field: 'amount' });
  },

  // Rejects before it writes. A rejected transaction leaves no trace but its receipt.
  execute({ amount }, { state }) {
    const total = totals.get(state, TOTAL) + amount;
    if (total > MAX_TOTAL) throw new Rejected('overflow', { field: 'total', limit: MAX_TOTAL });
    totals.put(state, TOTAL, total);
  },
};
