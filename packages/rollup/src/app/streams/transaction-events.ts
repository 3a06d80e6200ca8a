import { toJson } from '@switchyard/service';
import { type AnyRoute, schema } from '@switchyard/service/api';
import type { SoftView } from '../commits.ts';
import { type EventPlace, eventRowsFrom } from '../event-rows.ts';
import { EVENT_ID, type EventChoice, type EventsJson, kindsParameter, placedEvents, toId } from '../http/events.ts';
import { addressParameter } from '../http/schemas.ts';
import type { RollupNode } from '../node.ts';
import type { Part } from './part.ts';
import { frame, streamRoute } from './stream-route.ts';

/** Rows of 32 KiB and more. */
const ROWS_AT_ONCE = 8;

interface Place {
  readonly at: EventPlace;
  /** Events of the first transaction at this place that the client has. */
  readonly seen: number;
  readonly choice: EventChoice;
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
      account: schema.optional(addressParameter),
      from: schema.optional(schema.u64Digits('First block; the next one, if it is left out')),
    },
    from(lastId, { kinds = new Set<string>(), account, from = node.view.soft + 1n }): Place {
      const [block = '', index, position] = lastId?.split('-') ?? [];
      const choice = { kinds, account };
      if (lastId === undefined) return { at: [from, 0], seen: 0, choice };
      return { at: [BigInt(block), Number(index)], seen: Number(position) + 1, choice };
    },
    getKey: ({ at, seen, choice }) => [...at, seen, choice.account, ...choice.kinds].join(' '),
    read({ at, seen, choice }) {
      const { view } = node;
      if (at[0] > view.soft) return undefined;
      const { events, gap, last, next } = eventsFrom(view, json, at, choice);
      const frames = gap === undefined ? [] : [frame('gap', gap)];
      for (const event of events) {
        const isSeen = event.block === at[0] && event.index === at[1] && event.position < seen;
        if (!isSeen) frames.push(frame('event', event, toId(event)));
      }
      // A client that wants other kinds has to read on, too, before the node does.
      if (frames.length === 0 && last !== undefined) frames.push(`: nothing up to block ${last}\n\n`);
      return { frames: frames.join(''), next: { at: next, seen: 0, choice } };
    },
  });
}

/** Events of the executed transactions as a part that a client follows. */
export function eventsPart(json: EventsJson, choice: EventChoice): Part {
  return {
    name: JSON.stringify(['events', choice.account, [...choice.kinds]]),
    begin: ({ soft: block }) => ({ block, isOpen: true, count: 0 }),
    read(view, { block, isOpen, after = '0', again }) {
      if (block === view.soft && !isOpen) return { next: { block, isOpen, count: 0 } };
      const { events, gap, next } = eventsFrom(view, json, [block + 1n, Number(after)], choice);
      const place = {
        ...{ block: next[0] - 1n, isOpen: next[0] <= view.soft, count: 0 },
        ...(next[1] > 0 && { after: String(next[1]) }),
      };
      if (!isOpen && !place.isOpen && events.length === 0) return { next: place };
      const reason = again ?? (gap && `the events of blocks ${gap.from} to ${gap.to} are not kept by this node`);
      const members = { ...(reason !== undefined && { again: reason }), events, isWhole: !place.isOpen };
      return { members: toJson(members).slice(1, -1), next: place };
    },
  };
}

/** Events of some rows from a place on, and the place behind them. @returns with the last block of the rows. */
function eventsFrom({ snapshot, soft, lowest }: SoftView, json: EventsJson, at: EventPlace, choice: EventChoice) {
  const isGap = at[0] < lowest && lowest > 1n;
  const rows = at[0] > soft ? [] : eventRowsFrom(snapshot, isGap ? [lowest, 0] : at, ROWS_AT_ONCE);
  const last = rows.at(-1);
  const next: EventPlace =
    rows.length < ROWS_AT_ONCE || last === undefined
      ? [soft + 1n, 0]
      : [last[0][0], (last[1].at(-1)?.index ?? last[0][1]) + 1];
  const gap = isGap ? { from: at[0], to: lowest - 1n } : undefined;
  // The first row may begin before the place.
  const isFrom = ({ block, index }: { readonly block: bigint; readonly index: number }): boolean =>
    block > at[0] || index >= at[1];
  return { events: [...placedEvents(snapshot, rows, json, choice)].filter(isFrom), gap, last: last?.[0][0], next };
}
