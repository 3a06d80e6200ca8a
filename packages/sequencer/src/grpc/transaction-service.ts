import { type MessageInitShape, toBinary } from '@bufbuild/protobuf';
import { Code, ConnectError, type ServiceImpl } from '@connectrpc/connect';
import type { StateReader } from '@switchyard/machine';
import {
  decodeTransactionBody,
  groupOf,
  type TxHash,
  txHashBytes,
  txHashFromBytes,
  txHashOf,
} from '@switchyard/protocol';
import { type mempool as messages, transaction as transactionMessages } from '@switchyard/protocol/gen';
import { CODES } from '../app/codes.ts';
import { QueryProblem } from '../app/queries/route.ts';
import { feesOf } from '../app/queries/transaction-fee.ts';
import type { RecentResult } from '../app/results.ts';
import type { TxResult, Verdict } from '../app/types.ts';
import type { Removal } from '../mempool/removed.ts';
import { invalid } from './wire.ts';

/** Parts of the node that the service needs. */
export interface TransactionServiceDeps {
  checkTx(bytes: Uint8Array): Verdict;
  readonly mempool: {
    stateOf(hash: TxHash): 'pending' | 'parked' | undefined;
    removal(hash: TxHash): Removal | undefined;
  };
  readonly results: { get(hash: TxHash): RecentResult | undefined };
  /** Committed state and its height. */
  committed(): { readonly state: StateReader; readonly height: bigint };
}

type Status = MessageInitShape<typeof messages.TransactionStatusSchema>;

/** Submission to this node's own pool, without the engine, and what became of it. */
export function transactionService(deps: TransactionServiceDeps): ServiceImpl<typeof messages.TransactionService> {
  return {
    submitTransaction({ transaction }) {
      if (transaction === undefined) throw invalid('transaction: missing');
      const bytes = toBinary(transactionMessages.TransactionSchema, transaction, { writeUnknownFields: false });
      const known = deps.mempool.stateOf(txHashOf(bytes)) !== undefined;
      const { code, info, log, hash } = deps.checkTx(bytes);
      const status = statusOf(hash, deps);
      const executed = code === CODES.alreadyIncluded[0] && status.status?.case === 'executed';
      if (code === CODES.ok[0] || executed) return { status, duplicate: known || executed };
      throw new ConnectError(`${info}: ${log}`, grpcCodeOf(code));
    },

    getTransactionStatus({ transactionHash }) {
      if (transactionHash.length !== 32) {
        throw invalid(`transaction_hash: expected 32 bytes, got ${transactionHash.length} bytes`);
      }
      return statusOf(txHashFromBytes(transactionHash), deps);
    },

    getTransactionFees({ transactionBody }) {
      if (transactionBody === undefined) throw invalid('transaction_body: missing');
      const { actions } = decodeTransactionBody(toBinary(transactionMessages.TransactionBodySchema, transactionBody));
      groupOf(actions);
      const { state, height } = deps.committed();
      try {
        return { blockHeight: height, fees: feesOf(state, actions) };
      } catch (error) {
        if (error instanceof QueryProblem) throw new ConnectError(error.message, Code.FailedPrecondition);
        throw error;
      }
    },
  };
}

function statusOf(hash: TxHash, { mempool, results }: TransactionServiceDeps): Status {
  const transactionHash = txHashBytes(hash);
  const held = mempool.stateOf(hash);
  if (held !== undefined) return { transactionHash, status: { case: held, value: {} } };
  const recent = results.get(hash);
  if (recent !== undefined) {
    const { height, result } = recent;
    return { transactionHash, status: { case: 'executed', value: { height, result: resultToWire(result) } } };
  }
  const removal = mempool.removal(hash);
  if (removal === undefined) return { transactionHash };
  const reason = `${CODES[removal.why][1]}: ${removal.detail}`;
  return { transactionHash, status: { case: 'removed', value: { reason } } };
}

function resultToWire({ events, ...result }: TxResult) {
  return { ...result, events: events.map(({ type, attributes }) => ({ type, attributes: [...attributes] })) };
}

function grpcCodeOf(code: number): Code {
  switch (code) {
    case CODES.nonceTaken[0]:
      return Code.AlreadyExists;
    case CODES.accountParkedFull[0]:
    case CODES.parkedFull[0]:
    case CODES.insertionFailed[0]:
      return Code.ResourceExhausted;
    case CODES.expired[0]:
    case CODES.executionFailed[0]:
    case CODES.lowerNonceRemoved[0]:
    case CODES.alreadyIncluded[0]:
      return Code.NotFound;
    case CODES.internal[0]:
      return Code.Internal;
    default:
      return Code.InvalidArgument;
  }
}
