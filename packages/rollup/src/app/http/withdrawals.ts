import { listBridges, listWithdrawals } from '@switchyard/client/rollup-contract';
import { formatAddress, withdrawalEventId } from '@switchyard/protocol';
import { type AnyRoute, serve } from '@switchyard/service/api';
import type { RollupNode } from '../node.ts';
import { bridgeSheets, uncreditedSums, withdrawalCount, withdrawalRows } from '../withdrawals.ts';
import { toPage } from './page.ts';

/** Withdrawals to the sequencer, and the accounts that pay them; none if the genesis allows no withdrawals. */
export function withdrawalRoutes(node: RollupNode): readonly AnyRoute[] {
  const { withdrawals: rules = [], sequencerGenesisBlockHeight } = node.genesis;
  if (rules.length === 0) return [];
  const ruleOf = new Map(rules.map((rule) => [rule.bridge.account, rule]));

  const list = serve(listWithdrawals, ({ query }) => {
    const { snapshot, soft, firm } = node.view;
    const { first, last, older, newer } = toPage({ first: 0n, next: withdrawalCount(snapshot) }, query);
    const withdrawals = [];
    for (let id = last; id >= first; id -= 1n) {
      const row = withdrawalRows.get(snapshot, id);
      const rule = row && ruleOf.get(row.bridge);
      if (row === undefined || rule === undefined) throw new Error(`the state has no withdrawal ${id}`);
      const { sender, bridge, amount, to, ...rest } = row;
      withdrawals.push({
        id,
        ...rest,
        eventId: withdrawalEventId(row.transaction, row.action),
        sender: formatAddress(sender),
        bridge: formatAddress(bridge, rule.bridge.prefix),
        asset: rule.asset,
        amount: String(amount),
        destination: formatAddress(to, rule.bridge.prefix),
      });
    }
    return { status: 200, body: { withdrawals, older, newer: newer < 0n ? null : newer, soft, firm } };
  });

  const sheets = serve(listBridges, () => {
    const { snapshot, soft } = node.view;
    const bridges = rules.map(({ bridge, asset, minimum }) => {
      const { backing, withdrawn, withdrawals } = bridgeSheets.get(snapshot, bridge.account);
      return {
        bridge: formatAddress(bridge.account, bridge.prefix),
        asset,
        minimum: String(minimum),
        backing: String(backing),
        withdrawn: String(withdrawn),
        withdrawals,
        uncredited: String(uncreditedSums.get(snapshot, bridge.account)),
      };
    });
    return { status: 200, body: { block: soft, sequencerHeight: sequencerGenesisBlockHeight + soft, bridges } };
  });

  return [list, sheets];
}
