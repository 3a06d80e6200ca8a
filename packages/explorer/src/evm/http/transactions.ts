import { checksummed } from '@switchyard/protocol/ethereum';
import { errorLine, HttpError } from '@switchyard/service';
import type { AnyRoute } from '@switchyard/service/api';
import { hexData, Input } from '@switchyard/service/input';
import { evm, type FullEvmTransaction } from '../../contract/evm.ts';
import { answer } from '../../http/answer.ts';
import { number, text } from '../../http/cells.ts';
import { listRoute } from '../../http/list-route.ts';
import { mapped, notFound } from '../../http/problems.ts';
import { readRows } from '../../http/view.ts';
import type { Row } from '../../store/store.ts';
import { type CallTrace, callTrace } from './call-trace.ts';
import { type EvmContext, type EvmRollup, evmRollup } from './context.ts';
import { getMethods } from './decoding.ts';
import { nodeProblem } from './node-problem.ts';
import {
  derived,
  FULL_TRANSACTIONS,
  LOGS,
  logFacts,
  TRANSACTIONS,
  TRANSFERS,
  tokenFacts,
  transactionFacts,
} from './views.ts';

/** Logs that are shown of one transaction; lists have the rest. */
const MAX_LOGS = 200;

/** Transactions of EVM rollups. */
export function evmTransactionRoutes(context: EvmContext): readonly AnyRoute[] {
  const find = async (rollup: EvmRollup, hash: string): Promise<Row> => {
    const [row] = await readRows(context.store, FULL_TRANSACTIONS, 't.rollup = ? AND t.hash = ?', [rollup.key, hash]);
    if (row === undefined) throw notFound(`no transaction 0x${hash} in the index, which is at block ${rollup.indexed}`);
    return row;
  };
  const traced = async (name: string, hash: string, least: number) => {
    const rollup = evmRollup(context, name);
    await find(rollup, hash);
    const { calls, isCut } = await mapped(nodeProblem, () => callTrace(rollup.node, hash, context.signal));
    const wanted = calls.filter(({ depth }) => depth >= least);
    return { calls: await withMethods(context, rollup, wanted), isCut };
  };
  return [
    listRoute(context, evm.listEvmTransactions, {
      view: TRANSACTIONS,
      by: { 't.number': 'number', 't.position': 'number' },
      where: ({ rollup }) => ['t.rollup = ?', evmRollup(context, rollup).key],
      compute: (rows, { rollup }) => transactionFacts(context, evmRollup(context, rollup), rows),
    }),
    answer(evm.getEvmTransaction, async ({ path }) => {
      const rollup = evmRollup(context, path.rollup);
      return inFull(context, rollup, await find(rollup, path.hash));
    }),
    answer(evm.getEvmTrace, ({ path: { rollup, hash } }) => traced(rollup, hash, 0)),
    answer(evm.listEvmInternalCalls, async ({ path: { rollup, hash } }) => {
      const { calls: items, isCut } = await traced(rollup, hash, 1);
      return { items, isCut };
    }),
  ];
}

async function withMethods(context: EvmContext, rollup: EvmRollup, calls: CallTrace['calls']) {
  const toRow = ({ to, selector }: CallTrace['calls'][number]): Row => ({
    to: to === null ? null : to.slice(2).toLowerCase(),
    input: selector === null ? null : selector.slice(2),
  });
  const method = await getMethods(context, rollup, calls.map(toRow));
  return calls.map((call) => ({ ...call, method: method(toRow(call)) }));
}

async function inFull(context: EvmContext, rollup: EvmRollup, row: Row): Promise<FullEvmTransaction> {
  const { store } = context;
  const { decoder } = context.contracts;
  const place = [rollup.key, number(row.block), number(row.index), MAX_LOGS];
  const [logs, transfers, wanted] = await Promise.all([
    readRows(store, LOGS, 'l.rollup = ? AND l.number = ? AND l.position = ? ORDER BY l.log LIMIT ?', place),
    readRows(
      store,
      TRANSFERS,
      'x.rollup = ? AND x.number = ? AND x.position = ? ORDER BY x.log, x.item LIMIT ?',
      place,
    ),
    askNode(context, rollup, row),
  ]);
  const recipient = row.to === null ? undefined : text(row.to);
  const input = wanted.input ?? `0x${text(row.input)}`;
  const call = recipient === undefined ? undefined : await decoder.call(rollup, recipient, input);
  const revert = wanted.revert;
  const error =
    revert === undefined ? undefined : await decoder.revert(rollup, recipient ?? text(row.created), revert.data);
  const ofLog = await logFacts(context, rollup, logs);
  return FULL_TRANSACTIONS.json(row, {
    ...derived(row),
    method: call?.name ?? null,
    isFirm: rollup.firm !== undefined && number(row.block) <= rollup.firm,
    call: call ?? null,
    revertReason: revert === undefined ? null : { ...revert, error: error ?? null },
    logs: logs.map((log) => LOGS.json(log, ofLog(log))),
    tokenTransfers: transfers.map((transfer) => TRANSFERS.json(transfer, tokenFacts(transfer))),
    authorizations: wanted.authorizations ?? null,
    problem: wanted.problem ?? null,
  });
}

/** The input is whole, and absent unless the index has only its beginning. */
type Asked = Partial<Pick<FullEvmTransaction, 'input' | 'authorizations' | 'problem'>> & {
  readonly revert?: { readonly data: string; readonly message: string };
};

/** EIP-7702. */
const AUTHORIZING = 4;

/** Asks the node for parts that the index lacks of some transactions. */
async function askNode({ log, signal }: EvmContext, { node }: EvmRollup, row: Row): Promise<Asked> {
  const isCut = number(row.inputBytes) * 2 > text(row.input).length;
  try {
    const whole =
      isCut || row.type === AUTHORIZING
        ? new Input(await node.transaction(text(row.hash), signal), 'eth_getTransactionByHash')
        : undefined;
    return {
      ...(isCut && whole !== undefined && { input: hexData()(whole.at('input')) }),
      ...(row.type === AUTHORIZING && whole !== undefined && { authorizations: getAuthorizations(whole) }),
      ...(number(row.status) === 0 && { revert: await getRevert(node, text(row.hash), signal) }),
    };
  } catch (error) {
    const problem = nodeProblem(error);
    if (!(problem instanceof HttpError)) throw error;
    log.debug({ error: errorLine(error) }, 'the EVM node did not complete a transaction');
    return { problem: problem.message };
  }
}

const MAX_REVERT_BYTES = 8_192;

async function getRevert(node: EvmRollup['node'], hash: string, signal: AbortSignal) {
  const { calls, output } = await callTrace(node, hash, signal, { onlyTop: true });
  return { data: output.slice(0, 2 + 2 * MAX_REVERT_BYTES), message: calls[0]?.error ?? 'failed' };
}

function getAuthorizations(transaction: Input): NonNullable<Asked['authorizations']> {
  return transaction
    .at('authorizationList')
    .list()
    .map((each) => ({
      chainId: String(BigInt(each.at('chainId').text())),
      address: checksummed(hexData(20)(each.at('address')).slice(2)),
      nonce: String(BigInt(each.at('nonce').text())),
    }));
}
