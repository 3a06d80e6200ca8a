import { event, hash } from '@switchyard/client/rollup-contract';
import type { Snapshot } from '@switchyard/machine';
import type { AccountId } from '@switchyard/protocol';
import { type AnyRoute, route, schema } from '@switchyard/service/api';
import { getNames } from '../asset-names.ts';
import type { RollupDefinition } from '../definition.ts';
import { eventRowsBefore, type TransactionEvents } from '../event-rows.ts';
import type { RollupNode } from '../node.ts';
import { openReceipts } from '../outcomes.ts';

/* Events as readers get them, in pages and in a stream. */

export type EventsJson = NonNullable<RollupDefinition['eventsJson']>;

type Row = readonly [key: readonly [block: bigint, first: number], transactions: readonly TransactionEvents[]];

/** A choice of events. */
export interface EventChoice {
  /** All, if it is empty. */
  readonly kinds: ReadonlySet<string>;
  /** Signer of their transactions; any, if undefined. */
  readonly account?: AccountId | undefined;
}

/** Events of rows in their order, each with its place. */
export function* placedEvents(
  snapshot: Snapshot,
  rows: Iterable<Row>,
  json: EventsJson,
  { kinds, account }: EventChoice,
) {
  const getName = getNames(snapshot);
  for (const [[block], transactions] of rows) {
    const getReceipt = openReceipts(snapshot, block);
    for (const { index, signer, events } of transactions) {
      if (account !== undefined && signer !== account) continue;
      for (const [position, event] of json(events, getName).entries())
        if (kinds.size === 0 || kinds.has(String(event.kind)))
          yield { block, transaction: getReceipt(index)?.hash ?? null, index, position, event };
    }
  }
}

/** Names an event among those of all blocks. */
export const toId = ({ block, index, position }: Place): string => `${block}-${index}-${position}`;
export const EVENT_ID = '[0-9]{1,19}-[0-9]{1,9}-[0-9]{1,9}';

const MOST_KINDS = 64;
export const kindsParameter = schema.matching(
  { description: 'Kinds of events, between commas; all, if it is left out', pattern: '^[a-zA-Z0-9,]{1,4096}$' },
  `up to ${MOST_KINDS} kinds of events between commas`,
  (text) => {
    const found = new Set(text.split(','));
    if (found.size > MOST_KINDS) throw new RangeError('too many kinds');
    return found;
  },
);

/** Bytes of events that are read for a page, which has fewer than requested if few are of their kinds. */
const PAGE_BYTES = 524_288;
/** Each row costs a search, however small it is. */
const ROW_BYTES = 2_048;

const page = schema.record('EventPage', {
  events: schema.list(
    schema.record('PlacedEvent', {
      block: schema.u64('Number of its block'),
      transaction: schema.nullable(hash('Hash of its transaction; null if the node has deleted it')),
      index: schema.integer('Position of the transaction in its block'),
      position: schema.integer('Position of the event in its transaction'),
      event,
    }),
  ),
  older: schema.nullable(schema.text('`before` of the page of older events')),
});

const place = schema.matching(
  { description: 'Only events before this one: `older` of the page before', pattern: `^${EVENT_ID}$` },
  'the id of an event',
  (text) => {
    const [block = '', index, position] = text.split('-');
    return { block: BigInt(block), index: Number(index), position: Number(position) };
  },
);
type Place = schema.TypeOf<typeof place>;

/** Events of the executed transactions, as far as the node keeps them. */
export function eventsRoute(node: RollupNode, json: EventsJson): AnyRoute {
  return route({
    method: 'get',
    url: '/v1/events',
    id: 'listEvents',
    tag: 'Transactions',
    summary: 'Events of the executed transactions, newest first',
    query: {
      kinds: schema.optional(kindsParameter),
      before: schema.optional(place),
      limit: schema.optional(schema.integer('Events of the page', { min: 1, max: 200 }), 50),
    },
    answers: { 200: page },
    handle({ query: { kinds = new Set<string>(), before, limit } }) {
      const newest = { block: node.view.soft + 1n, index: 0, position: 0 };
      const { events, next } = newestBefore(node, json, { before: before ?? newest, kinds, limit });
      const last = events.length > limit ? events[limit - 1] : next;
      return { status: 200, body: { events: events.slice(0, limit), older: last === undefined ? null : toId(last) } };
    },
  });
}

interface Asked {
  readonly before: Place;
  readonly kinds: ReadonlySet<string>;
  readonly limit: number;
}

/** Events of whole rows until there are enough, or the bytes of a page are read; and the beginning of further rows, if there are more. */
function newestBefore({ view: { snapshot } }: RollupNode, json: EventsJson, { before, kinds, limit }: Asked) {
  const isBefore = ({ block, index, position }: Place): boolean =>
    block < before.block || index < before.index || (index === before.index && position < before.position);
  const events: schema.TypeOf<typeof page>['events'][number][] = [];
  let [left, next] = [PAGE_BYTES, before];
  for (const row of eventRowsBefore(snapshot, [before.block, before.index], PAGE_BYTES / ROW_BYTES + 1)) {
    if (events.length >= limit || left <= 0) return { events, next };
    events.push(...[...placedEvents(snapshot, [row], json, { kinds })].filter(isBefore).reverse());
    const [[block, index], transactions] = row;
    next = { block, index, position: 0 };
    left -= transactions.reduce((sum, each) => sum + each.events.length, ROW_BYTES);
  }
  return { events, next: undefined };
}
