import { type AnyRoute, route, schema } from '@switchyard/service/api';
import type { Row } from '../../store/store.ts';
import { type EvmContext, type EvmRollup, evmRollup } from './context.ts';
import { nodeProblem } from './node-problem.ts';
import * as form from './schemas.ts';
import { number, time } from './shown.ts';

const MAX_POINTS = 100;

const pointSchema = schema.object(
  {
    block: schema.integer('Number of the block'),
    time: form.time,
    balance: form.amount('Wei after the block'),
    nonce: schema.integer('Nonce after the block'),
  },
  { name: 'EvmAccountPoint' },
);

/** Where the address took part in something that may have moved its balance. */
const TOUCHED = ['evm_address_transactions', 'evm_address_internal', 'evm_deposits'];

/** What an account had over time, from the state that the node keeps. */
export function historyRoute(context: EvmContext): AnyRoute {
  return route({
    method: 'get',
    url: '/v1/rollups/{rollup}/evm/addresses/{address}/history',
    id: 'getEvmAddressHistory',
    tag: form.TAG,
    summary: 'Balance and nonce after the newest blocks in which the address took part, oldest first',
    description: 'Without those whose state the node no longer has',
    path: { rollup: form.rollupParameter, address: form.addressParameter },
    query: { points: schema.optional(schema.integer('Blocks, at most', { min: 1, max: MAX_POINTS }), 50) },
    answers: { 200: schema.object({ points: schema.list(pointSchema) }, { name: 'EvmAccountHistory' }) },
    errors: { 404: 'No such EVM rollup is followed', 502: 'The node refuses', 503: 'The node does not answer' },
    async handle({ path, query }) {
      const rollup = evmRollup(context, path.rollup);
      const blocks = await touchedBlocks(context, rollup, path.address, query.points);
      return { status: 200, body: { points: await pointsOf(context, rollup, path.address, blocks) } };
    },
  });
}

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

async function pointsOf({ signal }: EvmContext, { node }: EvmRollup, address: string, blocks: readonly Row[]) {
  try {
    const states = await node.accounts(
      address,
      blocks.map((row) => number(row.number)),
      signal,
    );
    return blocks.flatMap((row, at) => {
      const state = states[at];
      if (state === undefined) return [];
      return [{ block: number(row.number), time: time(row.time), balance: String(state.balance), nonce: state.nonce }];
    });
  } catch (error) {
    throw nodeProblem(error);
  }
}
