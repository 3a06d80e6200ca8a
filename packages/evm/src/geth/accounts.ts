import { findAuthority } from '@switchyard/evm-machine/delegation';
import type { Address, Hash, Withdrawal } from '@switchyard/evm-machine/types';
import type { StoredReceipt } from '../chain/chain.ts';
import type { Candidate } from '../embedded/entries.ts';
import type { PoolAccount } from '../pool/deps.ts';
import { leastGas } from '../rules/rules.ts';
import type { SenderAccount } from './decide.ts';

/** Reads accounts, after the block with this hash. */
export interface AccountSource {
  account(address: Address, block: Hash): Promise<PoolAccount>;
  hasCode(address: Address, block: Hash): Promise<boolean>;
}

/** An executed block, as far as it changes its senders' accounts. */
export interface AppliedBlock {
  readonly hash: Hash;
  readonly included: readonly Candidate[];
  readonly receipts: readonly StoredReceipt[];
  readonly withdrawals: readonly Withdrawal[];
}

const MAX_KNOWN = 200_000;
/** Questions that are on their way at a time. */
const AT_A_TIME = 256;
const WEI_PER_GWEI = 1_000_000_000n;
/** Addresses up to this one may be precompiles, now or in a later fork: no code, and yet they run. */
const LAST_PRECOMPILE = 0xffffn;

/**
 * The accounts of senders from block to block, so that paying senders are not fetched again: their
 * own spending is exact, receipts from others are left out, so balances are lower bounds.
 */
export class SenderAccounts {
  readonly #source: AccountSource;
  readonly #known = new Map<Address, PoolAccount>();
  /** Known accounts that are not only changed by their own transactions: they run code, which may send and create. */
  readonly #delegated = new Set<Address>();
  /** The block after which they are known. */
  #after: Hash | undefined;

  constructor(source: AccountSource) {
    this.#source = source;
  }

  /** All senders of the candidates; exact if the lower bound does not cover all that they could cost. */
  async at(
    block: Hash,
    candidates: readonly Candidate[],
  ): Promise<{ readonly senders: ReadonlyMap<Address, SenderAccount>; readonly codeless: ReadonlySet<Address> }> {
    if (this.#after !== block || this.#known.size > MAX_KNOWN) this.forget();
    this.#after = block;
    const costs = new Map<Address, bigint>();
    for (const { tx, from } of candidates)
      costs.set(from, (costs.get(from) ?? 0n) + tx.gasLimit * tx.maxFeePerGas + tx.value);
    const senders = new Map<Address, SenderAccount>();
    const unsure: Address[] = [];
    for (const [address, cost] of costs) {
      const known = this.#known.get(address);
      if (known === undefined || known.balance < cost) unsure.push(address);
      else senders.set(address, { ...known, isExact: false });
    }
    await inParallel(unsure, async (address) => {
      const account = await this.#source.account(address, block);
      this.#known.set(address, account);
      if (account.isDelegated) this.#delegated.add(address);
      senders.set(address, { ...account, isExact: true });
    });
    const poor = new Set(
      unsure.filter((address) => (senders.get(address)?.balance ?? 0n) < (costs.get(address) ?? 0n)),
    );
    return { senders, codeless: await this.#codeless(block, candidates, poor) };
  }

  /** Recipients of transfers by senders who may run out of money: their arrival decides about the next one. */
  async #codeless(block: Hash, candidates: readonly Candidate[], poor: ReadonlySet<Address>) {
    const recipients = new Set<Address>();
    for (const { tx, from } of candidates) {
      if (tx.to === undefined || !poor.has(from) || BigInt(tx.to) <= LAST_PRECOMPILE) continue;
      // This figure only spares a look: from Amsterdam on no bound follows from it.
      if (tx.gasLimit === leastGas(tx, 'osaka', from).intrinsic) recipients.add(tx.to);
    }
    const codeless = new Set<Address>();
    await inParallel([...recipients], async (address) => {
      if (!(await this.#source.hasCode(address, block))) codeless.add(address);
    });
    return codeless;
  }

  /** The next block is built on this one. */
  applied({ hash, included, receipts, withdrawals }: AppliedBlock): void {
    this.#after = hash;
    included.forEach(({ tx, from }, index) => {
      const receipt = receipts[index];
      if (receipt === undefined) throw new Error(`transaction ${tx.hash} has no receipt`);
      const moved = receipt.status === 1 ? tx.value : 0n;
      this.#add(from, -receipt.gasUsed * receipt.effectiveGasPrice - moved, 1n);
      if (tx.to !== undefined) this.#add(tx.to, moved, 0n);
    });
    for (const { address, amount } of withdrawals) this.#add(address, amount * WEI_PER_GWEI, 0n);
    for (const address of this.#delegated) this.#known.delete(address);
    this.#delegated.clear();
    for (const { tx } of included)
      for (const authorization of tx.authorizations ?? []) {
        const authority = findAuthority(authorization);
        if (authority !== undefined) this.#known.delete(authority);
      }
  }

  /** Drops all known accounts, which may be wrong. */
  forget(): void {
    this.#known.clear();
    this.#delegated.clear();
    this.#after = undefined;
  }

  #add(address: Address, wei: bigint, nonces: bigint): void {
    const known = this.#known.get(address);
    // A contract may pass on its receipts.
    if (known === undefined || known.hasCode) return;
    this.#known.set(address, { ...known, nonce: known.nonce + nonces, balance: known.balance + wei });
  }
}

async function inParallel<T>(items: readonly T[], work: (item: T) => Promise<void>): Promise<void> {
  for (let from = 0; from < items.length; from += AT_A_TIME)
    await Promise.all(items.slice(from, from + AT_A_TIME).map(work));
}
