import { type AnyRoute, serve } from '@switchyard/service/api';
import { evm } from '../../contract/evm.ts';
import { text } from '../../http/cells.ts';
import { listRoute } from '../../http/list-route.ts';
import { notFound } from '../../http/problems.ts';
import { readRows } from '../../http/view.ts';
import { type EvmContext, evmRollup } from './context.ts';
import { BLOCKS, blockFacts, TRANSACTIONS, transactionFacts } from './views.ts';

/** Blocks of EVM rollups, and their contents. */
export function evmBlockRoutes(context: EvmContext): readonly AnyRoute[] {
  const all = listRoute(context, evm.listEvmBlocks, {
    view: BLOCKS,
    by: { 'e.number': 'number' },
    where: ({ rollup }) => ['e.rollup = ?', evmRollup(context, rollup).key],
    compute: (rows, { rollup }) => blockFacts(context, evmRollup(context, rollup), rows),
  });

  const one = serve(evm.getEvmBlock, async ({ path }) => {
    const rollup = evmRollup(context, path.rollup);
    const column = typeof path.block === 'number' ? 'number' : 'hash';
    const [row] = await readRows(context.store, BLOCKS, `e.rollup = ? AND e.${column} = ?`, [rollup.key, path.block]);
    if (row === undefined) throw notFound(`no block ${path.block} in the index, which is at ${rollup.indexed}`);
    const facts = await blockFacts(context, rollup, [row]);
    const body = BLOCKS.json(row, facts(row));
    // Nothing else of it changes once the index has its sequencer block.
    const etag = [text(row.hash), body.isFirm, body.layer?.height, body.layer?.at].join(' ');
    return { status: 200, body, ...(body.sequencerHeight !== null && { etag }) };
  });

  const within = listRoute(context, evm.listEvmBlockTransactions, {
    view: TRANSACTIONS,
    by: { 't.position': 'number' },
    direction: 'ASC',
    where: ({ rollup, block }) => ['t.rollup = ? AND t.number = ?', evmRollup(context, rollup).key, block],
    compute: (rows, { rollup }) => transactionFacts(context, evmRollup(context, rollup), rows),
  });
  return [all, one, within];
}
