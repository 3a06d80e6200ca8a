import { type AnyRoute, type schema, serve } from '@switchyard/service/api';
import type { List } from '../contract/routes.ts';
import type { IndexStore, Row, Value } from '../store/store.ts';
import { type KeyPart, keyPage } from './keyset.ts';
import type { Computed, Naming, View } from './view.ts';

type Members = schema.Members;

/** A condition and its parameters. */
export type Condition = readonly [sql: string, ...params: readonly Value[]];

interface ListOptions<P extends Members, M extends Members> {
  readonly view: View<M>;
  /** Tables, if they are not those of the view. */
  readonly from?: string;
  /** Columns that give the order; newest or greatest first, unless `direction` is `ASC`. Together they are unique. */
  readonly by: Readonly<Record<string, KeyPart>>;
  readonly direction?: 'ASC' | 'DESC';
  /** Condition of the rows; of several, one has to hold, and each has an index that ends with the order. */
  where?(path: schema.ObjectOf<P>): Condition | readonly Condition[];
  /** Members that no column has. @param rows Those of the page. */
  compute?(rows: readonly Row[], path: schema.ObjectOf<P>): Computing<M> | Promise<Computing<M>>;
  /** Rows that the first page has besides. */
  more?(): Promise<readonly Row[]>;
}

type Computing<M extends Members> = (row: Row) => Computed<M>;
/** A record that has more than columns needs them computed. */
type Needs<P extends Members, M extends Members> = keyof Computed<M> extends never
  ? unknown
  : Pick<Required<ListOptions<P, M>>, 'compute'>;

interface ListContext extends Partial<Naming> {
  readonly store: Pick<IndexStore, 'read'>;
}

/** A list of the index in pages. */
export function listRoute<P extends Members, M extends Members>(
  { store, address, rollups }: ListContext,
  contract: List<P, schema.ObjectOf<M>>,
  { view, from = view.from, by, direction = 'DESC', where, compute, more }: ListOptions<P, M> & Needs<P, M>,
): AnyRoute {
  const naming = address === undefined || rollups === undefined ? undefined : { address, rollups };
  return serve(contract, async ({ path, query }) => {
    const page = keyPage(query, by, direction);
    const given = where?.(path) ?? ['1 = 1'];
    const conditions = (isOne(given) ? [given] : given).map(([sql, ...params]) => ({ sql, params }));
    const select = `SELECT ${view.select}, ${page.keys} FROM ${from}`;
    const parts = conditions.map(({ sql }) => `${select} WHERE ${sql} AND ${page.sql} ${page.order}`);
    const [one = ''] = parts;
    const sql =
      parts.length === 1
        ? one
        : `${parts.map((part) => `SELECT * FROM (${part}) AS part`).join(' UNION ')} ${page.outerOrder}`;
    const params = conditions.flatMap((each) => [...each.params, ...page.params]);
    const { rows, next } = page.of(await store.read(sql, params));
    const all = query.cursor === undefined && more !== undefined ? [...rows, ...(await more())] : rows;
    const computed = await compute?.(all, path);
    // Without anything to compute there is nothing to give.
    const items = all.map((row) => view.json(row, computed?.(row) ?? ({} as Computed<M>), naming));
    return { status: 200, body: { items, next } };
  });
}

const isOne = (given: Condition | readonly Condition[]): given is Condition => typeof given[0] === 'string';
