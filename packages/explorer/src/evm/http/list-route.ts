import type { AnyRoute, schema } from '@switchyard/service/api';
import type { KeyPage } from '../../http/keyset.ts';
import { type ListRoute, listRoute as listOf, type Members } from '../../http/list-route.ts';
import type { IndexStore, Row, Statement } from '../../store/store.ts';
import { type EvmContext, type EvmRollup, evmRollup } from './context.ts';
import { rollupParameter, TAG } from './schemas.ts';

interface EvmListRoute<P extends Members, T> extends Omit<ListRoute<P, T>, 'tag' | 'errors' | 'sql' | 'show'> {
  /** Below `/v1/rollups/{rollup}/evm`. */
  readonly url: string;
  /** Where the rows are, if not in the index. */
  readonly store?: Pick<IndexStore, 'read'>;
  sql(rollup: EvmRollup, page: KeyPage, path: schema.ObjectOf<P>): Omit<Statement, 'changes'>;
  /** @param rows Those of the page. */
  show(rows: readonly Row[], rollup: EvmRollup, path: schema.ObjectOf<P>): readonly T[] | Promise<readonly T[]>;
}

/** A list of an EVM rollup in pages. */
export function listRoute<const P extends Members, T>(
  context: EvmContext,
  { store = context.store, url, path, sql, show, ...list }: EvmListRoute<P, T>,
): AnyRoute {
  const members = { rollup: rollupParameter, ...path };
  type Given = schema.ObjectOf<P> & { readonly rollup: string };
  return listOf<Members, T>(store, {
    ...list,
    url: `/v1/rollups/{rollup}/evm${url}`,
    tag: TAG,
    path: members,
    errors: { 404: 'No such EVM rollup is followed', 503: 'It has not answered yet, or the index does not' },
    sql: (page, given) => sql(evmRollup(context, (given as Given).rollup), page, given as Given),
    show: (rows, given) => show(rows, evmRollup(context, (given as Given).rollup), given as Given),
  });
}
