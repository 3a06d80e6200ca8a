import { errorLine, HttpError } from '@switchyard/service';
import { type AnyRoute, route, schema } from '@switchyard/service/api';
import { fromSortable } from '../tokens/holdings.ts';
import { historyRoute } from './account-history.ts';
import { type EvmContext, type EvmRollup, evmRollup } from './context.ts';
import { methodsOf } from './decoding.ts';
import { listRoute } from './list-route.ts';
import { nodeProblem } from './node-problem.ts';
import * as form from './schemas.ts';
import {
  address,
  addressOrNull,
  INTERNAL,
  INTERNAL_COLUMNS,
  internalJson,
  internalSchema,
  LOG_COLUMNS,
  LOGS,
  logSchema,
  logsJson,
  number,
  OF_TRANSFER,
  TRANSACTION_COLUMNS,
  TRANSFER_COLUMNS,
  text,
  time,
  tokenJson,
  tokenNameJson,
  tokenNameSchema,
  tokenSchema,
  transactionJson,
  transactionSchema,
  transferJson,
  transferSchema,
} from './shown.ts';

const path = { address: form.addressParameter };

const addressSchema = schema.object(
  {
    address: form.address('The address'),
    balance: schema.nullable(form.amount('Wei now; null where the node does not answer')),
    nonce: schema.nullable(schema.integer('Transactions that it sent, or contracts that it created')),
    isContract: schema.flag('Whether it has code'),
    creator: schema.nullable(form.address('Who created it; null if it is no contract, or one of genesis')),
    creationTransaction: schema.nullable(form.hash('In which it was created')),
    token: schema.nullable(tokenSchema),
    verified: schema.flag('Whether its source is known'),
    name: schema.nullable(schema.text('Of the contract in its source, or of the token')),
    transactions: schema.integer('Transactions from it, to it, or that created it'),
    internalCalls: schema.integer('Calls in transactions that moved value from it or to it, or created it'),
    tokenTransfers: schema.integer('Transfers of tokens from it or to it'),
    deposits: schema.integer('Deposits to it'),
    firstBlock: schema.nullable(schema.integer('Block in which it is first seen')),
    lastBlock: schema.nullable(schema.integer('Block in which it is last seen')),
    problem: schema.nullable(schema.text('Why something is missing in this answer')),
  },
  { name: 'EvmAddress' },
);

const depositSchema = schema.object(
  {
    block: schema.integer('Number of the block'),
    index: schema.integer('Position among the deposits of the block'),
    time: form.time,
    address: form.address('Who was credited'),
    amount: form.amount('Wei'),
    sequencerHeight: schema.nullable(
      schema.integer('Of the sequencer block with the deposit; null while the index does not have it'),
    ),
  },
  { name: 'EvmDeposit' },
);

const holdingSchema = schema.object(
  {
    token: tokenNameSchema,
    balance: form.amount('In the smallest unit, or items of an NFT'),
    isExact: schema.flag('As of the token'),
  },
  { name: 'EvmHolding' },
);

/** Addresses of EVM rollups, and all they took part in. */
export function evmAddressRoutes(context: EvmContext): readonly AnyRoute[] {
  const one = route({
    method: 'get',
    url: '/v1/rollups/{rollup}/evm/addresses/{address}',
    id: 'getEvmAddress',
    tag: form.TAG,
    summary: 'One address: what it has now, and what it is',
    path: { rollup: form.rollupParameter, ...path },
    answers: { 200: addressSchema },
    errors: { 404: 'No such EVM rollup is followed' },
    async handle({ path: { rollup, address: account } }) {
      return { status: 200, body: await addressJson(context, evmRollup(context, rollup), account) };
    },
  });
  return [one, historyRoute(context), ...lists(context)];
}

async function addressJson(
  context: EvmContext,
  rollup: EvmRollup,
  account: string,
): Promise<schema.TypeOf<typeof addressSchema>> {
  const { store } = context;
  const [[row], [token], now, source] = await Promise.all([
    store.read('SELECT * FROM evm_addresses WHERE rollup = ? AND address = ?', [rollup.key, account]),
    store.read('SELECT * FROM evm_tokens WHERE rollup = ? AND address = ?', [rollup.key, account]),
    present(context, rollup, account),
    sourceName(context, rollup, account),
  ]);
  const shownToken = token === undefined ? null : tokenJson(token);
  return {
    address: address(account),
    balance: now.balance ?? null,
    nonce: now.nonce ?? null,
    isContract: now.isContract ?? typeof row?.creator === 'string',
    creator: addressOrNull(row?.creator),
    creationTransaction: typeof row?.creation === 'string' ? `0x${row.creation}` : null,
    token: shownToken,
    verified: source !== undefined,
    name: source ?? shownToken?.name ?? null,
    transactions: number(row?.transactions),
    internalCalls: number(row?.internal_calls),
    tokenTransfers: number(row?.transfers),
    deposits: number(row?.deposits),
    firstBlock: row === undefined ? null : number(row.first_number),
    lastBlock: row === undefined ? null : number(row.last_number),
    problem: now.problem ?? null,
  };
}

/** Undefined where the source is not known, or the node does not answer whether the code is still the same. */
async function sourceName({ contracts }: EvmContext, rollup: EvmRollup, account: string): Promise<string | undefined> {
  try {
    return (await contracts.verified.find(rollup, account)).record?.name;
  } catch (error) {
    if (nodeProblem(error) instanceof HttpError) return undefined;
    throw error;
  }
}

interface Present {
  readonly balance?: string;
  readonly nonce?: number;
  readonly isContract?: boolean;
  readonly problem?: string;
}

async function present({ log, signal }: EvmContext, { node }: EvmRollup, account: string): Promise<Present> {
  try {
    const [[now], isContract] = await Promise.all([
      node.accounts(account, ['latest'], signal),
      node.hasCode(account, signal),
    ]);
    return { isContract, ...(now && { balance: String(now.balance), nonce: now.nonce }) };
  } catch (error) {
    const problem = nodeProblem(error);
    if (!(problem instanceof HttpError)) throw error;
    log.debug({ error: errorLine(error) }, 'the EVM node did not show an account');
    return { problem: problem.message };
  }
}

function lists(context: EvmContext): readonly AnyRoute[] {
  return [
    listRoute(context, {
      url: '/addresses/{address}/transactions',
      id: 'listEvmAddressTransactions',
      summary: 'Transactions from an address, to it, or that created it, newest first',
      path,
      name: 'EvmTransactionPage',
      item: transactionSchema,
      by: { 'a.number': 'number', 'a.position': 'number' },
      sql: ({ key }, page, { address: account }) => ({
        sql: `SELECT ${TRANSACTION_COLUMNS} FROM evm_address_transactions a
          JOIN evm_transactions t ON t.rollup = a.rollup AND t.number = a.number AND t.position = a.position
          JOIN evm_blocks e ON e.rollup = t.rollup AND e.number = t.number
          WHERE a.rollup = ? AND a.address = ? AND ${page.sql} ${page.order}`,
        params: [key, account, ...page.params],
      }),
      async show(rows, rollup) {
        const method = await methodsOf(context, rollup, rows);
        return rows.map((row) => transactionJson(row, method(row)));
      },
    }),
    listRoute(context, {
      url: '/addresses/{address}/internal',
      id: 'listEvmAddressInternalCalls',
      summary: 'Calls in transactions that moved value from an address or to it, or created it, newest first',
      description: 'Absent for a rollup whose node executes by a stock client, which does not report them',
      path,
      name: 'EvmValueCallPage',
      item: internalSchema,
      by: { 'a.number': 'number', 'a.position': 'number', 'a.ordinal': 'number' },
      sql: ({ key }, page, { address: account }) => ({
        sql: `SELECT ${INTERNAL_COLUMNS} FROM ${INTERNAL}
          WHERE a.rollup = ? AND a.address = ? AND ${page.sql} ${page.order}`,
        params: [key, account, ...page.params],
      }),
      show: (rows) => rows.map(internalJson),
    }),
    listRoute(context, {
      url: '/addresses/{address}/logs',
      id: 'listEvmAddressLogs',
      summary: 'Logs of a contract, newest first',
      path,
      name: 'EvmLogPage',
      item: logSchema,
      by: { 'l.number': 'number', 'l.log': 'number' },
      sql: ({ key }, page, { address: account }) => ({
        sql: `SELECT ${LOG_COLUMNS} FROM ${LOGS} WHERE l.rollup = ? AND l.address = ? AND ${page.sql} ${page.order}`,
        params: [key, account, ...page.params],
      }),
      show: (rows, rollup) => logsJson(context, rollup, rows),
    }),
    listRoute(context, {
      url: '/addresses/{address}/token-transfers',
      id: 'listEvmAddressTokenTransfers',
      summary: 'Transfers of tokens from an address or to it, newest first',
      path,
      name: 'EvmTokenTransferPage',
      item: transferSchema,
      by: { 'a.number': 'number', 'a.log': 'number', 'a.item': 'number' },
      sql: ({ key }, page, { address: account }) => ({
        sql: `SELECT ${TRANSFER_COLUMNS} FROM evm_address_transfers a
          JOIN evm_transfers x ON x.rollup = a.rollup AND x.number = a.number AND x.log = a.log AND x.item = a.item
          ${OF_TRANSFER}
          WHERE a.rollup = ? AND a.address = ? AND ${page.sql} ${page.order}`,
        params: [key, account, ...page.params],
      }),
      show: (rows) => rows.map(transferJson),
    }),
    listRoute(context, {
      url: '/addresses/{address}/tokens',
      id: 'listEvmAddressTokens',
      summary: 'Tokens that an address holds, by address of the token',
      path,
      name: 'EvmHoldingPage',
      item: holdingSchema,
      by: { 'h.token': 'address' },
      direction: 'ASC',
      sql: ({ key }, page, { address: account }) => ({
        sql: `SELECT h.token, h.balance, k.* FROM evm_holders h JOIN evm_tokens k ON k.rollup = h.rollup AND k.address = h.token
          WHERE h.rollup = ? AND h.holder = ? AND ${page.sql} ${page.order}`,
        params: [key, account, ...page.params],
      }),
      show: (rows) =>
        rows.map((row) => ({
          token: tokenNameJson(row),
          balance: String(fromSortable(text(row.balance))),
          isExact: number(row.exact) === 1,
        })),
    }),
    listRoute(context, {
      url: '/addresses/{address}/deposits',
      id: 'listEvmAddressDeposits',
      summary: 'Deposits from the sequencer that were credited to an address, newest first',
      path,
      name: 'EvmDepositPage',
      item: depositSchema,
      by: { 'd.number': 'number', 'd.ordinal': 'number' },
      sql: ({ key }, page, { address: account }) => ({
        sql: `SELECT d.*, e.time, b.height FROM evm_deposits d
          JOIN evm_blocks e ON e.rollup = d.rollup AND e.number = d.number LEFT JOIN blocks b ON b.hash = e.sequencer_hash
          WHERE d.rollup = ? AND d.address = ? AND ${page.sql} ${page.order}`,
        params: [key, account, ...page.params],
      }),
      show: (rows) =>
        rows.map((row) => ({
          block: number(row.number),
          index: number(row.ordinal),
          time: time(row.time),
          address: address(row.address),
          amount: text(row.amount),
          sequencerHeight: typeof row.height === 'number' ? row.height : null,
        })),
    }),
  ];
}
