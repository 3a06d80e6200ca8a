import {
  decodeEnvelope,
  mustBeCanonical,
  Rejected,
  signedBytes,
  verifyEnvelope,
  verifyStrict,
} from '@switchyard/protocol';
import { bringWalletSignatures, isOfWallet, isSignedByWallet, signerOf } from '@switchyard/protocol/wallet-signature';
import type { RollupTransaction, Rules, SignedEnvelope, SignedTransaction } from './definition.ts';

/** Most bytes of a body that a wallet signs: a person reads no more, and its hash takes long. */
const MOST_WALLET_BYTES = 4_096;

/**
 * Bytes to a transaction whose signature is not verified yet.
 *
 * @param canonical Whether the envelope must have its one encoding: always at intake, in a block if the genesis requires it.
 * @param number Block whose rules count; the newest rules, if undefined.
 * @throws {Rejected} `empty`, `too-large`, `malformed` or `not-canonical`.
 */
export function decodeTransaction(
  definition: Pick<Rules, 'genesis' | 'transactions' | 'transactionsAt'>,
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
  const { walletDigest } = transactions;
  const { signatures = ['ed25519'] } = definition.genesis;
  const wallets = walletDigest !== undefined && signatures.includes('secp256k1');
  const envelope = decodeEnvelope(bytes, transactions.typeUrl, undefined, wallets);
  if (canonical) mustBeCanonical(envelope);
  const isWallet = isOfWallet(envelope);
  if (!isWallet && !signatures.includes('ed25519'))
    throw new Rejected('malformed', { part: 'signature', expected: signatures.join(', '), got: 'ed25519' });
  const { length } = envelope.body;
  if (isWallet && length > MOST_WALLET_BYTES)
    throw new Rejected('too-large', { field: 'body signed by a wallet', limit: MOST_WALLET_BYTES, got: length });
  const body = transactions.decodeBody(envelope.body);
  const { nonce, chainId, actions, lastBlock } = body;
  const { hash } = envelope;
  const transaction = { hash, signer: signerOf(envelope), nonce, chainId, actions, lastBlock, format: transactions };
  const digest = walletDigest && isWallet && (() => walletDigest(envelope, body));
  return { envelope: digest ? { ...envelope, digest } : envelope, transaction };
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
    if (this.#slowChecks === 0 || isOfWallet(envelope)) throw new Rejected('bad-signature');
    this.#slowChecks -= 1;
    verifyEnvelope(envelope);
    return transaction;
  }
}

/** Loads what the signatures of a chain are verified with. It has to resolve before the first of its transactions is verified. */
export async function bringSignatures({ signatures }: Rules['genesis']): Promise<void> {
  if (signatures?.includes('secp256k1')) await bringWalletSignatures();
}

/** The check at intake: transactions that pass it pass the rule for blocks too. */
export function isStrictlySigned(envelope: SignedEnvelope): boolean {
  const verifySignature = isOfWallet(envelope) ? isSignedByWallet : verifyStrict;
  return verifySignature(envelope.signature, messageOf(envelope), envelope.publicKey);
}

/** Bytes that its key has signed. */
export function messageOf(envelope: SignedEnvelope): Uint8Array {
  return envelope.digest?.() ?? signedBytes(envelope);
}
