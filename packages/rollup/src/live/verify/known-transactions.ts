import { type Envelope, Rejected, signedBytes, type TxHash, toHex } from '@switchyard/protocol';
import type { RollupTransaction, Rules } from '../../app/definition.ts';
import type { KnownTransactions } from '../../app/execute-block.ts';
import { decodeTransaction } from '../../app/transaction.ts';
import type { BlockInput } from '../../execution/executor.ts';

/*
 * Signatures of a block, verified by the platform before the block is executed: it takes a thirtieth of the time that a page
 * needs itself. Everything else about them is decided by the execution, which verifies the others.
 */

/** Keys that are kept for the next block. */
const MOST_KEYS = 10_000;
/** Sign bit apart, the encodings of the points of small order, which no node's fast check takes. */
const SMALL_ORDER: ReadonlySet<string> = new Set([
  '00'.repeat(32),
  `01${'00'.repeat(31)}`,
  `ec${'ff'.repeat(30)}7f`,
  '26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05',
  'c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a',
]);

const isSmallOrder = (point: Uint8Array): boolean => {
  const y = Uint8Array.from(point);
  y[31] = (y[31] ?? 0) & 0x7f;
  return SMALL_ORDER.has(toHex(y));
};

/** Whether the number in it is surely below the prime of the field; few keys are in doubt, and left to the execution. */
const isReduced = (key: Uint8Array): boolean => ((key[31] ?? 0) & 0x7f) !== 0x7f || key[30] !== 0xff;

type Key = ReturnType<typeof crypto.subtle.importKey>;

/** Verifies signatures by WebCrypto, if the platform has Ed25519. */
export class PlatformSignatures {
  readonly #keys = new Map<string, Key>();

  /** Transactions of a block that are signed for certain. */
  async known(rules: Rules, { entries }: BlockInput, number: bigint): Promise<KnownTransactions> {
    const found = new Map<TxHash, RollupTransaction>();
    const { canonicalTransactions: canonical = false } = rules.genesis;
    const check = async (data: Uint8Array): Promise<void> => {
      const { envelope, transaction } = decodeTransaction(rules, data, canonical, number);
      if (await this.#isSigned(envelope)) found.set(transaction.hash, transaction);
    };
    const checks = entries.flatMap((entry) => (entry.kind === 'sequencedData' ? [check(entry.data)] : []));
    for (const { status, reason } of (await Promise.allSettled(checks)) as PromiseRejectedResult[])
      if (status === 'rejected' && !(reason instanceof Rejected)) throw reason;
    if (this.#keys.size > MOST_KEYS) this.#keys.clear();
    return (hash) => found.get(hash);
  }

  async #isSigned(envelope: Envelope): Promise<boolean> {
    const { publicKey, signature } = envelope;
    if (isSmallOrder(publicKey) || !isReduced(publicKey) || isSmallOrder(signature.subarray(0, 32))) return false;
    try {
      const key = await this.#key(publicKey);
      return await crypto.subtle.verify('Ed25519', key, copied(signature), copied(signedBytes(envelope)));
    } catch {
      // An older browser, or bytes that encode no key.
      return false;
    }
  }

  #key(bytes: Uint8Array): Key {
    const name = toHex(bytes);
    const known = this.#keys.get(name);
    if (known !== undefined) return known;
    const key = crypto.subtle.importKey('raw', copied(bytes), 'Ed25519', false, ['verify']);
    this.#keys.set(name, key);
    return key;
  }
}

/** The platform takes no views of shared memory, which the type of a view leaves open. */
const copied = (bytes: Uint8Array): Uint8Array<ArrayBuffer> => Uint8Array.from(bytes);
