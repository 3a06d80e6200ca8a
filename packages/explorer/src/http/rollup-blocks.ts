import type { AnyRoute } from '@switchyard/service/api';
import { fullRollupBlock, refusal, rollupBlock, rollups } from '../contract/rollups.ts';
import { sameHash } from '../store/statements.ts';
import type { Row } from '../store/store.ts';
import { answer } from './answer.ts';
import { number, numberOrNull } from './cells.ts';
import { type ApiContext, followed, isFirm } from './context.ts';
import { listRoute } from './list-route.ts';
import { notFound } from './problems.ts';
import { getRollup } from './rollups.ts';
import { findSubmissions, SUBMISSIONS, toOutcome } from './submissions.ts';
import { type ComputedOf, readRows, view } from './view.ts';

const TABLES = `rollup_blocks r LEFT JOIN blocks b ON ${sameHash('b.hash', 'r.sequencer_hash')}`;
const COLUMNS = { sequencerHeight: 'b.height', sequencerBlockHash: 'r.sequencer_hash' };
const BLOCKS = view(rollupBlock, TABLES, COLUMNS);
const FULL_BLOCKS = view(fullRollupBlock, TABLES, COLUMNS);
const REFUSALS = view(refusal, 'refusals f');

/** Blocks of rollups of the framework that are followed. */
export function rollupBlockRoutes(context: ApiContext): readonly AnyRoute[] {
  const { store } = context;
  const finality = async (rollup: string, rows: readonly Row[]): Promise<ComputedOf<typeof rollupBlock>> => {
    const firm = followed(context, getRollup(context, rollup))?.state().head?.firm;
    const places = await context.layer.of(rows.map(({ sequencerHeight = null }) => numberOrNull(sequencerHeight)));
    return ({ number: block, sequencerHeight }) => ({
      isFirm: isFirm(firm, number(block)),
      layer: places.get(number(sequencerHeight)) ?? null,
    });
  };
  const all = listRoute(context, rollups.listRollupBlocks, {
    view: BLOCKS,
    by: { 'r.number': 'number' },
    where: ({ rollup }) => ['r.rollup = ?', getRollup(context, rollup)],
    compute: (rows, { rollup }) => finality(rollup, rows),
  });
  const one = answer(rollups.getRollupBlock, async ({ path: { rollup, number: at } }) => {
    const key = [getRollup(context, rollup), at];
    const [row] = await readRows(store, FULL_BLOCKS, 'r.rollup = ? AND r.number = ?', key);
    if (row === undefined) throw notFound(`no block ${at} of this rollup in the index`);
    const listed = 'f.rollup = ? AND f.number = ? ORDER BY f.position LIMIT 1000';
    const refusals = await readRows(store, REFUSALS, listed, key);
    const compute = await finality(rollup, [row]);
    return FULL_BLOCKS.json(row, { ...compute(row), refusals: refusals.map((each) => REFUSALS.json(each, {})) });
  });
  return [all, one];
}

/** Transactions of rollups: outcomes of users' bytes. */
export function rollupTransactionRoutes(context: ApiContext): readonly AnyRoute[] {
  const all = listRoute(context, rollups.listRollupTransactions, {
    view: SUBMISSIONS,
    by: { 's.height': 'number', 's.position': 'number' },
    where: ({ rollup }) => ['s.rollup = ?', getRollup(context, rollup)],
    compute: () => (row) => toOutcome(context, row),
  });
  const one = answer(rollups.getRollupTransaction, async ({ path: { rollup, hash } }) => {
    const id = getRollup(context, rollup);
    const items = (await findSubmissions(context, hash)).filter((each) => each.rollup === id);
    if (items.length === 0) throw notFound(`no transaction ${hash} of this rollup in the index`);
    return { items };
  });
  return [all, one];
}
