import { HttpError } from '@switchyard/service';
import { type AnyRoute, route, schema } from '@switchyard/service/api';
import { parseInput } from '@switchyard/service/input';
import { namesOf } from '../app/asset-names.ts';
import { parameter } from '../app/http/parameters.ts';
import type { RollupNode } from '../app/node.ts';
import type { AnyRollup } from './definition.ts';
import type { KeyTypes } from './keys.ts';
import type { AnyTable } from './table.ts';

const rows = schema.record('TableRows', {
  block: schema.u64('Block after which these are the rows'),
  rows: schema.list(
    schema.record('TableRow', {
      key: schema.list(schema.json('A part of the key')),
      value: schema.json('The row'),
    }),
  ),
  next: schema.nullable(schema.text('`after` of the page that follows')),
});

/** Rows of any table of a definition, in pages. */
export function tableRoute({ tables = [] }: AnyRollup, node: RollupNode): AnyRoute {
  const byName = new Map((tables as readonly AnyTable[]).map((table) => [table.name, table]));
  return route({
    method: 'get',
    url: '/v1/tables/{table}',
    id: 'listRows',
    tag: 'Definition',
    summary: 'Rows of a table, in the order of their keys or of an index',
    description: 'A page of large rows has fewer than were asked for',
    path: { table: schema.text('Its name') },
    query: {
      index: schema.optional(schema.text('One of the table, in whose order the rows come')),
      prefix: schema.optional(
        schema.text('First parts of the keys of the table, or of the index, as a JSON list', { examples: ['["bob"]'] }),
      ),
      after: schema.optional(schema.text('`next` of the page before')),
      limit: schema.optional(schema.integer('Rows of the page', { min: 1, max: 200 }), 50),
    },
    answers: { 200: rows },
    errors: { 404: 'There is no such table' },
    handle({ path, query: { index, prefix, after, limit = 50 } }) {
      const table = byName.get(path.table);
      if (table === undefined) {
        const known = byName.size === 0 ? 'it has none' : `it has ${[...byName.keys()].join(', ')}`;
        throw new HttpError(
          404,
          'not-found',
          `this rollup has no table ${JSON.stringify(path.table.slice(0, 64))}: ${known}`,
        );
      }
      return {
        status: 200,
        body: {
          block: node.view.soft,
          ...pageOf(table, node, { index, first: partsOf(table, index, prefix), after, limit }),
        },
      };
    },
  });
}

/** @throws {HttpError} 400 for an index that the table has not, and for parts that its keys have not. */
function partsOf(table: AnyTable, index: string | undefined, prefix: string | undefined): readonly unknown[] {
  const { name, indexes } = table;
  const orders = new Map(Object.entries(indexes).map(([each, { key }]) => [each, key as KeyTypes]));
  const types =
    index === undefined
      ? table.key
      : parameter('index', index, (input) => {
          const known = orders.size === 0 ? 'no index' : `one of ${[...orders.keys()].join(', ')}`;
          return orders.get(index) ?? input.fail(`${known}, which table ${name} has`);
        });
  if (prefix === undefined) return [];
  const read = () =>
    parseInput(prefix, 'prefix')
      .list(types.length)
      .map((part, at) => types[at]?.json(part));
  return parameter('prefix', prefix, read);
}

/** A page of rows as JSON. */
export function pageOf(table: AnyTable, { view }: RollupNode, of: Parameters<AnyTable['page']>[1]) {
  const limit = Math.min(of.limit, table.maxPageRows);
  const found = [...table.page(view.snapshot, { ...of, limit: limit + 1 })];
  const page = found.slice(0, limit);
  const nameOf = namesOf(view.snapshot);
  const shown = page.map(({ key, value }) => ({
    key: key.map((part, at) => table.key[at]?.toJson(part, nameOf)),
    value: table.value.toJson(value, nameOf),
  }));
  return { rows: shown, next: found.length > limit ? (page.at(-1)?.cursor ?? null) : null };
}
