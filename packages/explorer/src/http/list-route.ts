import { type AnyRoute, route, type schema } from '@switchyard/service/api';
import type { IndexStore, Row, Statement } from '../store/store.ts';
import { type KeyPage, keyPage } from './keyset.ts';
import { pageQuery, pageSchema } from './schemas.ts';

export type Members = Readonly<Record<string, schema.Schema<unknown>>>;

export interface ListRoute<P extends Members, T> {
  readonly url: string;
  readonly id: string;
  readonly tag: string;
  readonly summary: string;
  readonly description?: string;
  readonly path?: P;
  /** Of the answer's component. */
  readonly name: string;
  readonly item: schema.Schema<T>;
  /** What it is ordered by; newest or greatest first, unless `direction` is `ASC`. */
  readonly by: Parameters<typeof keyPage>[1];
  readonly direction?: 'ASC' | 'DESC';
  readonly errors?: Readonly<Record<number, string>>;
  sql(page: KeyPage, path: schema.ObjectOf<P>): Omit<Statement, 'changes'>;
  /** @param rows Those of the page. */
  show(rows: readonly Row[], path: schema.ObjectOf<P>, isFirst: boolean): readonly T[] | Promise<readonly T[]>;
}

/** A list of the index in pages. */
export function listRoute<const P extends Members, T>(
  store: Pick<IndexStore, 'read'>,
  { url, id, tag, summary, description, path, name, item, by, direction, errors, sql: select, show }: ListRoute<P, T>,
): AnyRoute {
  return route({
    method: 'get',
    url,
    id,
    tag,
    summary,
    ...(description !== undefined && { description }),
    ...(path !== undefined && { path }),
    query: pageQuery,
    answers: { 200: pageSchema(item, name) },
    errors: { 503: 'The index does not answer', ...errors },
    async handle({ path: members, query }) {
      const given = members as schema.ObjectOf<P>;
      const page = keyPage(query, by, direction);
      const { sql, params } = select(page, given);
      const { items: rows, next } = page.of(await store.read(sql, params), (row) => row);
      return { status: 200, body: { items: await show(rows, given, query.cursor === undefined), next } };
    },
  });
}
