import type { AccountId, AssetId, SequencerTransaction } from '@switchyard/protocol';

/** Amount that a transaction takes from one account if it is executed. */
export interface Charge {
  readonly account: AccountId;
  readonly asset: AssetId;
  readonly amount: bigint;
}

/** Committed state, as far as the pool looks at it. */
export interface Ledger {
  nonce(account: AccountId): number;
  balance(account: AccountId, asset: AssetId): bigint;
}

/** One held transaction. */
export interface Entry {
  readonly tx: SequencerTransaction;
  /** Rank of its group: higher goes into a block first. */
  readonly rank: number;
  /** One charge for each account and asset. Replaced when fees change. */
  charges: readonly Charge[];
  /** Milliseconds, and a running number that orders arrivals within one. */
  readonly firstSeen: number;
  readonly order: number;
}

/** Amounts of an account's assets that pending transactions will take, so that two of them cannot count on the same money. */
export class Reservations {
  readonly #taken = new Map<string, bigint>();

  covers(ledger: Ledger, charges: readonly Charge[]): boolean {
    return charges.every(
      (charge) => (this.#taken.get(key(charge)) ?? 0n) + charge.amount <= ledger.balance(charge.account, charge.asset),
    );
  }

  take(charges: readonly Charge[]): void {
    for (const charge of charges) {
      const row = key(charge);
      this.#taken.set(row, (this.#taken.get(row) ?? 0n) + charge.amount);
    }
  }

  release(charges: readonly Charge[]): void {
    for (const charge of charges) {
      const row = key(charge);
      const left = (this.#taken.get(row) ?? 0n) - charge.amount;
      if (left > 0n) this.#taken.set(row, left);
      else this.#taken.delete(row);
    }
  }
}

function key({ account, asset }: Charge): string {
  return `${account}/${asset}`;
}

/** Pending and parked transactions of one account, both by ascending nonce. */
export class AccountQueue {
  pending: Entry[] = [];
  parked: Entry[] = [];

  at(nonce: number): Entry | undefined {
    const [first] = this.pending;
    const index = first === undefined ? -1 : nonce - first.tx.nonce;
    return this.pending[index] ?? this.parked.find((entry) => entry.tx.nonce === nonce);
  }

  park(entry: Entry): void {
    const index = this.parked.findIndex((other) => other.tx.nonce > entry.tx.nonce);
    this.parked.splice(index === -1 ? this.parked.length : index, 0, entry);
  }

  get isEmpty(): boolean {
    return this.pending.length === 0 && this.parked.length === 0;
  }
}

/** Signers whose transactions take money from an account that is not their own: they depend on its balance too. */
export class Dependents {
  readonly #bySource = new Map<AccountId, Map<AccountId, number>>();

  add(signer: AccountId, charges: readonly Charge[]): void {
    this.#count(signer, charges, 1);
  }

  remove(signer: AccountId, charges: readonly Charge[]): void {
    this.#count(signer, charges, -1);
  }

  of(account: AccountId): Iterable<AccountId> {
    return this.#bySource.get(account)?.keys() ?? [];
  }

  #count(signer: AccountId, charges: readonly Charge[], step: number): void {
    for (const { account } of charges) {
      if (account === signer) continue;
      const signers = this.#bySource.get(account) ?? new Map<AccountId, number>();
      const count = (signers.get(signer) ?? 0) + step;
      if (count > 0) signers.set(signer, count);
      else signers.delete(signer);
      if (signers.size > 0) this.#bySource.set(account, signers);
      else this.#bySource.delete(account);
    }
  }
}
