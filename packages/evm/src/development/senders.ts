import type { Address } from '@switchyard/evm-machine/types';
import { bytesToBigInt, toWord } from '@switchyard/protocol/ethereum';
import { Senders } from '../senders/senders.ts';
import type { RecoverableSignature } from '../transactions/sign.ts';
import type { Transaction } from '../transactions/transaction.ts';

/** Finds senders if some transactions have no signature, but their sender's address in its place. */
export class ImpersonatedSenders extends Senders {
  /** Accounts that `eth_sendTransaction` sends for without a key. */
  readonly #accounts = new Set<Address>();
  /** Whether every account is among them. */
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
    const { r, s } = tx.signature;
    return (bytesToBigInt(r) === MARK ? findAddress(bytesToBigInt(s)) : undefined) ?? super.of(tx);
  }

  override async ofAll(all: readonly Pick<Transaction, 'hash' | 'signature'>[]) {
    return all.map((tx) => this.of(tx));
  }
}

/** In the place of r. */
const MARK = 1n;
/** Before the address, so that it is a number that a signature may hold, also for the address of zeros. */
const PREFIX = 1n << 160n;

/** In place of a signature. */
export function toMark(account: Address): RecoverableSignature {
  return { signature: [MARK, PREFIX + BigInt(account)], recid: 0 };
}

function findAddress(s: bigint): Address | undefined {
  return s >> 160n === 1n ? `0x${toWord(s).slice(26)}` : undefined;
}
