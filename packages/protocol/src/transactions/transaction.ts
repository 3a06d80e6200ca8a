import { toBinary } from '@bufbuild/protobuf';
import { type AccountId, accountIdFromPublicKey, type TxHash } from '../accounts/ids.ts';
import { type Signer, verify } from '../accounts/keys.ts';
import { type Action, actionFromWire, actionToWire, type Group, getGroup } from '../actions/index.ts';
import { decodeMessage } from '../bytes/message.ts';
import { Reader } from '../bytes/reader.ts';
import { Writer } from '../bytes/writer.ts';
import { Rejected } from '../errors.ts';
import { ActionSchema } from '../gen/astria/protocol/transaction/v1/transaction_pb.ts';
import { decodeEnvelope, mustBeCanonical, signEnvelope, signedBytes } from './envelope.ts';
import { SubmissionReader, SubmissionWriter } from './submission.ts';
import { readTransactionParams } from './transaction-params.ts';

export const TRANSACTION_TYPE_URL = '/astria.protocol.transaction.v1.TransactionBody';

export interface TransactionBody {
  /** How many transactions of the signer came before. */
  readonly nonce: number;
  readonly chainId: string;
  readonly actions: readonly Action[];
}

/** A transaction that is signed by its key and holds well-formed actions of one group. The state was not read. */
export interface SequencerTransaction extends TransactionBody {
  readonly bytes: Uint8Array;
  readonly hash: TxHash;
  readonly signer: AccountId;
  readonly publicKey: Uint8Array;
  readonly group: Group;
}

/**
 * Decodes, verifies and checks the group rules, in the wire's order. Data of submissions are views of `bytes`.
 *
 * @param verifySignature `verifyStrict` at intake, since quick refusal of odd signatures is better there; or a
 * function that looks the transaction up among those already verified.
 * @param knownHash Hash of the bytes, if the caller has it already.
 * @param canonical Whether the envelope must have its one encoding.
 * @throws {Rejected} `malformed`, `not-canonical`, `bad-signature` or `group-mismatch`. Bytes that are no transaction at all have the
 * fact `message: 'Transaction'`.
 */
export function decodeTransaction(
  bytes: Uint8Array,
  verifySignature: typeof verify = verify,
  knownHash?: TxHash,
  canonical = false,
): SequencerTransaction {
  const envelope = decodeEnvelope(bytes, TRANSACTION_TYPE_URL, knownHash);
  if (canonical) mustBeCanonical(envelope);
  const { hash, signature, publicKey, body } = envelope;
  if (!verifySignature(signature, signedBytes(envelope), publicKey))
    throw new Rejected('bad-signature', { transaction: hash });
  const content = decodeTransactionBody(body);
  const group = getGroup(content.actions);
  return { bytes, hash, signer: accountIdFromPublicKey(publicKey), publicKey, ...content, group };
}

export function signTransaction(body: TransactionBody, signer: Signer): Uint8Array {
  return signEnvelope(TRANSACTION_TYPE_URL, encodeTransactionBody(body), signer);
}

/** Encodes the signed part of a transaction. */
export function encodeTransactionBody({ nonce, chainId, actions }: TransactionBody): Uint8Array {
  let capacity = 256;
  for (const action of actions) capacity += 160 + (action.kind === 'rollupDataSubmission' ? action.data.length : 0);
  const writer = new Writer(capacity);
  writer.message(1, (params) => params.uint32(1, nonce).string(2, chainId));
  const submissions = new SubmissionWriter();
  for (const action of actions) {
    if (action.kind === 'rollupDataSubmission') writer.message(2, (wrapper) => submissions.write(wrapper, action));
    else writer.bytesAlways(2, toBinary(ActionSchema, actionToWire(action)));
  }
  return writer.finish();
}

/** @throws {Rejected} `malformed`; the fact `action` is its index. A body without actions decodes. */
export function decodeTransactionBody(bytes: Uint8Array): TransactionBody {
  const reader = new Reader(bytes, 'TransactionBody');
  const submissions = new SubmissionReader();
  const actions: Action[] = [];
  let params: { nonce: number; chainId: string } | undefined;
  while (reader.next()) {
    if (reader.field === 1) {
      params = readTransactionParams(reader.message('TransactionParams'), params);
    } else if (reader.field === 2) {
      const action = reader.message('Action');
      try {
        actions.push(submissions.read(action) ?? actionFromWire(decodeMessage(ActionSchema, action.whole())));
      } catch (error) {
        throw error instanceof Rejected
          ? new Rejected(error.reason, { action: actions.length, ...error.facts }, { cause: error })
          : error;
      }
    } else reader.skip();
  }
  if (params === undefined) throw new Rejected('malformed', { part: 'params', expected: 'present' });
  return { ...params, actions };
}
