import { numberOf, wordOf } from '../hex.ts';
import { Senders } from '../senders/senders.ts';
import type { Transaction } from '../transaction.ts';
import type { RecoverableSignature } from '../transaction-sign.ts';
import type { Address } from '../types.ts';

/** Who sent what, where some accounts are impersonated: their transactions have no signature, but their address in its place. */
export class ImpersonatedSenders extends Senders {
  readonly #accounts = new Set<Address>();
  /** Whether every account is. */
  all = false;

  has(account: Address): boolean {
    return this.all || this.#accounts.has(account);
  }

  add(account: Address): void {
    this.#accounts.add(account);
  }

  delete(account: Address): boolean {
    return this.#accounts.delete(account);
  }

  clear(): void {
    this.#accounts.clear();
    this.all = false;
  }

  override of(tx: Pick<Transaction, 'hash' | 'signature'>): Address | undefined {
    return this.#impersonated(tx) ?? super.of(tx);
  }

  override async ofAll(all: readonly Pick<Transaction, 'hash' | 'signature'>[]) {
    return all.map((tx) => this.of(tx));
  }

  #impersonated({ signature: { r, s } }: Pick<Transaction, 'signature'>): Address | undefined {
    if (numberOf(r) !== MARK) return undefined;
    const account = addressOf(numberOf(s));
    return account !== undefined && this.has(account) ? account : undefined;
  }
}

/** In the place of r. */
const MARK = 1n;
/** Before the address, so that it is a number that a signature may hold, also for the address of zeros. */
const PREFIX = 1n << 160n;

/** In place of a signature of an account that is impersonated. */
export function markOf(account: Address): RecoverableSignature {
  return { signature: [MARK, PREFIX + BigInt(account)], recid: 0 };
}

function addressOf(s: bigint): Address | undefined {
  return s >> 160n === 1n ? `0x${wordOf(s).slice(26)}` : undefined;
}
