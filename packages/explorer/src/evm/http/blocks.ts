import { type AnyRoute, route, schema } from '@switchyard/service/api';
import { numberOrNull } from '../../http/cells.ts';
import { notFound } from '../../http/problems.ts';
import { blockParameter } from '../../http/schemas.ts';
import { type EvmContext, evmRollup } from './context.ts';
import { methodsOf } from './decoding.ts';
import { listRoute } from './list-route.ts';
import { rollupParameter, TAG } from './schemas.ts';
import {
  BLOCK_COLUMNS,
  BLOCKS,
  blockJson,
  blockSchema,
  TRANSACTION_COLUMNS,
  TRANSACTIONS,
  text,
  transactionJson,
  transactionSchema,
} from './shown.ts';

/** Blocks of EVM rollups, and what is in them. */
export function evmBlockRoutes(context: EvmContext): readonly AnyRoute[] {
  const list = listRoute(context, {
    url: '/blocks',
    id: 'listEvmBlocks',
    summary: 'Blocks, newest first',
    name: 'EvmBlockPage',
    item: blockSchema,
    by: { 'e.number': 'number' },
    sql: ({ key }, page) => ({
      sql: `SELECT ${BLOCK_COLUMNS} FROM ${BLOCKS} WHERE e.rollup = ? AND ${page.sql} ${page.order}`,
      params: [key, ...page.params],
    }),
    async show(rows, rollup) {
      const heights = rows.map((row) => numberOrNull(row.height));
      const places = await context.layer.of(heights);
      return rows.map((row, at) => blockJson(row, rollup, places.get(heights[at] ?? 0)));
    },
  });

  const one = route({
    method: 'get',
    url: '/v1/rollups/{rollup}/evm/blocks/{block}',
    id: 'getEvmBlock',
    tag: TAG,
    summary: 'One block, by number or hash',
    path: { rollup: rollupParameter, block: blockParameter },
    answers: { 200: blockSchema },
    errors: { 404: 'No such block in the index' },
    async handle({ path }) {
      const rollup = evmRollup(context, path.rollup);
      const [column, value] = typeof path.block === 'number' ? ['number', path.block] : ['hash', path.block];
      const [row] = await context.store.read(
        `SELECT ${BLOCK_COLUMNS} FROM ${BLOCKS} WHERE e.rollup = ? AND e.${column} = ?`,
        [rollup.key, value],
      );
      if (row === undefined) throw notFound(`no block ${path.block} in the index, which is at ${rollup.indexed}`);
      const height = numberOrNull(row.height);
      const places = await context.layer.of([height]);
      const body = blockJson(row, rollup, places.get(height ?? 0));
      // Nothing else of it changes once the index has its sequencer block.
      const etag = [text(row.hash), body.isFirm, body.layer?.height, body.layer?.at].join(' ');
      return { status: 200, body, ...(height !== null && { etag }) };
    },
  });

  const within = listRoute(context, {
    url: '/blocks/{block}/transactions',
    id: 'listEvmBlockTransactions',
    summary: 'Transactions of a block, in its order',
    path: { block: schema.integer('Number of the block') },
    name: 'EvmTransactionPage',
    item: transactionSchema,
    by: { 't.position': 'number' },
    direction: 'ASC',
    sql: ({ key }, page, { block }) => ({
      sql: `SELECT ${TRANSACTION_COLUMNS} FROM ${TRANSACTIONS} WHERE t.rollup = ? AND t.number = ? AND ${page.sql} ${page.order}`,
      params: [key, block, ...page.params],
    }),
    async show(rows, rollup) {
      const method = await methodsOf(context, rollup, rows);
      return rows.map((row) => transactionJson(row, method(row)));
    },
  });
  return [list, one, within];
}
