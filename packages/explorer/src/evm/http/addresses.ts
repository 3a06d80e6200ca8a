import { errorLine, HttpError } from '@switchyard/service';
import type { AnyRoute } from '@switchyard/service/api';
import { type EvmAddress, evm, evmAddress, evmDeposit, holding, valueCall } from '../../contract/evm.ts';
import { answer } from '../../http/answer.ts';
import { number, text, time } from '../../http/cells.ts';
import { listRoute } from '../../http/list-route.ts';
import { mapped } from '../../http/problems.ts';
import { readRows, view } from '../../http/view.ts';
import { sameHash } from '../../store/statements.ts';
import type { Row } from '../../store/store.ts';
import { getCode } from '../verify/contract-node.ts';
import { type EvmContext, type EvmRollup, evmRollup } from './context.ts';
import { nodeProblem } from './node-problem.ts';
import {
  LOGS,
  logFacts,
  OF_TOKEN,
  OF_TRANSFER,
  TOKENS,
  TRANSACTIONS,
  TRANSFERS,
  tokenFacts,
  transactionFacts,
} from './views.ts';

const ADDRESSES = view(evmAddress, 'evm_addresses a', {
  ...{ creationTransaction: 'a.creation', tokenTransfers: 'a.transfers' },
  ...{ firstBlock: 'a.first_number', lastBlock: 'a.last_number' },
});

/** Addresses of EVM rollups, and all they took part in. */
export function evmAddressRoutes(context: EvmContext): readonly AnyRoute[] {
  const one = answer(evm.getEvmAddress, ({ path: { rollup, address } }) =>
    addressJson(context, evmRollup(context, rollup), address),
  );
  return [one, historyRoute(context), ...lists(context)];
}

async function addressJson(context: EvmContext, rollup: EvmRollup, address: string): Promise<EvmAddress> {
  const { store } = context;
  const [[row = { address }], [tokenRow], now, source] = await Promise.all([
    readRows(store, ADDRESSES, 'a.rollup = ? AND a.address = ?', [rollup.key, address]),
    readRows(store, TOKENS, 'k.rollup = ? AND k.address = ?', [rollup.key, address]),
    present(context, rollup, address),
    sourceName(context, rollup, address),
  ]);
  const token = tokenRow === undefined ? null : TOKENS.json(tokenRow, {});
  return ADDRESSES.json(row, {
    balance: now.balance ?? null,
    nonce: now.nonce ?? null,
    isContract: now.isContract ?? typeof row.creator === 'string',
    token,
    verified: source !== undefined,
    name: source ?? token?.name ?? null,
    problem: now.problem ?? null,
  });
}

/** Undefined if the source is not known, or the node does not answer whether the code is still the same. */
async function sourceName({ contracts }: EvmContext, rollup: EvmRollup, account: string): Promise<string | undefined> {
  try {
    return (await contracts.verified.find(rollup, account)).record?.name;
  } catch (error) {
    if (nodeProblem(error) instanceof HttpError) return undefined;
    throw error;
  }
}

type Present = Partial<Pick<EvmAddress, 'balance' | 'nonce' | 'isContract' | 'problem'>>;

async function present({ log, signal }: EvmContext, { node }: EvmRollup, account: string): Promise<Present> {
  try {
    const [[now], code] = await Promise.all([
      node.accounts(account, ['latest'], signal),
      getCode(node, `0x${account}`, signal),
    ]);
    return { isContract: code !== '', ...(now && { balance: String(now.balance), nonce: now.nonce }) };
  } catch (error) {
    const problem = nodeProblem(error);
    if (!(problem instanceof HttpError)) throw error;
    log.debug({ error: errorLine(error) }, 'the EVM node did not show an account');
    return { problem: problem.message };
  }
}

const CALLS = view(
  valueCall,
  `evm_address_internal a
  JOIN evm_internal i ON i.rollup = a.rollup AND i.number = a.number AND i.position = a.position AND i.ordinal = a.ordinal
  JOIN evm_transactions t ON t.rollup = a.rollup AND t.number = a.number AND t.position = a.position`,
  {
    ...{ block: 'i.number', transaction: 't.hash', kind: 'i.kind', depth: 'i.depth' },
    ...{ from: 'i.sender', to: 'i.recipient', value: 'i.value' },
  },
);
const TYPES = { call: 'CALL', create: 'CREATE', create2: 'CREATE2', selfdestruct: 'SELFDESTRUCT' } as const;
// Other kinds are not reported.
const typeOf = (kind: string) => TYPES[kind as keyof typeof TYPES] ?? 'CALL';

const HOLDINGS = view(holding, 'evm_holders h JOIN evm_tokens k ON k.rollup = h.rollup AND k.address = h.token', {
  isExact: 'k.exact',
  ...OF_TOKEN,
});

const DEPOSITS = view(
  evmDeposit,
  `evm_deposits d JOIN evm_blocks e ON e.rollup = d.rollup AND e.number = d.number
  LEFT JOIN blocks b ON ${sameHash('b.hash', 'e.sequencer_hash')}`,
  { block: 'd.number', index: 'd.ordinal', time: 'e.time', sequencerHeight: 'b.height' },
);

function lists(context: EvmContext): readonly AnyRoute[] {
  const key = (rollup: string) => evmRollup(context, rollup).key;
  return [
    listRoute(context, evm.listEvmAddressTransactions, {
      view: TRANSACTIONS,
      from: `evm_address_transactions a
        JOIN evm_transactions t ON t.rollup = a.rollup AND t.number = a.number AND t.position = a.position
        JOIN evm_blocks e ON e.rollup = t.rollup AND e.number = t.number`,
      by: { 'a.number': 'number', 'a.position': 'number' },
      where: ({ rollup, address }) => ['a.rollup = ? AND a.address = ?', key(rollup), address],
      compute: (rows, { rollup }) => transactionFacts(context, evmRollup(context, rollup), rows),
    }),
    listRoute(context, evm.listEvmAddressInternalCalls, {
      view: CALLS,
      by: { 'a.number': 'number', 'a.position': 'number', 'a.ordinal': 'number' },
      where: ({ rollup, address }) => ['a.rollup = ? AND a.address = ?', key(rollup), address],
      compute: () => (row) => ({ type: typeOf(text(row.kind)) }),
    }),
    listRoute(context, evm.listEvmAddressLogs, {
      view: LOGS,
      by: { 'l.number': 'number', 'l.log': 'number' },
      where: ({ rollup, address }) => ['l.rollup = ? AND l.address = ?', key(rollup), address],
      compute: (rows, { rollup }) => logFacts(context, evmRollup(context, rollup), rows),
    }),
    listRoute(context, evm.listEvmAddressTokenTransfers, {
      view: TRANSFERS,
      from: `evm_address_transfers a
        JOIN evm_transfers x ON x.rollup = a.rollup AND x.number = a.number AND x.log = a.log AND x.item = a.item
        ${OF_TRANSFER}`,
      by: { 'a.number': 'number', 'a.log': 'number', 'a.item': 'number' },
      where: ({ rollup, address }) => ['a.rollup = ? AND a.address = ?', key(rollup), address],
      compute: () => tokenFacts,
    }),
    listRoute(context, evm.listEvmAddressTokens, {
      view: HOLDINGS,
      by: { 'h.token': 'address' },
      direction: 'ASC',
      where: ({ rollup, address }) => ['h.rollup = ? AND h.holder = ?', key(rollup), address],
      compute: () => tokenFacts,
    }),
    listRoute(context, evm.listEvmAddressDeposits, {
      view: DEPOSITS,
      by: { 'd.number': 'number', 'd.ordinal': 'number' },
      where: ({ rollup, address }) => ['d.rollup = ? AND d.address = ?', key(rollup), address],
    }),
  ];
}

/** Positions of the address's parts in events that may have moved its balance. */
const TOUCHED = ['evm_address_transactions', 'evm_address_internal', 'evm_deposits'];

/** Balances and nonces of an account over time, from the state that the node keeps. */
const historyRoute = (context: EvmContext): AnyRoute =>
  answer(evm.getEvmAddressHistory, async ({ path, query }) => {
    const rollup = evmRollup(context, path.rollup);
    const blocks = await touchedBlocks(context, rollup, path.address, query.points);
    return { points: await getPoints(context, rollup, path.address, blocks) };
  });

async function touchedBlocks({ store }: EvmContext, { key }: EvmRollup, address: string, points: number) {
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
