/**
 * Transactions that wait for a block, by account and nonce.
 *
 * Pending: the nonces follow the account's own without a gap, and every account that pays can pay for this and
 * for all that is pending before it. Parked: the rest. Only `insert` and `afterBlock` move a transaction
 * between the two. Everything is bounded; excess is refused, nothing held is pushed out by a stranger.
 */

import type { AccountId, SequencerTransaction, TxHash } from '@switchyard/protocol';
import type { CodeName } from '../app/codes.ts';
import type { PoolView } from '../app/types.ts';
import { AccountQueue, type Charge, Dependents, type Entry, type Ledger, Reservations } from './entry.ts';
import { type Removal, RemovedTransactions } from './removed.ts';

export interface MempoolConfig {
  readonly maxParkedPerAccount: number;
  readonly maxParked: number;
  readonly maxCount: number;
  readonly maxBytes: number;
  readonly ttlMs: number;
  /** Removals that are remembered with their reason. */
  readonly maxRemoved: number;
}

export const MEMPOOL_DEFAULTS: MempoolConfig = {
  maxParkedPerAccount: 15,
  maxParked: 200,
  maxCount: 5_000,
  maxBytes: 33_554_432,
  ttlMs: 240_000,
  maxRemoved: 50_000,
};

export type InsertOutcome =
  | 'pending'
  | 'parked'
  | Extract<
      CodeName,
      'alreadyPresent' | 'invalidNonce' | 'nonceTaken' | 'accountParkedFull' | 'parkedFull' | 'insertionFailed'
    >;

export interface BlockOutcome {
  readonly height: bigint;
  readonly included: readonly TxHash[];
  /** Accounts whose nonce or any balance the block changed. */
  readonly touched: ReadonlySet<AccountId>;
  /** The state after the block. */
  readonly ledger: Ledger;
  /** Given when fees changed: every cost is computed again. `undefined` drops the transaction. */
  readonly recost: ((tx: SequencerTransaction) => readonly Charge[] | undefined) | undefined;
}

export class Mempool implements PoolView {
  readonly #config: MempoolConfig;
  readonly #now: () => number;
  /** In the order first seen: the front expires first. */
  readonly #byHash = new Map<TxHash, Entry>();
  readonly #accounts = new Map<AccountId, AccountQueue>();
  readonly #reserved = new Reservations();
  readonly #dependents = new Dependents();
  readonly #removed: RemovedTransactions;
  readonly #listeners = new Set<() => void>();
  #pendingCount = 0;
  #bytes = 0;
  #order = 0;

  constructor(config: MempoolConfig, deps: { now(): number }) {
    this.#config = config;
    this.#now = deps.now;
    this.#removed = new RemovedTransactions(config.maxRemoved);
  }

  get count(): number {
    return this.#byHash.size;
  }

  get pendingCount(): number {
    return this.#pendingCount;
  }

  get parkedCount(): number {
    return this.count - this.#pendingCount;
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** The checked transaction, so that its signature is never verified twice while it is held. */
  get(hash: TxHash): SequencerTransaction | undefined {
    return this.#byHash.get(hash)?.tx;
  }

  findState(hash: TxHash): 'pending' | 'parked' | undefined {
    const entry = this.#byHash.get(hash);
    if (entry === undefined) return undefined;
    const queue = this.#accounts.get(entry.tx.signer);
    const last = queue?.pending.at(-1);
    return last !== undefined && entry.tx.nonce <= last.tx.nonce ? 'pending' : 'parked';
  }

  /** Why a transaction is gone, without using the answer up. */
  removal(hash: TxHash): Removal | undefined {
    return this.#removed.peek(hash);
  }

  /** Why a transaction is gone; the next `insert` of it starts afresh. */
  takeRemoval(hash: TxHash): Removal | undefined {
    return this.#removed.take(hash, this.#now());
  }

  /** The next nonce after the account's pending transactions, if it has any. */
  nextNonce(account: AccountId): number | undefined {
    const last = this.#accounts.get(account)?.pending.at(-1);
    return last === undefined ? undefined : last.tx.nonce + 1;
  }

  insert(tx: SequencerTransaction, rank: number, charges: readonly Charge[], ledger: Ledger): InsertOutcome {
    this.#expire();
    if (this.#byHash.has(tx.hash)) return 'alreadyPresent';
    const nonce = ledger.nonce(tx.signer);
    if (tx.nonce < nonce) return 'invalidNonce';
    const queue = this.#accounts.get(tx.signer) ?? new AccountQueue();
    if (queue.at(tx.nonce) !== undefined) return 'nonceTaken';
    if (this.count >= this.#config.maxCount || this.#bytes + tx.bytes.length > this.#config.maxBytes) {
      return 'insertionFailed';
    }
    const entry: Entry = { tx, rank, charges, firstSeen: this.#now(), order: this.#order };
    const follows = tx.nonce === (this.nextNonce(tx.signer) ?? nonce);
    const pending = follows && this.#reserved.covers(ledger, charges);
    if (!pending && queue.parked.length >= this.#config.maxParkedPerAccount) return 'accountParkedFull';
    if (!pending && this.parkedCount >= this.#config.maxParked) return 'parkedFull';

    this.#order += 1;
    this.#accounts.set(tx.signer, queue);
    this.#byHash.set(tx.hash, entry);
    this.#bytes += tx.bytes.length;
    this.#dependents.add(tx.signer, charges);
    if (!pending) {
      queue.park(entry);
      return 'parked';
    }
    this.#makePending(queue, entry);
    this.#promote(queue, ledger);
    this.#announce();
    return 'pending';
  }

  /**
   * Everything pending in the order a block is filled: rank of the group, then distance from the account's first
   * pending nonce, so that no account comes before others with a long queue, then age.
   */
  candidates(): readonly SequencerTransaction[] {
    const rows: { readonly entry: Entry; readonly distance: number }[] = [];
    for (const { pending } of this.#accounts.values()) {
      pending.forEach((entry, distance) => {
        rows.push({ entry, distance });
      });
    }
    rows.sort((a, b) => b.entry.rank - a.entry.rank || a.distance - b.distance || a.entry.order - b.entry.order);
    return rows.map(({ entry }) => entry.tx);
  }

  transactions(limit: number): readonly Uint8Array[] {
    const parked = [...this.#accounts.values()].flatMap((queue) => queue.parked.map(({ tx }) => tx));
    return [...this.candidates(), ...parked].slice(0, limit).map((tx) => tx.bytes);
  }

  /** Drops a transaction that failed while a block was built, and with it everything of its account that comes after it. */
  removeFailed(tx: SequencerTransaction, detail: string): void {
    this.#removeFrom(tx.signer, tx.nonce, { why: 'executionFailed', detail });
  }

  /** Brings the pool up to a committed block. */
  afterBlock({ height, included, touched, ledger, recost }: BlockOutcome): void {
    const now = this.#now();
    const removal: Removal = { why: 'alreadyIncluded', detail: `included in block ${height}` };
    for (const hash of included) {
      const entry = this.#byHash.get(hash);
      if (entry !== undefined) this.#forget(entry);
      this.#removed.add(hash, removal, now);
    }
    this.#expire();
    if (recost !== undefined) this.#recost(recost);
    const before = this.#pendingCount;
    this.#reconsider(recost === undefined ? this.#affectedBy(touched) : [...this.#accounts.keys()], ledger);
    if (this.#pendingCount > before) this.#announce();
  }

  onPending(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  #announce(): void {
    for (const listener of this.#listeners) listener();
  }

  #affectedBy(touched: ReadonlySet<AccountId>): readonly AccountId[] {
    const affected = new Set<AccountId>();
    for (const account of touched) {
      if (this.#accounts.has(account)) affected.add(account);
      for (const signer of this.#dependents.of(account)) affected.add(signer);
    }
    return [...affected];
  }

  /** Sorts the transactions of these accounts into pending and parked from nothing. */
  #reconsider(accounts: readonly AccountId[], ledger: Ledger): void {
    for (const account of accounts) {
      const queue = this.#accounts.get(account);
      if (queue === undefined) continue;
      for (const { charges } of queue.pending) this.#reserved.release(charges);
      this.#pendingCount -= queue.pending.length;
      queue.parked = [...queue.pending, ...queue.parked];
      queue.pending = [];
    }
    for (const account of accounts) {
      const queue = this.#accounts.get(account);
      if (queue === undefined) continue;
      const nonce = ledger.nonce(account);
      for (const entry of queue.parked.filter(({ tx }) => tx.nonce < nonce)) {
        this.#drop(entry, { why: 'invalidNonce', detail: `nonce ${entry.tx.nonce} was used by another transaction` });
      }
      this.#promote(queue, ledger);
    }
    // Only now is it known how many are parked for good.
    for (const account of accounts) this.#trimParked(account);
  }

  /** Moves parked transactions up for as long as they follow on and are covered. */
  #promote(queue: AccountQueue, ledger: Ledger): void {
    for (let next = queue.parked[0]; next !== undefined; next = queue.parked[0]) {
      const expected = this.nextNonce(next.tx.signer) ?? ledger.nonce(next.tx.signer);
      if (next.tx.nonce !== expected || !this.#reserved.covers(ledger, next.charges)) return;
      queue.parked.shift();
      this.#makePending(queue, next);
    }
  }

  /** A spent balance can park a long queue at once, which must not get round the limits. */
  #trimParked(account: AccountId): void {
    const { maxParkedPerAccount, maxParked } = this.#config;
    const queue = this.#accounts.get(account);
    if (queue === undefined) return;
    while (queue.parked.length > maxParkedPerAccount || (queue.parked.length > 0 && this.parkedCount > maxParked)) {
      const last = queue.parked.at(-1);
      if (last === undefined) return;
      this.#drop(last, { why: 'internal', detail: 'no longer executable, and no room among the parked transactions' });
    }
  }

  #recost(recost: (tx: SequencerTransaction) => readonly Charge[] | undefined): void {
    for (const entry of [...this.#byHash.values()]) {
      const charges = recost(entry.tx);
      if (charges === undefined) {
        this.#removeFrom(entry.tx.signer, entry.tx.nonce, {
          why: 'executionFailed',
          detail: 'its fees can no longer be paid',
        });
        continue;
      }
      if (this.findState(entry.tx.hash) === 'pending') {
        this.#reserved.release(entry.charges);
        this.#reserved.take(charges);
      }
      this.#dependents.remove(entry.tx.signer, entry.charges);
      this.#dependents.add(entry.tx.signer, charges);
      entry.charges = charges;
    }
  }

  #expire(): void {
    const deadline = this.#now() - this.#config.ttlMs;
    for (const entry of this.#byHash.values()) {
      if (entry.firstSeen > deadline) return;
      const detail = `not included within ${this.#config.ttlMs / 1000} s`;
      this.#removeFrom(entry.tx.signer, entry.tx.nonce, { why: 'expired', detail });
    }
  }

  /** Drops the transaction with this nonce, and all later ones of the account: they can never follow on. */
  #removeFrom(account: AccountId, nonce: number, removal: Removal): void {
    const queue = this.#accounts.get(account);
    if (queue === undefined) return;
    for (const entry of [...queue.pending, ...queue.parked]) {
      if (entry.tx.nonce === nonce) this.#drop(entry, removal);
      if (entry.tx.nonce > nonce) this.#drop(entry, { why: 'lowerNonceRemoved', detail: `nonce ${nonce} was removed` });
    }
  }

  #drop(entry: Entry, removal: Removal): void {
    this.#forget(entry);
    this.#removed.add(entry.tx.hash, removal, this.#now());
  }

  #makePending(queue: AccountQueue, entry: Entry): void {
    queue.pending.push(entry);
    this.#reserved.take(entry.charges);
    this.#pendingCount += 1;
  }

  #forget(entry: Entry): void {
    if (!this.#byHash.delete(entry.tx.hash)) return;
    this.#bytes -= entry.tx.bytes.length;
    this.#dependents.remove(entry.tx.signer, entry.charges);
    const queue = this.#accounts.get(entry.tx.signer);
    if (queue === undefined) return;
    const index = queue.pending.indexOf(entry);
    if (index >= 0) {
      queue.pending.splice(index, 1);
      this.#reserved.release(entry.charges);
      this.#pendingCount -= 1;
    } else queue.parked.splice(queue.parked.indexOf(entry), 1);
    if (queue.isEmpty) this.#accounts.delete(entry.tx.signer);
  }
}
