import {
  accountIdFromPublicKey,
  decodeEnvelope,
  type Envelope,
  mustBeCanonical,
  Rejected,
  signedBytes,
  verifyEnvelope,
  verifyStrict,
} from '@switchyard/protocol';
import type { RollupTransaction, Rules, SignedTransaction } from './definition.ts';

/**
 * Bytes to a transaction whose signature is not verified yet.
 *
 * @param canonical Whether the envelope must have its one encoding: always at intake, in a block if the genesis requires it.
 * @param number Block whose rules count; the newest rules, if undefined.
 * @throws {Rejected} `empty`, `too-large`, `malformed` or `not-canonical`.
 */
export function decodeTransaction(
  definition: Pick<Rules, 'transactions' | 'transactionsAt'>,
  bytes: Uint8Array,
  canonical: boolean,
  number?: bigint,
): SignedTransaction {
  const { transactionsAt } = definition;
  const transactions =
    number === undefined || transactionsAt === undefined ? definition.transactions : transactionsAt(number);
  if (bytes.length === 0) throw new Rejected('empty', { field: 'transaction' });
  if (bytes.length > transactions.maxBytes) {
    throw new Rejected('too-large', { field: 'transaction', limit: transactions.maxBytes, got: bytes.length });
  }
  const envelope = decodeEnvelope(bytes, transactions.typeUrl);
  if (canonical) mustBeCanonical(envelope);
  const { nonce, chainId, actions, lastBlock } = transactions.decodeBody(envelope.body);
  const signer = accountIdFromPublicKey(envelope.publicKey);
  const transaction = { hash: envelope.hash, signer, nonce, chainId, actions, lastBlock, format: transactions };
  return { envelope, transaction };
}

/**
 * How many signatures of a block may be verified by the slow library. A signature that the fast one refuses is nearly always
 * wrong, and a block full of such would take minutes. Beyond this number the fast one's answer counts: a rule of the
 * rollup, the same on every node.
 */
export const SLOW_CHECKS_PER_BLOCK = 64;

/** Verifies the signatures of one block. */
export class BlockSignatures {
  #slowChecks = SLOW_CHECKS_PER_BLOCK;

  /** @throws {Rejected} `bad-signature` */
  verified({ envelope, transaction }: SignedTransaction): RollupTransaction {
    if (isStrictlySigned(envelope)) return transaction;
    if (this.#slowChecks === 0) throw new Rejected('bad-signature');
    this.#slowChecks -= 1;
    verifyEnvelope(envelope);
    return transaction;
  }
}

/** The check at intake: transactions that pass it pass the rule for blocks too. */
export function isStrictlySigned(envelope: Envelope): boolean {
  return verifyStrict(envelope.signature, signedBytes(envelope), envelope.publicKey);
}
