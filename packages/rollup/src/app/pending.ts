import type { AccountId, AssetId, TxHash } from '@switchyard/protocol';
import type { RollupTransaction, Spend } from './definition.ts';

/** A transaction that this node has verified and passed on, or is about to, and that no block has shown yet. */
export interface PendingTransaction {
  readonly transaction: RollupTransaction;
  readonly spends: readonly Spend[];
  /** Milliseconds, by the clock of the process. */
  readonly since: number;
}

interface PendingAccount {
  /** Hashes of the pending transactions. */
  readonly byNonce: Map<number, TxHash>;
  readonly spent: Map<AssetId, bigint>;
  /** All nonces from the committed one up to, but without, this one are pending. */
  next: number;
}

/** Counts the transactions on their way, so that two quick sends of one account get two nonces and no account promises more than it has. */
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

  /** Amount of an asset that the pending transactions of an account will take. */
  spent(signer: AccountId, asset: AssetId): bigint {
    return this.#accounts.get(signer)?.spent.get(asset) ?? 0n;
  }

  /** A nonce that is taken keeps its first transaction; another one with it will be refused when it is executed. */
  add(pending: PendingTransaction): boolean {
    const { transaction, spends } = pending;
    const { hash, nonce } = transaction;
    if (this.#byHash.has(hash)) return false;
    const account = this.#accountOf(transaction.signer);
    if (account.byNonce.has(nonce)) return false;
    account.byNonce.set(nonce, hash);
    this.#byHash.set(hash, pending);
    for (const { asset, amount } of spends) account.spent.set(asset, (account.spent.get(asset) ?? 0n) + amount);
    return true;
  }

  /** Takes it out, because a block has shown it or because it will never be in one. */
  release(hash: TxHash): void {
    const pending = this.#byHash.get(hash);
    if (pending === undefined) return;
    this.#byHash.delete(hash);
    const { signer, nonce } = pending.transaction;
    const account = this.#accountOf(signer);
    account.byNonce.delete(nonce);
    account.next = Math.min(account.next, nonce);
    for (const { asset, amount } of pending.spends) {
      const left = (account.spent.get(asset) ?? 0n) - amount;
      if (left > 0n) account.spent.set(asset, left);
      else account.spent.delete(asset);
    }
    if (account.byNonce.size === 0) this.#accounts.delete(signer);
  }

  #accountOf(signer: AccountId): PendingAccount {
    const known = this.#accounts.get(signer);
    if (known !== undefined) return known;
    const account = { byNonce: new Map<number, TxHash>(), spent: new Map<AssetId, bigint>(), next: 0 };
    this.#accounts.set(signer, account);
    return account;
  }
}
