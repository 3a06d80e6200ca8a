import { type AnyRoute, route, schema } from '@switchyard/service/api';
import { HeldAnswers } from '../../http/held-answers.ts';
import type { Row } from '../../store/store.ts';
import { type EvmContext, type EvmRollup, evmRollup } from './context.ts';
import * as form from './schemas.ts';
import { number, text, time } from './shown.ts';

const MAX_POINTS = 200;
const MAX_BLOCKS = 10_000;
const MAX_HELD = 64;

const pointSchema = schema.object(
  {
    block: schema.integer('The newest block of the point'),
    blocks: schema.integer('Blocks of the point'),
    time: form.time,
    transactions: schema.integer('Transactions in them'),
    gasUsed: schema.integer('Gas of these'),
    gasLimit: schema.integer('Gas that the blocks may have'),
    baseFee: form.amount('Wei for each unit of gas in the newest block'),
    blockTimeMs: schema.nullable(schema.integer('Average time from block to block; null for the first one')),
  },
  { name: 'EvmChartPoint' },
);

/** Gas, base fee, transactions and block time of the newest blocks. */
export function evmChartRoute(context: EvmContext): AnyRoute {
  // Each reads up to MAX_BLOCKS rows, and every open page asks for the same ones.
  const held = new HeldAnswers<schema.TypeOf<typeof pointSchema>[]>(MAX_HELD);
  return route({
    method: 'get',
    url: '/v1/rollups/{rollup}/evm/charts',
    id: 'getEvmCharts',
    tag: form.TAG,
    summary: 'Gas, base fee, transactions and block time of the newest blocks, oldest first',
    path: { rollup: form.rollupParameter },
    query: {
      points: schema.optional(schema.integer('Points, at most', { min: 1, max: MAX_POINTS }), 100),
      blocks: schema.optional(schema.integer('How many of the newest blocks', { min: 1, max: MAX_BLOCKS }), 1_000),
    },
    answers: { 200: schema.object({ points: schema.list(pointSchema) }, { name: 'EvmCharts' }) },
    errors: { 404: 'No such EVM rollup is followed' },
    async handle({ path, query }) {
      const rollup = evmRollup(context, path.rollup);
      const question = `${rollup.key} ${query.points} ${query.blocks}`;
      const points = await held.get(question, rollup.indexedHash, () => pointsOf(context, rollup, query));
      return { status: 200, body: { points } };
    },
  });
}

async function pointsOf(
  { store }: EvmContext,
  { key, indexed }: EvmRollup,
  { points, blocks }: { readonly points: number; readonly blocks: number },
) {
  const size = Math.ceil(blocks / points);
  // Points begin at multiples of their size, so that they do not change while blocks come.
  const first = Math.max(0, Math.floor(indexed / size) - points + 1) * size;
  const rows = await store.read(
    `SELECT s.*, e.base_fee FROM (
       SELECT number / ${size} AS point, COUNT(*) AS blocks, MAX(number) AS number, MIN(time) AS first_time, MAX(time) AS time,
       CAST(SUM(transactions) AS BIGINT) AS transactions, CAST(SUM(gas_used) AS BIGINT) AS gas_used,
       CAST(SUM(gas_limit) AS BIGINT) AS gas_limit FROM evm_blocks WHERE rollup = ? AND number >= ? GROUP BY 1
     ) s JOIN evm_blocks e ON e.rollup = ? AND e.number = s.number ORDER BY s.number`,
    [key, first, key],
  );
  return rows.map((row, at) => pointJson(row, rows[at - 1]));
}

function pointJson(row: Row, before: Row | undefined): schema.TypeOf<typeof pointSchema> {
  const blocks = number(row.blocks);
  const intervals = before === undefined ? blocks - 1 : blocks;
  const span = number(row.time) - number(before?.time ?? row.first_time);
  return {
    block: number(row.number),
    blocks,
    time: time(row.time),
    transactions: number(row.transactions),
    gasUsed: number(row.gas_used),
    gasLimit: number(row.gas_limit),
    baseFee: text(row.base_fee),
    blockTimeMs: intervals === 0 ? null : Math.round(span / intervals),
  };
}
