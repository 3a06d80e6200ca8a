import { type AssetId, formatAddress, toHex } from '@switchyard/protocol';
import { addressParameter, findEntries, getNames, type RollupNode, rfc3339 } from '@switchyard/rollup/node';
import { type AnyRoute, serve } from '@switchyard/service/api';
import { getAccountHistory } from '../contract.ts';
import { journal, type Movement } from '../tables.ts';

const contract = { ...getAccountHistory, path: { address: addressParameter } };

/** Transfers and deposits that an account sent and received. */
export const historyRoute = (node: RollupNode): AnyRoute =>
  serve(contract, async ({ path: { address: account }, query }) => {
    const { items, older, newer } = await findEntries(node, journal, { ...query, by: { account } });
    const getName = getNames(node.view.snapshot);
    const entries = items.map((entry) => entryJson(entry, getName));
    return { status: 200, body: { entries, older, newer: newer < 0n ? null : newer } };
  });

function entryJson(
  { transaction, from, to, asset, amount: units, time: at, ...entry }: Movement,
  getName: (asset: AssetId) => string,
) {
  return {
    ...entry,
    time: rfc3339(at),
    from: formatAddress(from),
    to: formatAddress(to),
    asset: getName(asset),
    amount: String(units),
    hash: toHex(transaction),
  };
}
