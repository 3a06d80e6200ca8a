import type { AccountId, AssetId, TxHash } from '@switchyard/protocol';
import type { Spend } from './definition.ts';

/** A transaction that this node has passed on, or is about to, and that no block has shown yet. */
export interface PendingTransaction {
  readonly hash: TxHash;
  readonly signer: AccountId;
  readonly nonce: number;
  readonly spends: readonly Spend[];
  /** Milliseconds, by the clock of the process. */
  readonly since: number;
}

interface PendingAccount {
  readonly byNonce: Map<number, PendingTransaction>;
  readonly spent: Map<AssetId, bigint>;
  /** All nonces from the committed one up to, but without, this one are pending. */
  next: number;
}

/** Counts what is on its way, so that two quick sends of one account get two nonces and no account promises more than it has. */
export class PendingTransactions {
  readonly #accounts = new Map<AccountId, PendingAccount>();
  readonly #byHash = new Map<TxHash, PendingTransaction>();

  get size(): number {
    return this.#byHash.size;
  }

  get(hash: TxHash): PendingTransaction | undefined {
    return this.#byHash.get(hash);
  }

  /** Oldest first. */
  values(): Iterable<PendingTransaction> {
    return this.#byHash.values();
  }

  /** The lowest nonce that is neither executed nor pending. */
  nextNonce(signer: AccountId, committed: number): number {
    const account = this.#accounts.get(signer);
    if (account === undefined) return committed;
    if (account.next < committed) account.next = committed;
    while (account.byNonce.has(account.next)) account.next += 1;
    return account.next;
  }

  /** What the pending transactions of an account will take from it. */
  spent(signer: AccountId, asset: AssetId): bigint {
    return this.#accounts.get(signer)?.spent.get(asset) ?? 0n;
  }

  /** A nonce that is taken keeps its first transaction; another one with it will be refused when it is executed. */
  add(transaction: PendingTransaction): boolean {
    if (this.#byHash.has(transaction.hash)) return false;
    const account = this.#accountOf(transaction.signer);
    if (account.byNonce.has(transaction.nonce)) return false;
    account.byNonce.set(transaction.nonce, transaction);
    this.#byHash.set(transaction.hash, transaction);
    for (const { asset, amount } of transaction.spends) {
      account.spent.set(asset, (account.spent.get(asset) ?? 0n) + amount);
    }
    return true;
  }

  /** Takes it out, because a block has shown it or because it will never be in one. */
  release(hash: TxHash): PendingTransaction | undefined {
    const transaction = this.#byHash.get(hash);
    const account = transaction && this.#accounts.get(transaction.signer);
    if (transaction === undefined || account === undefined) return undefined;
    this.#byHash.delete(hash);
    account.byNonce.delete(transaction.nonce);
    account.next = Math.min(account.next, transaction.nonce);
    for (const { asset, amount } of transaction.spends) {
      const left = (account.spent.get(asset) ?? 0n) - amount;
      if (left > 0n) account.spent.set(asset, left);
      else account.spent.delete(asset);
    }
    if (account.byNonce.size === 0) this.#accounts.delete(transaction.signer);
    return transaction;
  }

  #accountOf(signer: AccountId): PendingAccount {
    const known = this.#accounts.get(signer);
    if (known !== undefined) return known;
    const account = { byNonce: new Map<number, PendingTransaction>(), spent: new Map<AssetId, bigint>(), next: 0 };
    this.#accounts.set(signer, account);
    return account;
  }
}
