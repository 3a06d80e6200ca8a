import { HttpError } from '@switchyard/service';
import { type AnyRoute, route, schema } from '@switchyard/service/api';
import { parseInput } from '@switchyard/service/input';
import { getNames } from '../app/asset-names.ts';
import { parameter, queryWords } from '../app/http/parameters.ts';
import type { RollupNode } from '../app/node.ts';
import type { AnyRollup } from './definition.ts';
import { cursorOf } from './log.ts';
import { type AnyLog, findEntries, isLog, type Wanted } from './log-search.ts';
import { SEARCH, wordKeys } from './search.ts';
import { firstParts, keyTypes } from './selections.ts';
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
    description:
      'A page of large rows has fewer than requested, and one of a search may have: the last one has no `next`',
    path: { table: schema.text('Its name') },
    query: {
      index: schema.optional(schema.text('One of the table, in whose order the rows come')),
      prefix: schema.optional(
        schema.text('First parts of the keys of the table, or of the index, as a JSON list', { examples: ['["bob"]'] }),
      ),
      q: schema.optional(
        schema.text('Only rows with all of these words in the texts that the table searches', { minLength: 1 }),
      ),
      after: schema.optional(schema.text('`next` of the page before')),
      reverse: schema.optional(schema.words('Last rows first: of a log the newest ones', 'true', 'false')),
      limit: schema.optional(schema.integer('Rows of the page', { min: 1, max: 200 }), 50),
    },
    answers: { 200: rows },
    errors: { 404: 'There is no such table' },
    async handle({ path, query: { after, limit = 50, reverse, ...wanted } }) {
      const table = byName.get(path.table);
      if (table === undefined) {
        const known = byName.size === 0 ? 'it has none' : `it has ${[...byName.keys()].join(', ')}`;
        throw new HttpError(
          404,
          'not-found',
          `this rollup has no table ${JSON.stringify(path.table.slice(0, 64))}: ${known}`,
        );
      }
      const place = { ...toPlace(table, wanted), after, limit, reverse: reverse === 'true' };
      const page =
        isLog(table) && place.by !== undefined ? await findPage(table, node, place) : toPage(table, node, place);
      return { status: 200, body: { block: node.view.soft, ...page } };
    },
  });
}

interface Asked {
  readonly index?: string | undefined;
  readonly prefix?: string | undefined;
  readonly q?: string | undefined;
}

/** @throws {HttpError} 400 for an index or a search that the table has not, and for parts that its keys have not. */
function toPlace(table: AnyTable, { index, prefix, q }: Asked) {
  if (q !== undefined) {
    if (table.search.length === 0) throw new HttpError(400, 'malformed', `q: table ${table.name} has no search`);
    if (index !== undefined || prefix !== undefined)
      throw new HttpError(400, 'malformed', 'q: expected neither index nor prefix with it');
    const words = queryWords(q);
    if (isLog(table)) return { words, by: {} };
    const [first = [], ...also] = wordKeys(words);
    return { index: SEARCH, first, also };
  }
  const types = keyTypes(table, index);
  if (prefix === undefined && (index === undefined || !isLog(table))) return { index };
  const first = parameter('prefix', prefix, () => firstParts(types, parseInput(prefix ?? '[]', 'prefix')));
  if (!isLog(table) || index === undefined) return { index, first };
  if (first.length === 1) return { words: [], by: { [index]: first[0] } };
  throw new HttpError(400, 'malformed', `prefix: expected one value of ${index}`);
}

interface LogPage extends Omit<Wanted, 'before' | 'after'> {
  readonly after: string | undefined;
  readonly reverse: boolean;
}

/** Entries of a log by words or a term. */
async function findPage(log: AnyLog, node: RollupNode, { after, reverse, limit, ...wanted }: LogPage) {
  const cursor = cursorOf(after);
  const { items, older, newer } = await findEntries(node, log, {
    ...wanted,
    limit: Math.min(limit, log.maxPageRows),
    ...(reverse ? { before: cursor } : { after: cursor ?? -1n }),
  });
  const { snapshot } = node.view;
  const getName = getNames(snapshot);
  const rows = items.map((entry) => ({ key: [String(entry.id)], value: log.value.toJson(entry, getName) }));
  const next = reverse ? older : newer + 1n < log.count(snapshot) ? newer : null;
  return { rows: reverse ? rows : rows.reverse(), next: next === null ? null : String(next) };
}

/** Entries of a search that a page looks at. */
const MOST_ENTRIES = 2_000;

/** A page of rows as JSON. */
export function toPage(table: AnyTable, { view }: RollupNode, item: Parameters<AnyTable['page']>[1]) {
  const limit = Math.min(item.limit, table.maxPageRows);
  const most = item.also === undefined ? limit : MOST_ENTRIES;
  const getName = getNames(view.snapshot);
  const rows: { readonly key: readonly unknown[]; readonly value: unknown }[] = [];
  let [looked, last] = [0, ''];
  for (const { key, value, cursor } of table.page(view.snapshot, { ...item, limit: most + 1 })) {
    if (rows.length === limit || looked === most) return { rows, next: last };
    [looked, last] = [looked + 1, cursor];
    const parts = key.map((part, at) => table.key[at]?.toJson(part, getName));
    if (value !== undefined) rows.push({ key: parts, value: table.value.toJson(value, getName) });
  }
  return { rows, next: null };
}
