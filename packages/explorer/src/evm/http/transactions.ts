import { errorLine, HttpError } from '@switchyard/service';
import { type AnyRoute, route, schema } from '@switchyard/service/api';
import { hexData, Input } from '@switchyard/service/input';
import { notFound } from '../../http/problems.ts';
import type { Row } from '../../store/store.ts';
import type { Decoded } from '../decode/decode.ts';
import { type CallTrace, callSchema, callTrace } from './call-trace.ts';
import { type EvmContext, type EvmRollup, evmRollup } from './context.ts';
import { decodedSchema, methodsOf } from './decoding.ts';
import { listRoute } from './list-route.ts';
import { nodeProblem } from './node-problem.ts';
import * as form from './schemas.ts';
import {
  address,
  hex,
  LOG_COLUMNS,
  LOGS,
  logSchema,
  logsJson,
  number,
  TRANSACTION_COLUMNS,
  TRANSACTIONS,
  TRANSFER_COLUMNS,
  TRANSFERS,
  text,
  transactionJson,
  transactionMembers,
  transactionSchema,
  transferJson,
  transferSchema,
} from './shown.ts';

/** Of one transaction; lists have the rest. */
const MAX_LOGS = 200;

const authorizationSchema = schema.object(
  {
    chainId: form.amount('0 for any chain'),
    address: form.address('Whose code the account is to have'),
    nonce: form.amount('Of the account'),
  },
  { name: 'EvmAuthorization' },
);

const fullSchema = schema.object(
  {
    ...transactionMembers,
    isFirm: schema.flag('Whether its block is final'),
    submission: schema.text('SHA-256 of its bytes: its hash on the side of the sequencer', {
      pattern: '^[0-9a-f]{64}$',
    }),
    gasLimit: schema.integer('Gas that it may use'),
    gasPrice: form.amount('Wei that it paid for each unit of gas'),
    maxFee: schema.nullable(form.amount('Wei for each unit of gas, at most')),
    maxTip: schema.nullable(form.amount('Of these above the base fee, at most')),
    input: form.hex('The first 4,096 bytes of its input'),
    inputBytes: schema.integer('Bytes of its input'),
    call: schema.nullable(decodedSchema),
    revertReason: schema.nullable(
      schema.object(
        {
          data: form.hex('What it reverted with'),
          error: schema.nullable(decodedSchema),
          message: schema.text('Why it failed'),
        },
        { name: 'EvmRevert' },
      ),
    ),
    logs: schema.list(logSchema),
    logCount: schema.integer('Logs in all; the list has the first 200'),
    tokenTransfers: schema.list(transferSchema),
    internalCalls: schema.nullable(
      schema.integer('Calls in it that moved value, and creations; null where the node does not report them'),
    ),
    authorizations: schema.nullable(schema.list(authorizationSchema)),
    problem: schema.nullable(schema.text('Why something is missing in this answer')),
  },
  { name: 'EvmTransactionInFull' },
);

/** Transactions of EVM rollups. */
export function evmTransactionRoutes(context: EvmContext): readonly AnyRoute[] {
  const { store } = context;
  const path = { rollup: form.rollupParameter, hash: form.hashParameter };
  const errors = { 404: 'No such transaction in the index' };
  const find = async (rollup: EvmRollup, hash: string): Promise<Row> => {
    const [row] = await store.read(
      `SELECT ${TRANSACTION_COLUMNS} FROM ${TRANSACTIONS} WHERE t.rollup = ? AND t.hash = ?`,
      [rollup.key, hash],
    );
    if (row === undefined) throw notFound(`no transaction 0x${hash} in the index, which is at block ${rollup.indexed}`);
    return row;
  };

  const list = listRoute(context, {
    url: '/transactions',
    id: 'listEvmTransactions',
    summary: 'Transactions, newest first',
    name: 'EvmTransactionPage',
    item: transactionSchema,
    by: { 't.number': 'number', 't.position': 'number' },
    sql: ({ key }, page) => ({
      sql: `SELECT ${TRANSACTION_COLUMNS} FROM ${TRANSACTIONS} WHERE t.rollup = ? AND ${page.sql} ${page.order}`,
      params: [key, ...page.params],
    }),
    async show(rows, rollup) {
      const method = await methodsOf(context, rollup, rows);
      return rows.map((row) => transactionJson(row, method(row)));
    },
  });

  const one = route({
    method: 'get',
    url: '/v1/rollups/{rollup}/evm/transactions/{hash}',
    id: 'getEvmTransaction',
    tag: form.TAG,
    summary: 'One transaction, with its logs, token transfers, and what its input means',
    path,
    answers: { 200: fullSchema },
    errors,
    async handle({ path: { rollup: name, hash } }) {
      const rollup = evmRollup(context, name);
      return { status: 200, body: await inFull(context, rollup, await find(rollup, hash)) };
    },
  });

  const traced = { calls: schema.list(callSchema), isCut: schema.flag('Whether there are more calls') };
  const trace = route({
    method: 'get',
    url: '/v1/rollups/{rollup}/evm/transactions/{hash}/trace',
    id: 'getEvmTrace',
    tag: form.TAG,
    summary: 'All calls of a transaction, which the node executes again for this: the first 1,000',
    path,
    answers: { 200: schema.object(traced, { name: 'EvmTrace' }) },
    errors: { ...errors, 502: 'The node cannot execute it again', 503: 'The node does not answer' },
    async handle({ path: { rollup: name, hash } }) {
      const rollup = evmRollup(context, name);
      await find(rollup, hash);
      const { calls, isCut } = await tracedBy(context, rollup, hash);
      return { status: 200, body: { calls: await withMethods(context, rollup, calls), isCut } };
    },
  });

  const internal = route({
    method: 'get',
    url: '/v1/rollups/{rollup}/evm/transactions/{hash}/internal',
    id: 'listEvmInternalCalls',
    tag: form.TAG,
    summary: 'What a transaction called beyond itself: the first 999 calls',
    path,
    answers: {
      200: schema.object({ items: schema.list(callSchema), isCut: traced.isCut }, { name: 'EvmInternalCalls' }),
    },
    errors: { ...errors, 502: 'The node cannot execute it again', 503: 'The node does not answer' },
    async handle({ path: { rollup: name, hash } }) {
      const rollup = evmRollup(context, name);
      await find(rollup, hash);
      const { calls, isCut } = await tracedBy(context, rollup, hash);
      const items = await withMethods(
        context,
        rollup,
        calls.filter(({ depth }) => depth > 0),
      );
      return { status: 200, body: { items, isCut } };
    },
  });
  return [list, one, trace, internal];
}

async function tracedBy({ signal }: EvmContext, { node }: EvmRollup, hash: string): Promise<CallTrace> {
  try {
    return await callTrace(node, hash, signal);
  } catch (error) {
    throw nodeProblem(error);
  }
}

async function withMethods(
  context: EvmContext,
  rollup: EvmRollup,
  calls: CallTrace['calls'],
): Promise<CallTrace['calls']> {
  const rowOf = ({ to, selector }: CallTrace['calls'][number]): Row => ({
    recipient: to === null ? null : to.slice(2).toLowerCase(),
    input: selector === null ? null : selector.slice(2),
  });
  const method = await methodsOf(context, rollup, calls.map(rowOf));
  return calls.map((call) => ({ ...call, method: method(rowOf(call)) }));
}

async function inFull(context: EvmContext, rollup: EvmRollup, row: Row): Promise<schema.TypeOf<typeof fullSchema>> {
  const { store, decoder } = context;
  const place = [rollup.key, number(row.number), number(row.position)];
  const [logs, transfers, asked] = await Promise.all([
    store.read(
      `SELECT ${LOG_COLUMNS} FROM ${LOGS} WHERE l.rollup = ? AND l.number = ? AND l.position = ? ORDER BY l.log LIMIT ?`,
      [...place, MAX_LOGS],
    ),
    store.read(
      `SELECT ${TRANSFER_COLUMNS} FROM ${TRANSFERS} WHERE x.rollup = ? AND x.number = ? AND x.position = ? ORDER BY x.log, x.item LIMIT ?`,
      [...place, MAX_LOGS],
    ),
    askNode(context, rollup, row),
  ]);
  const recipient = row.recipient === null ? undefined : text(row.recipient);
  const input = asked.input ?? hex(row.input);
  const call: Decoded | undefined = recipient === undefined ? undefined : await decoder?.call(rollup, recipient, input);
  const revert = asked.revert;
  const error =
    revert === undefined ? undefined : await decoder?.revert(rollup, recipient ?? text(row.created), revert.data);
  return {
    ...transactionJson(row, call?.name ?? null),
    isFirm: rollup.firm !== undefined && number(row.number) <= rollup.firm,
    submission: text(row.submission),
    gasLimit: number(row.gas_limit),
    gasPrice: text(row.gas_price),
    maxFee: row.max_fee === null ? null : text(row.max_fee),
    maxTip: row.max_tip === null ? null : text(row.max_tip),
    input: hex(row.input),
    inputBytes: number(row.input_size),
    call: call ?? null,
    revertReason: revert === undefined ? null : { ...revert, error: error ?? null },
    logs: await logsJson(context, rollup, logs),
    logCount: number(row.logs),
    tokenTransfers: transfers.map(transferJson),
    internalCalls: row.internal_calls === null ? null : number(row.internal_calls),
    authorizations: asked.authorizations ?? null,
    problem: asked.problem ?? null,
  };
}

interface Asked {
  /** Whole, where the index has only its beginning. */
  readonly input?: string;
  readonly authorizations?: readonly schema.TypeOf<typeof authorizationSchema>[];
  readonly revert?: { readonly data: string; readonly message: string };
  readonly problem?: string;
}

/** EIP-7702. */
const AUTHORIZING = 4;

/** What the index does not have of some transactions. */
async function askNode({ log, signal }: EvmContext, { node }: EvmRollup, row: Row): Promise<Asked> {
  const isCut = number(row.input_size) * 2 > text(row.input).length;
  try {
    const whole =
      isCut || row.type === AUTHORIZING
        ? new Input(await node.transaction(text(row.hash), signal), 'eth_getTransactionByHash')
        : undefined;
    return {
      ...(isCut && whole !== undefined && { input: hexData()(whole.at('input')) }),
      ...(row.type === AUTHORIZING && whole !== undefined && { authorizations: authorizationsOf(whole) }),
      ...(number(row.status) === 0 && { revert: await revertOf(node, text(row.hash), signal) }),
    };
  } catch (error) {
    const problem = nodeProblem(error);
    if (!(problem instanceof HttpError)) throw error;
    log.debug({ error: errorLine(error) }, 'the EVM node did not complete a transaction');
    return { problem: problem.message };
  }
}

const MAX_REVERT_BYTES = 8_192;

async function revertOf(
  node: EvmRollup['node'],
  hash: string,
  signal: AbortSignal,
): Promise<NonNullable<Asked['revert']>> {
  const { calls, output } = await callTrace(node, hash, signal, { onlyTop: true });
  return { data: output.slice(0, 2 + 2 * MAX_REVERT_BYTES), message: calls[0]?.error ?? 'failed' };
}

function authorizationsOf(transaction: Input): NonNullable<Asked['authorizations']> {
  return transaction
    .at('authorizationList')
    .list()
    .map((each) => ({
      chainId: String(BigInt(each.at('chainId').text())),
      address: address(hexData(20)(each.at('address')).slice(2)),
      nonce: String(BigInt(each.at('nonce').text())),
    }));
}
