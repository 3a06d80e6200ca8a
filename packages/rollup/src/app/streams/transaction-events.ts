import { type AnyRoute, schema } from '@switchyard/service/api';
import type { RollupDefinition } from '../definition.ts';
import { type EventPlace, eventRowsFrom } from '../event-rows.ts';
import type { RollupNode } from '../node.ts';
import { hashesOf } from '../outcomes.ts';
import { frame, streamRoute } from './stream-route.ts';

/** Rows of 32 KiB and more. */
const ROWS_AT_ONCE = 8;
const MOST_KINDS = 64;

type EventsJson = NonNullable<RollupDefinition['eventsJson']>;

interface Place {
  readonly at: EventPlace;
  /** Events of the first transaction at this place that the client has. */
  readonly seen: number;
  readonly kinds: ReadonlySet<string>;
}

const kinds = schema.parsed(
  { description: 'Kinds of events, between commas; all, if it is left out', pattern: '^[a-zA-Z0-9,]{1,4096}$' },
  `up to ${MOST_KINDS} kinds of events between commas`,
  (text) => {
    const found = new Set(text.split(','));
    if (text.length > 4_096 || found.size > MOST_KINDS) throw new RangeError('too many kinds');
    return found;
  },
);

/** Events of the executed transactions, as they are committed. */
export function transactionEventStream(node: RollupNode, json: EventsJson): AnyRoute {
  return streamRoute(node, {
    url: '/v1/streams/events',
    id: 'streamTransactionEvents',
    summary: 'Events of the executed transactions, as they are committed',
    description:
      'Events `event`, with block, position of the transaction in it and position of the event in that as id. `gap` names blocks whose events this node does not keep any more',
    ids: '[0-9]{1,19}-[0-9]{1,9}-[0-9]{1,9}',
    query: {
      kinds: schema.optional(kinds),
      from: schema.optional(schema.u64Digits('First block; the next one, if it is left out')),
    },
    from(lastId, { kinds: wanted = new Set<string>(), from = node.view.soft + 1n }): Place {
      const [block = '', index, position] = lastId?.split('-') ?? [];
      if (lastId === undefined) return { at: [from, 0], seen: 0, kinds: wanted };
      return { at: [BigInt(block), Number(index)], seen: Number(position) + 1, kinds: wanted };
    },
    keyOf: ({ at, seen, kinds: wanted }) => [...at, seen, ...wanted].join(' '),
    read: (place) => readEvents(node, json, place),
  });
}

function readEvents(
  { view }: RollupNode,
  json: EventsJson,
  { at, seen, kinds: wanted }: Place,
): { readonly frames: string; readonly next: Place } | undefined {
  const { snapshot, soft, lowest } = view;
  if (at[0] > soft) return undefined;
  const isGap = at[0] < lowest && lowest > 1n;
  const start: EventPlace = isGap ? [lowest, 0] : at;
  const rows = eventRowsFrom(snapshot, start, ROWS_AT_ONCE);
  const frames = isGap ? [frame('gap', { from: at[0], to: lowest - 1n })] : [];
  for (const [[block], transactions] of rows) {
    const hashes = hashesOf(snapshot, block);
    for (const { index, events } of transactions) {
      if (block === at[0] && index < at[1]) continue;
      const first = block === at[0] && index === at[1] ? seen : 0;
      for (const [position, value] of json(events).entries()) {
        if (position < first || (wanted.size > 0 && !wanted.has(String(value.kind)))) continue;
        const data = { block, transaction: hashes(index), index, position, event: value };
        frames.push(frame('event', data, `${block}-${index}-${position}`));
      }
    }
  }
  const last = rows.at(-1);
  // A client that wants other kinds has to read on, too, before the node does.
  if (frames.length === 0 && last !== undefined) frames.push(`: nothing up to block ${last[0][0]}\n\n`);
  const next: EventPlace =
    rows.length < ROWS_AT_ONCE - 1 || last === undefined
      ? [soft + 1n, 0]
      : [last[0][0], (last[1].at(-1)?.index ?? last[0][1]) + 1];
  return { frames: frames.join(''), next: { at: next, seen: 0, kinds: wanted } };
}
