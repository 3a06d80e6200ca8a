import { listDeposits, refusedDeposit } from '@switchyard/client/rollup-contract';
import { accountIdFromBytes, formatAddress, fromHex } from '@switchyard/protocol';
import { type AnyRoute, route, schema, serve } from '@switchyard/service/api';
import type { RollupNode } from '../node.ts';
import { depositCount, depositRows, skippedDeposits } from '../tables.ts';
import { toPage } from './page.ts';

/** Deposits from the sequencer, credited and refused. */
export function depositRoutes(node: RollupNode): readonly AnyRoute[] {
  return [allDeposits(node), refusedDeposits(node)];
}

const allDeposits = (node: RollupNode): AnyRoute =>
  serve(listDeposits, ({ query }) => {
    const { snapshot } = node.view;
    const { first, last, older, newer } = toPage({ first: 0n, next: depositCount.get(snapshot) ?? 0n }, query);
    const deposits = [];
    for (let id = last; id >= first; id -= 1n) {
      const row = depositRows.get(snapshot, id);
      if (row === undefined) continue;
      const { account, message, amount, bridge, bridgePrefix, ...rest } = row;
      const isCredited = account !== '';
      deposits.push({
        id,
        ...rest,
        bridge: formatAddress(bridge, bridgePrefix),
        amount: String(amount),
        state: isCredited ? ('credited' as const) : ('refused' as const),
        account: isCredited ? formatAddress(accountIdFromBytes(fromHex(account))) : null,
        reason: message === '' ? null : message,
      });
    }
    return { status: 200, body: { deposits, older, newer: newer < 0n ? null : newer } };
  });

function refusedDeposits(node: RollupNode): AnyRoute {
  return route({
    method: 'get',
    url: '/v1/deposits/skipped',
    id: 'listRefusedDeposits',
    tag: 'Deposits',
    summary: 'Deposits that were refused, oldest first; their funds stay locked on the sequencer',
    query: {
      after: schema.optional(schema.u64Digits('Only deposits after this id')),
      limit: schema.optional(schema.integer('Deposits of the page', { min: 1, max: 1_000 }), 100),
    },
    answers: { 200: schema.object({ deposits: schema.list(refusedDeposit) }, { name: 'RefusedDeposits' }) },
    handle({ query: { after, limit } }) {
      const { snapshot } = node.view;
      const rows = skippedDeposits.range(snapshot, { limit, ...(after === undefined ? {} : { after }) });
      const deposits = Array.from(rows).flatMap(([id]) => {
        const row = depositRows.get(snapshot, id);
        if (row === undefined) return [];
        const { bridge, bridgePrefix, amount, account, ...deposit } = row;
        const address = formatAddress(bridge, bridgePrefix);
        return { id, ...deposit, amount: String(amount), bridge: address, reason: deposit.message };
      });
      return { status: 200, body: { deposits } };
    },
  });
}
