import { type AnyRoute, schema } from '@switchyard/service/api';
import { type EventPlace, eventRowsFrom } from '../event-rows.ts';
import { EVENT_ID, type EventsJson, kindsParameter, placedEvents, toId } from '../http/events.ts';
import type { RollupNode } from '../node.ts';
import { frame, streamRoute } from './stream-route.ts';

/** Rows of 32 KiB and more. */
const ROWS_AT_ONCE = 8;

interface Place {
  readonly at: EventPlace;
  /** Events of the first transaction at this place that the client has. */
  readonly seen: number;
  readonly kinds: ReadonlySet<string>;
}

/** Events of the executed transactions, once committed. */
export function transactionEventStream(node: RollupNode, json: EventsJson): AnyRoute {
  return streamRoute(node, {
    url: '/v1/streams/events',
    id: 'streamTransactionEvents',
    summary: 'Events of the executed transactions, once committed',
    description:
      'Events `event`, with block, position of the transaction in it and position of the event in that as id. `gap` names blocks whose events this node does not keep any more',
    ids: EVENT_ID,
    query: {
      kinds: schema.optional(kindsParameter),
      from: schema.optional(schema.u64Digits('First block; the next one, if it is left out')),
    },
    from(lastId, { kinds: wanted = new Set<string>(), from = node.view.soft + 1n }): Place {
      const [block = '', index, position] = lastId?.split('-') ?? [];
      if (lastId === undefined) return { at: [from, 0], seen: 0, kinds: wanted };
      return { at: [BigInt(block), Number(index)], seen: Number(position) + 1, kinds: wanted };
    },
    getKey: ({ at, seen, kinds: wanted }) => [...at, seen, ...wanted].join(' '),
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
  for (const event of placedEvents(snapshot, rows, json, wanted)) {
    const isSeen = event.block === at[0] && (event.index < at[1] || (event.index === at[1] && event.position < seen));
    if (!isSeen) frames.push(frame('event', event, toId(event)));
  }
  const last = rows.at(-1);
  // A client that wants other kinds has to read on, too, before the node does.
  if (frames.length === 0 && last !== undefined) frames.push(`: nothing up to block ${last[0][0]}\n\n`);
  const next: EventPlace =
    rows.length < ROWS_AT_ONCE || last === undefined
      ? [soft + 1n, 0]
      : [last[0][0], (last[1].at(-1)?.index ?? last[0][1]) + 1];
  return { frames: frames.join(''), next: { at: next, seen: 0, kinds: wanted } };
}
