import { HttpError } from '@switchyard/service';
import { type AnyRoute, schema } from '@switchyard/service/api';
import { InvalidData, parseInput } from '@switchyard/service/input';
import type { RollupDefinition } from '../definition.ts';
import { addressParameter } from '../http/schemas.ts';
import type { RollupNode } from '../node.ts';
import { type Asked, changes, from, index, limit, newest } from './live-contract.ts';
import { CURSOR, placeAt, toCursor } from './part.ts';
import { ALONE, type Following, NOTHING, type PartReader } from './parts.ts';
import { streamRoute } from './stream-route.ts';
import { toPart } from './to-part.ts';

/** Streams of one part each: for programs that follow no more, and for people with `curl`. */
export function partRoutes(node: RollupNode, definition: RollupDefinition, reader: PartReader): readonly AnyRoute[] {
  const source = {
    description:
      'Events `changes` with the messages of `/v1/live`; those behind which the part is whole have a cursor as id',
    ids: CURSOR,
    events: changes.json,
    getKey: (place: Following) => reader.getKey(place),
    read(place: Following) {
      const found = reader.read(place);
      if (found === undefined) return undefined;
      const { soft, block } = node.view;
      const id = found.isWhole ? `id: ${toCursor(soft, block.hash)}\n` : '';
      return { frames: `${id}event: changes\ndata: ${found.text}\n\n`, next: found.next };
    },
  };
  const alone = (cursor: string | undefined, asked: Asked): Following => {
    const part = toPart(definition, asked);
    return { ...NOTHING, parts: new Map([[ALONE, { part, place: placeAt(part, node.view, cursor) }]]) };
  };
  return [
    streamRoute(node, {
      ...source,
      url: '/v1/tables/{table}/stream',
      id: 'streamRows',
      summary:
        'Rows of a table, and then the rows that each block changes; of a log the newest entries, and then each other one',
      path: { table: schema.text('Its name') },
      errors: { 404: 'There is no such table' },
      query: {
        index: schema.optional(index),
        prefix: schema.optional(schema.text('First parts of the keys, as a JSON list', { examples: ['["bob"]'] })),
        limit: schema.optional(limit),
        newest: schema.optional(newest),
        from: schema.optional(from),
      },
      from(lastId, { prefix, ...query }, { table }) {
        try {
          const prefixInput = prefix === undefined ? undefined : parseInput(prefix, 'prefix');
          return alone(lastId ?? query.from, { kind: 'rows', id: ALONE, ...query, table, prefix, prefixInput });
        } catch (error) {
          throw error instanceof InvalidData ? new HttpError(400, 'malformed', error.message) : error;
        }
      },
    }),
    streamRoute(node, {
      ...source,
      url: '/v1/streams/receipts',
      id: 'streamReceipts',
      summary: 'Outcomes of the transactions that an account has signed, once executed or refused',
      query: { account: addressParameter, from: schema.optional(from) },
      from: (lastId, query) =>
        alone(lastId ?? query.from, { kind: 'receipts', id: ALONE, receipts: query.account, from: query.from }),
    }),
  ];
}
