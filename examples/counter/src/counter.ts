import { Rejected } from '@switchyard/protocol';
import { defineRollup } from '@switchyard/rollup';
import { route, schema } from '@switchyard/service/api';
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
    api: (node) => [
      route({
        method: 'get',
        url: '/v1/total',
        id: 'getTotal',
        tag: 'Counter',
        summary: 'The total after the newest block',
        answers: { 200: schema.object({ total: schema.text('Decimal digits') }, { name: 'Total' }) },
        handle: () => ({ status: 200, body: { total: String(totals.get(node.view.snapshot, TOTAL)) } }),
      }),
    ],
  });
}
