import { recoverSender, type Signature } from '@switchyard/evm-machine/recover';
import type { Address, Hash } from '@switchyard/evm-machine/types';
import { GenerationalCache } from '../state/generational-cache.ts';
import type { Transaction } from '../transactions/transaction.ts';

/** Recovers many at once, in order; undefined if no sender can be recovered. */
export type RecoverBatch = (signatures: readonly Signature[]) => Promise<readonly (Address | undefined)[]>;

/** Transactions whose sender is remembered. */
const MAX_KNOWN = 65_536;
/** Fewer are recovered faster here than in threads. */
const WORTH_ASKING = 16;

/** Senders of transactions. Each signature is looked at once: the intake's result serves the block too. */
export class Senders {
  readonly #known: GenerationalCache<Hash, Address>;
  readonly #recoverBatch: RecoverBatch | undefined;
  /** Called for each sender that is recovered here. */
  onFound: ((hash: Hash, sender: Address) => void) | undefined;

  constructor(recoverBatch?: RecoverBatch, maxKnown = MAX_KNOWN) {
    this.#known = new GenerationalCache(maxKnown);
    this.#recoverBatch = recoverBatch;
  }

  /** Takes over a sender that was recovered elsewhere. */
  learn(hash: Hash, sender: Address): void {
    this.#known.set(hash, sender);
  }

  /** Undefined if no sender can be recovered. */
  of({ hash, signature }: Pick<Transaction, 'hash' | 'signature'>): Address | undefined {
    const known = this.#known.get(hash);
    if (known !== undefined) return known;
    const sender = recoverSender(signature);
    if (sender !== undefined) this.#found(hash, sender);
    return sender;
  }

  /** Senders of all transactions, in order; recovered in threads if they are many. */
  async ofAll(
    transactions: readonly Pick<Transaction, 'hash' | 'signature'>[],
  ): Promise<readonly (Address | undefined)[]> {
    const senders = transactions.map(({ hash }) => this.#known.get(hash));
    const unknown = transactions.filter((_, index) => senders[index] === undefined);
    if (unknown.length >= WORTH_ASKING && this.#recoverBatch !== undefined) {
      const found = await this.#recoverBatch(unknown.map(({ signature }) => signature));
      for (const [index, { hash }] of unknown.entries()) {
        const sender = found[index];
        if (sender !== undefined) this.#found(hash, sender);
      }
    }
    return transactions.map((tx, index) => senders[index] ?? this.of(tx));
  }

  #found(hash: Hash, sender: Address): void {
    this.#known.set(hash, sender);
    this.onFound?.(hash, sender);
  }
}
