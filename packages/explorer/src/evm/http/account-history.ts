import type { AnyRoute } from '@switchyard/service/api';
import { evm } from '../../contract/evm.ts';
import { answer } from '../../http/answer.ts';
import { number, time } from '../../http/cells.ts';
import { mapped } from '../../http/problems.ts';
import type { Row } from '../../store/store.ts';
import { type EvmContext, type EvmRollup, evmRollup } from './context.ts';
import { nodeProblem } from './node-problem.ts';

/** Positions of the address's parts in events that may have moved its balance. */
const TOUCHED = ['evm_address_transactions', 'evm_address_internal', 'evm_deposits'];

/** Balances and nonces of an account over time, from the state that the node keeps. */
export const historyRoute = (context: EvmContext): AnyRoute =>
  answer(evm.getEvmAddressHistory, async ({ path, query }) => {
    const rollup = evmRollup(context, path.rollup);
    const blocks = await touchedBlocks(context, rollup, path.address, query.points);
    return { points: await getPoints(context, rollup, path.address, blocks) };
  });

async function touchedBlocks(
  { store }: EvmContext,
  { key }: EvmRollup,
  address: string,
  points: number,
): Promise<readonly Row[]> {
  const newest = await Promise.all(
    TOUCHED.map((table) =>
      store.read(`SELECT DISTINCT number FROM ${table} WHERE rollup = ? AND address = ? ORDER BY number DESC LIMIT ?`, [
        key,
        address,
        points,
      ]),
    ),
  );
  const numbers = [...new Set(newest.flat().map((row) => number(row.number)))].sort((a, b) => b - a).slice(0, points);
  if (numbers.length === 0) return [];
  return store.read(
    `SELECT number, time FROM evm_blocks WHERE rollup = ? AND number IN (${numbers.map(() => '?').join(', ')}) ORDER BY number`,
    [key, ...numbers],
  );
}

async function getPoints({ signal }: EvmContext, { node }: EvmRollup, address: string, blocks: readonly Row[]) {
  const numbers = blocks.map((row) => number(row.number));
  const states = await mapped(nodeProblem, () => node.accounts(address, numbers, signal));
  return blocks.flatMap((row, at) => {
    const state = states[at];
    if (state === undefined) return [];
    return [{ block: number(row.number), time: time(row.time), balance: String(state.balance), nonce: state.nonce }];
  });
}
