import type { AnyRoute } from '@switchyard/service/api';
import { type EvmChartPoint, evm, evmChartPoint } from '../../contract/evm.ts';
import { answer } from '../../http/answer.ts';
import { blockTime } from '../../http/charts.ts';
import { HeldAnswers } from '../../http/held-answers.ts';
import { view } from '../../http/view.ts';
import { type EvmContext, type EvmRollup, evmRollup } from './context.ts';

const MAX_HELD = 64;

const POINTS = view(evmChartPoint, 's', { block: 's.number', firstTime: 's.first_time', baseFee: 'e.base_fee' });

/** Gas, base fee, transactions and block time of the newest blocks. */
export function evmChartRoute(context: EvmContext): AnyRoute {
  // Each reads up to 10,000 rows, and every open page asks for the same ones.
  const held = new HeldAnswers<EvmChartPoint[]>(MAX_HELD);
  return answer(evm.getEvmCharts, async ({ path, query }) => {
    const rollup = evmRollup(context, path.rollup);
    const question = `${rollup.key} ${query.points} ${query.blocks}`;
    return { points: await held.get(question, rollup.indexedHash, () => getPoints(context, rollup, query)) };
  });
}

async function getPoints(
  { store }: EvmContext,
  { key, indexed }: EvmRollup,
  { points, blocks }: { readonly points: number; readonly blocks: number },
): Promise<EvmChartPoint[]> {
  const size = Math.ceil(blocks / points);
  // Points begin at multiples of their size, so that they do not change while blocks come.
  const first = Math.max(0, Math.floor(indexed / size) - points + 1) * size;
  const rows = await store.read(
    `SELECT ${POINTS.select} FROM (
       SELECT number / ${size} AS point, COUNT(*) AS blocks, MAX(number) AS number, MIN(time) AS first_time, MAX(time) AS time,
       CAST(SUM(transactions) AS BIGINT) AS transactions, CAST(SUM(gas_used) AS BIGINT) AS gas_used,
       CAST(SUM(gas_limit) AS BIGINT) AS gas_limit FROM evm_blocks WHERE rollup = ? AND number >= ? GROUP BY 1
     ) s JOIN evm_blocks e ON e.rollup = ? AND e.number = s.number ORDER BY s.number`,
    [key, first, key],
  );
  return rows.map((row, at) => POINTS.json(row, { blockTimeMs: blockTime(row, rows[at - 1]) }));
}
