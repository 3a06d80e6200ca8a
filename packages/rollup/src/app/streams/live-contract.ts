import { schema } from '@switchyard/service/api';
import type { Input } from '@switchyard/service/input';
import { addressParameter } from '../http/schemas.ts';
import { CURSOR } from './part.ts';

/* Parts that clients ask for over `/v1/live` and in streams of one part, and the messages about them. */

export const MOST_ROWS = 10_000;
const MOST_NEWEST = 1_000;

export const from = schema.matching(
  { description: 'A `cursor`: only what changed behind it. Without it the rows come first', pattern: `^${CURSOR}$` },
  'a cursor of this stream, such as 17-0123456789abcdef',
  (text) => text,
);
export const limit = schema.integer(
  `Rows at most, ${MOST_ROWS} if it is absent; a table with more ends with \`isCut\``,
  {
    min: 1,
    max: MOST_ROWS,
  },
);
export const newest = schema.integer('For a log: entries that come first, of which it has at most this many', {
  min: 1,
  max: MOST_NEWEST,
});
export const index = schema.text('An index of the table, in whose order the rows come');

const common = {
  id: schema.integer('The number that the client gives the part', { max: 2 ** 31 - 1 }),
  from: schema.optional(from),
};
const rows = schema.object({
  ...common,
  table: schema.text('Name of a table of the definition, `nonces` or `balances`; or its prefix in the state'),
  index: schema.optional(index),
  prefix: schema.optional(schema.json('First parts of the keys of the table, or of the index')),
  limit: schema.optional(limit),
  newest: schema.optional(newest),
});
const receipts = schema.object({ ...common, receipts: addressParameter });
const events = schema.object({
  ...common,
  events: schema.flag('true'),
  account: schema.optional(addressParameter),
  kinds: schema.optional(schema.list(schema.text('A kind of events'), { maxItems: 64 })),
});

const parts = schema.object({
  id: schema.optional(schema.integer('The number of the part; absent in a stream of one')),
  again: schema.optional(schema.text('Why the client has to forget its rows of the part: all of them follow')),
  rows: schema.optional(
    schema.list(schema.object({ key: schema.list(schema.json('A part of the key')), value: schema.json('The row') })),
  ),
  removed: schema.optional(schema.list(schema.list(schema.json('A part of the key of a row that is gone')))),
  receipts: schema.optional(
    schema.list(schema.json('Hash, block, index and code; reason and refusal, unless the code is 0')),
  ),
  events: schema.optional(schema.list(schema.json('Block, transaction, index, position and the event'))),
  isWhole: schema.flag('Whether the client has everything up to the block'),
  isCut: schema.optional(schema.flag('The table has more rows than the limit; the part has ended')),
});

/** All parts that have something new after a block. */
export const changes = schema.record('Changes', {
  block: schema.text('Number of the newest block'),
  hash: schema.text('Its hash'),
  time: schema.object({ seconds: schema.text('Since 1970'), nanos: schema.integer('Nanoseconds of the second') }),
  firm: schema.text('Number of the newest final block'),
  cursor: schema.text('`from` of parts that are whole'),
  parts: schema.list(parts),
});

function call(method: string, ...params: readonly schema.Schema<unknown>[]) {
  const version = schema.words('The version of JSON-RPC', '2.0');
  return schema.object({
    jsonrpc: version,
    method: schema.words('The method', method),
    params: schema.oneOf(...params),
  });
}

/** `/v1/live` for its document. */
export const liveChannel = {
  address: '/v1/live',
  summary: 'JSON-RPC 2.0 over a WebSocket, which follows several parts',
  description:
    'Requests have an `id` and are answered. Behind each notification, all whole parts are those after its block',
  requests: {
    live_follow: call(
      'live_follow',
      schema.list(schema.oneOf<readonly schema.Schema<unknown>[]>(rows, receipts, events)),
    ),
    live_drop: call('live_drop', schema.list(common.id)),
  },
  notifications: { live: call('live', changes) },
};

export type Asked =
  | ({ readonly kind: 'rows'; readonly prefixInput: Input | undefined } & schema.TypeOf<typeof rows>)
  | ({ readonly kind: 'receipts' } & schema.TypeOf<typeof receipts>)
  | ({ readonly kind: 'events' } & schema.TypeOf<typeof events>);

/** @throws {InvalidData} naming the wrong member. */
export function askedPart(params: Input): Asked {
  const input = only(params);
  const has = (name: string): boolean => Object.hasOwn(input.object(), name);
  if (has('receipts')) return { kind: 'receipts', ...receipts.read(input) };
  if (has('events')) return { kind: 'events', ...events.read(input) };
  return { kind: 'rows', prefixInput: has('prefix') ? input.at('prefix') : undefined, ...rows.read(input) };
}

/** @throws {InvalidData} */
export const dropped = (params: Input): number => common.id.read(only(params));

function only(params: Input): Input {
  const [first, ...others] = params.list(2);
  return first !== undefined && others.length === 0 ? first : params.fail('a list with one member');
}
