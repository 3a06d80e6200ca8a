import { type AssetId, formatAddress } from '@switchyard/protocol';
import {
  addressParameter,
  findItems,
  getNames,
  type RollupNode,
  rfc3339,
  type TermIndex,
} from '@switchyard/rollup/node';
import { type AnyRoute, serve } from '@switchyard/service/api';
import { getAccountHistory } from '../contract.ts';
import { type JournalEntry, journalEntry } from '../tables/journal.ts';
import { orUnavailable } from './messages.ts';

const contract = { ...getAccountHistory, path: { address: addressParameter } };

/** Transfers and deposits that an account sent and received. */
export const historyRoute = (node: RollupNode, index: TermIndex): AnyRoute =>
  serve(contract, async ({ path: { address: account }, query }) => {
    const { items, older, newer } = await findItems(index, {
      ...query,
      terms: [account],
      snapshot: () => node.view.snapshot,
      read(snapshot, id) {
        const entry = journalEntry(snapshot, id);
        return entry !== undefined && (entry.from === account || entry.to === account) ? entry : undefined;
      },
    }).catch(orUnavailable);
    const getName = getNames(node.view.snapshot);
    const entries = items.map((entry) => entryJson(entry, getName));
    return { status: 200, body: { entries, older, newer: newer < 0n ? null : newer } };
  });

function entryJson(
  { transaction, from, to, asset, amount: units, time: at, ...entry }: JournalEntry,
  getName: (asset: AssetId) => string,
) {
  return {
    ...entry,
    time: rfc3339(at),
    from: formatAddress(from),
    to: formatAddress(to),
    asset: getName(asset),
    amount: String(units),
    hash: transaction,
  };
}
