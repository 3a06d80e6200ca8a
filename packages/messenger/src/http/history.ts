import type { Snapshot } from '@switchyard/machine';
import { formatAddress } from '@switchyard/protocol';
import {
  address,
  addressParameter,
  amount,
  findItems,
  hash,
  type RollupNode,
  rfc3339,
  type TermIndex,
  time,
} from '@switchyard/rollup';
import { type AnyRoute, route, schema } from '@switchyard/service/api';
import type { MessengerEvent } from '../actions/handler.ts';
import { nameOf } from '../tables/asset-names.ts';
import { type JournalEntry, journalEntry } from '../tables/journal.ts';
import { orUnavailable } from './messages.ts';

const entrySchema = schema.object(
  {
    id: schema.u64('Consecutive'),
    kind: schema.words('A deposit is credited from a bridge account of the sequencer', 'transfer', 'deposit'),
    block: schema.u64('Number of its block'),
    time,
    from: address,
    to: address,
    asset: schema.text('Its name, or its id as `ibc/...`'),
    amount,
    hash: hash('Of the transaction; of a deposit, on the sequencer'),
  },
  { name: 'HistoryEntry' },
);

/** What an account sent and received. */
export function historyRoute(node: RollupNode<MessengerEvent>, index: TermIndex): AnyRoute {
  return route({
    method: 'get',
    url: '/v1/accounts/{address}/history',
    id: 'getAccountHistory',
    tag: 'Accounts',
    summary: 'Transfers and credited deposits of an account, newest first',
    description:
      'Its messages are at `/v1/messages?sender=`. What happened before a node had this version is not in it',
    path: { address: addressParameter },
    query: {
      before: schema.optional(schema.u64Digits('Only entries before this id')),
      after: schema.optional(schema.u64Digits('Only entries after this id')),
      limit: schema.optional(schema.integer('Entries of the page', { min: 1, max: 200 }), 50),
    },
    answers: {
      200: schema.object(
        {
          entries: schema.list(entrySchema),
          older: schema.nullable(schema.u64('`before` of the page of older entries')),
          newer: schema.nullable(schema.u64('`after` of the page of newer entries; null while there are none')),
        },
        { name: 'HistoryPage' },
      ),
    },
    errors: { 503: 'The index is being made' },
    async handle({ path: { address: account }, query }) {
      const { items, older, newer } = await findItems(index, {
        ...query,
        terms: [account],
        snapshot: () => node.view.snapshot,
        read(snapshot, id) {
          const entry = journalEntry(snapshot, id);
          return entry !== undefined && (entry.from === account || entry.to === account) ? entry : undefined;
        },
      }).catch(orUnavailable);
      const { snapshot } = node.view;
      const entries = items.map((entry) => entryJson(entry, snapshot));
      return { status: 200, body: { entries, older, newer: newer < 0n ? null : newer } };
    },
  });
}

function entryJson(
  { transaction, from, to, asset, amount: units, time: at, ...entry }: JournalEntry,
  snapshot: Snapshot,
) {
  return {
    ...entry,
    time: rfc3339(at),
    from: formatAddress(from),
    to: formatAddress(to),
    asset: nameOf(snapshot, asset),
    amount: String(units),
    hash: transaction,
  };
}
