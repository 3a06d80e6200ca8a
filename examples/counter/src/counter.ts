import { Rejected } from '@switchyard/protocol';
import { defineRollup, json } from '@switchyard/rollup';
import { type Add, add, TOTAL, totals } from './add.ts';
import type { CounterGenesis } from './genesis.ts';
import { decodeBody, TYPE_URL } from './transaction.ts';

/** A rollup that keeps one number, to which anybody may add. */
export function counter(genesis: CounterGenesis) {
  return defineRollup<Add, never>({
    name: 'counter',
    genesis,
    transactions: { typeUrl: TYPE_URL, maxBytes: 1_000, decodeBody },
    actions: { add },
    // Adding costs nothing.
    spends: () => [],
    initialState: (state) => totals.put(state, TOTAL, genesis.start),
    // Never called while the genesis names no bridge account.
    onDeposit: () => {
      throw new Rejected('deposits-disabled');
    },
    routes: (app, node) =>
      void app.get('/v1/total', () => json({ total: String(totals.get(node.view.snapshot, TOTAL)) })),
  });
}
