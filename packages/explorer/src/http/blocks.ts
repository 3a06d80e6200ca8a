import type { AnyRoute } from '@switchyard/service/api';
import { block, blockRollup, fullBlock, fullTransaction, sequencer, transaction } from '../contract/sequencer.ts';
import { hashIs, hashParams } from '../store/statements.ts';
import type { Row } from '../store/store.ts';
import { ofAccount } from './account-parameter.ts';
import { answer } from './answer.ts';
import { number, numberOrNull } from './cells.ts';
import type { ApiContext } from './context.ts';
import { listRoute } from './list-route.ts';
import { notFound } from './problems.ts';
import { type ComputedOf, readRows, view } from './view.ts';

/** Facts of the commit are known once the next block is there. */
const COMMIT = { round: 'b.round', signed: 'b.signed', validators: 'b.validators' };
const BLOCKS = view(block, 'blocks b', COMMIT);
const FULL_BLOCKS = view(fullBlock, BLOCKS.from, COMMIT);
const BLOCK_ROLLUPS = view(blockRollup, 'block_rollups r');

async function computed({ layer }: ApiContext, rows: readonly Row[]): Promise<ComputedOf<typeof block>> {
  const places = await layer.of(rows.map(({ height }) => number(height)));
  return ({ height, round, signed, validators }) => ({
    commit:
      signed === null
        ? null
        : { round: numberOrNull(round), signed: number(signed), validators: numberOrNull(validators) },
    layer: places.get(number(height)) ?? null,
  });
}

/** The sequencer's blocks. */
export function blockRoutes(context: ApiContext): readonly AnyRoute[] {
  const { store } = context;
  const all = listRoute(context, sequencer.listBlocks, {
    view: BLOCKS,
    by: { 'b.height': 'number' },
    compute: (rows) => computed(context, rows),
  });
  const one = answer(sequencer.getBlock, async ({ path: { block: given } }) => {
    const [row] =
      typeof given === 'number'
        ? await readRows(store, FULL_BLOCKS, 'b.height = ?', [given])
        : await readRows(store, FULL_BLOCKS, hashIs('b.hash'), hashParams(given));
    if (row === undefined)
      throw notFound(`no block ${given} in the index, which is at ${context.sequencer.state().height}`);
    const [rollups, compute] = await Promise.all([
      readRows(store, BLOCK_ROLLUPS, 'r.height = ? ORDER BY r.rollup', [number(row.height)]),
      computed(context, [row]),
    ]);
    return FULL_BLOCKS.json(row, {
      ...compute(row),
      rollups: rollups.map((each) => BLOCK_ROLLUPS.json(each, {}, context)),
    });
  });
  return [all, one];
}

const TABLES = 'transactions t JOIN blocks b ON b.height = t.height';
export const TRANSACTIONS = view(transaction, TABLES, { time: 'b.time' });
const FULL_TRANSACTIONS = view(fullTransaction, TABLES, { time: 'b.time' });

/** The sequencer's transactions. */
export function transactionRoutes(context: ApiContext): readonly AnyRoute[] {
  const all = listRoute(context, sequencer.listTransactions, {
    view: TRANSACTIONS,
    by: { 't.height': 'number', 't.position': 'number' },
  });
  const ofBlock = listRoute(context, sequencer.listBlockTransactions, {
    view: TRANSACTIONS,
    by: { 't.position': 'number' },
    direction: 'ASC',
    where: ({ height }) => ['t.height = ?', height],
  });
  const touching = listRoute(context, ofAccount(sequencer.listAccountTransactions), {
    view: TRANSACTIONS,
    from: `account_transactions a JOIN transactions t ON t.height = a.height AND t.position = a.position
      JOIN blocks b ON b.height = a.height`,
    by: { 'a.height': 'number', 'a.position': 'number' },
    where: ({ address }) => ['a.account = ?', address],
  });
  const one = answer(sequencer.getTransaction, async ({ path: { hash } }) => {
    const [row] = await readRows(context.store, FULL_TRANSACTIONS, 't.hash = ? LIMIT 1', [hash]);
    if (row === undefined) throw notFound(`no sequencer transaction ${hash} in the index`);
    return FULL_TRANSACTIONS.json(row, {}, context);
  });
  return [all, ofBlock, touching, one];
}
