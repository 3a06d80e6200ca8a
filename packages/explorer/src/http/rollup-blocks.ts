import type { RollupId } from '@switchyard/protocol';
import { type AnyRoute, route, schema } from '@switchyard/service/api';
import type { Row } from '../store/store.ts';
import { number, numberOrNull, text } from './cells.ts';
import { type ApiContext, followed, isFirm } from './context.ts';
import { listRoute } from './list-route.ts';
import { notFound } from './problems.ts';
import { rollupErrors, rollupOf, TAG } from './rollups.ts';
import * as form from './schemas.ts';
import {
  type Finality,
  ROLLUP_BLOCK_COLUMNS,
  ROLLUP_BLOCKS,
  rollupBlockJson,
  rollupBlockMembers,
  rollupBlockSchema,
} from './shown.ts';

const fullBlockSchema = schema.object(
  {
    ...rollupBlockMembers,
    refusals: schema.list(
      schema.object(
        {
          position: schema.integer('Of the transaction in the block'),
          hash: form.hash('Of the transaction'),
          code: schema.integer('Number of the reason'),
          reason: schema.text('Why it was refused'),
        },
        { name: 'RollupRefusal' },
      ),
    ),
  },
  { name: 'FullRollupBlock' },
);

async function finalityOf(context: ApiContext, id: RollupId, rows: readonly Row[]): Promise<(row: Row) => Finality> {
  const firm = followed(context, id)?.state().head?.firm;
  const places = await context.layer.of(rows.map((row) => numberOrNull(row.height)));
  return (row) => ({
    isFirm: isFirm(firm, number(row.number)),
    layer: places.get(numberOrNull(row.height) ?? 0) ?? null,
  });
}

/** Blocks of rollups of the framework that are followed. */
export function rollupBlockRoutes(context: ApiContext): readonly AnyRoute[] {
  const { store } = context;
  const list = listRoute(store, {
    url: '/v1/rollups/{rollup}/blocks',
    id: 'listRollupBlocks',
    tag: TAG,
    summary: 'Blocks of a rollup, newest first',
    path: { rollup: form.rollupParameter },
    name: 'RollupBlockPage',
    item: rollupBlockSchema,
    by: { 'r.number': 'number' },
    errors: rollupErrors,
    sql: (page, { rollup }) => ({
      sql: `SELECT ${ROLLUP_BLOCK_COLUMNS} FROM ${ROLLUP_BLOCKS} WHERE r.rollup = ? AND ${page.sql} ${page.order}`,
      params: [rollupOf(context, rollup), ...page.params],
    }),
    async show(rows, { rollup }) {
      const finality = await finalityOf(context, rollupOf(context, rollup), rows);
      return rows.map((row) => rollupBlockJson(row, finality(row)));
    },
  });
  const one = route({
    method: 'get',
    url: '/v1/rollups/{rollup}/blocks/{number}',
    id: 'getRollupBlock',
    tag: TAG,
    summary: 'One block of a rollup, with the first 1,000 refusals in it',
    path: { rollup: form.rollupParameter, number: schema.integer('Of the block') },
    answers: { 200: fullBlockSchema },
    errors: { 404: 'No such block in the index', 503: 'The index does not answer' },
    async handle({ path: { rollup, number: at } }) {
      const key = [rollupOf(context, rollup), at];
      const [row] = await store.read(
        `SELECT ${ROLLUP_BLOCK_COLUMNS} FROM ${ROLLUP_BLOCKS} WHERE r.rollup = ? AND r.number = ?`,
        key,
      );
      if (row === undefined) throw notFound(`no block ${at} of this rollup in the index`);
      const refusals = await store.read(
        'SELECT position, hash, code, reason FROM refusals WHERE rollup = ? AND number = ? ORDER BY position LIMIT 1000',
        key,
      );
      const shown = refusals.map(({ position, hash, code, reason }) => ({
        position: number(position),
        hash: text(hash),
        code: number(code),
        reason: text(reason),
      }));
      const finality = await finalityOf(context, rollupOf(context, rollup), [row]);
      return { status: 200, body: { ...rollupBlockJson(row, finality(row)), refusals: shown } };
    },
  });
  return [list, one];
}
