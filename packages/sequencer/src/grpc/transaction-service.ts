import { type MessageInitShape, toBinary } from '@bufbuild/protobuf';
import { Code, ConnectError, type ServiceImpl } from '@connectrpc/connect';
import {
  decodeTransactionBody,
  getGroup,
  type TxHash,
  txHashBytes,
  txHashFromBytes,
  txHashOf,
} from '@switchyard/protocol';
import { type mempool as messages, transaction as transactionMessages } from '@switchyard/protocol/gen';
import type { SequencerApplication } from '../app/application.ts';
import { CODES } from '../app/codes.ts';
import { getFees } from '../app/queries/answers.ts';
import { QueryProblem } from '../app/queries/route.ts';
import type { TxResult } from '../app/types.ts';
import { invalid } from './wire.ts';

/** Parts of the application that the service needs. */
type App = Pick<SequencerApplication, 'checkTx' | 'mempool' | 'results' | 'committed' | 'info'>;

type Status = MessageInitShape<typeof messages.TransactionStatusSchema>;

/** Submission to this node's own pool, without the engine, and its outcome. */
export function transactionService(app: App): ServiceImpl<typeof messages.TransactionService> {
  return {
    submitTransaction({ transaction }) {
      if (transaction === undefined) throw invalid('transaction: missing');
      const bytes = toBinary(transactionMessages.TransactionSchema, transaction, { writeUnknownFields: false });
      const known = app.mempool.findState(txHashOf(bytes)) !== undefined;
      const { code, info, log, hash } = app.checkTx(bytes, 'new');
      const status = toStatus(hash, app);
      const executed = code === CODES.alreadyIncluded[0] && status.status?.case === 'executed';
      if (code === CODES.ok[0] || executed) return { status, duplicate: known || executed };
      throw new ConnectError(`${info}: ${log}`, getGrpcCode(code));
    },

    getTransactionStatus({ transactionHash }) {
      if (transactionHash.length !== 32) {
        throw invalid(`transaction_hash: expected 32 bytes, got ${transactionHash.length} bytes`);
      }
      return toStatus(txHashFromBytes(transactionHash), app);
    },

    getTransactionFees({ transactionBody }) {
      if (transactionBody === undefined) throw invalid('transaction_body: missing');
      const { actions } = decodeTransactionBody(toBinary(transactionMessages.TransactionBodySchema, transactionBody));
      getGroup(actions);
      try {
        return { blockHeight: app.info().height, fees: getFees(app.committed(), actions) };
      } catch (error) {
        if (error instanceof QueryProblem) throw new ConnectError(error.message, Code.FailedPrecondition);
        throw error;
      }
    },
  };
}

function toStatus(hash: TxHash, { mempool, results }: App): Status {
  const transactionHash = txHashBytes(hash);
  const held = mempool.findState(hash);
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

function getGrpcCode(code: number): Code {
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
