import type { Address, Hash } from '@switchyard/evm-machine/types';
import { type TxHash, txHashOf } from '@switchyard/protocol';
import { type Forwarded, Forwarder, type ForwarderDeps, SequencerWatch } from '@switchyard/rollup/execution';
import {
  type Clock,
  type Logger,
  Notifier,
  sinceStored,
  systemClock,
  type WallClock,
  wallClock,
} from '@switchyard/service';
import { GenerationalCache } from '../state/generational-cache.ts';
import { Accounts } from './accounts.ts';
import { computeCost, feeCapTooLow, inFlightLimit, lackingFunds, type Situation } from './admission.ts';
import { fitsLater, isHopeless, nonceTooLow, readmission } from './again.ts';
import type { LocalOutcome, PoolAccount, PoolBounds, PoolCommit, PoolDeps, SignedTransaction } from './deps.ts';
import { Entries, Entry, type Progress, unclearSince } from './entries.ts';
import { PoolJournal } from './journal.ts';
import { LocalOutcomes } from './local-outcomes.ts';
import type { PoolTransaction } from './pool.ts';
import { Waiters } from './waiters.ts';

const KEPT_OUTCOMES = 10_000;
const KEPT_SUBMISSIONS = 20_000;
/** A transaction that is in no block after this time is looked up. */
export const LOOK_AFTER_MS = 20_000;
/** Longer if the composer is unreachable, and would include a transaction twice if it were sent again. */
const SEND_AGAIN_AFTER_MS = 120_000;
const UNCLEAR_AGAIN_AFTER_MS = 30_000;
/**
 * Blocks before the start of the process whose refusals are looked at again. What a block refuses for now is noted within
 * the turn of its commit, so one would do if commits have one block.
 */
const LOOKED_AT_AGAIN = 4;

/**
 * The parts of a pool and the few moves that keep them in step.
 *
 * ```
 *         its nonce is next                 the composer has it        a block shows it
 *   new ─────────────────────► sent, under way ──────────────► sent ───────────────────► gone
 *    │ a nonce before it is missing   ▲                                                    ▲
 *    └─────► held, on our disk ───────┘ the gap has closed      replaced, expired ─────────┘
 * ```
 *
 * If the composer's answer is lost for good, a transaction is unclear: it goes back to the held ones without being
 * acknowledged, so that it is sent again, and later ones wait on our disk in the meantime.
 */
export class PoolCore {
  readonly deps: PoolDeps;
  readonly bounds: PoolBounds;
  readonly clock: Clock;
  readonly wall: WallClock;
  readonly log: Logger;
  readonly entries = new Entries();
  readonly accounts: Accounts;
  readonly outcomes: LocalOutcomes;
  readonly journal: PoolJournal;
  readonly watch: SequencerWatch;
  readonly forwarder: Forwarder;
  readonly waiters: Waiters;
  /** Wakes the sweep when an outcome becomes doubtful, instead of at its next turn. */
  readonly doubt = new Notifier();
  /** Transactions that were sent on, by the hash that the composer has for them. */
  readonly submissions = new GenerationalCache<TxHash, Hash>(KEPT_SUBMISSIONS);
  /** Aborts when the pool stops. */
  signal: AbortSignal = new AbortController().signal;
  readonly #listeners = new Set<(transaction: PoolTransaction) => void>();

  constructor(
    deps: PoolDeps,
    bounds: PoolBounds,
    onFound: (core: PoolCore, ...found: Parameters<ForwarderDeps['onFound']>) => Promise<void>,
  ) {
    const { chain, clock = systemClock, wall = wallClock, collector, log, random, store } = deps;
    this.deps = deps;
    this.bounds = bounds;
    this.clock = clock;
    this.wall = wall;
    this.log = log;
    this.accounts = new Accounts(chain);
    this.waiters = new Waiters(clock, bounds.answerWithinMs);
    this.outcomes = new LocalOutcomes(KEPT_OUTCOMES, store.outcomes());
    this.journal = new PoolJournal(store, (error) =>
      log.error({ err: error }, 'transaction pool cannot write to disk; transactions behind a nonce gap are rejected'),
    );
    let foundAbove: bigint | undefined = executedBefore(chain, LOOKED_AT_AGAIN);
    this.watch = new SequencerWatch({
      ...{ collector, clock, log },
      executedHeight: () => chain.sequencerHeight,
      executedHash: async (height) => chain.sequencerHash(height),
    });
    this.forwarder = new Forwarder(
      { maxItems: bounds.maxSent, maxBytes: bounds.maxSentBytes },
      {
        ...{ collector, log, clock, ...(random && { random }) },
        executedHeight: () => chain.sequencerHeight,
        // Refusals by blocks before the composer is found are unknown to this process as well.
        foundAbove: () => foundAbove ?? chain.sequencerHeight,
        obstacle: () => this.watch.trouble,
        onFound: async (found) => {
          await this.watch.look(this.signal);
          await onFound(this, found);
          foundAbove = undefined;
        },
      },
    );
    chain.onCommit((commit) => this.#afterCommit(commit));
  }

  toEntry(tx: SignedTransaction, raw: Uint8Array, progress: Progress, receivedAt: number = this.wall.unixMs()): Entry {
    return new Entry(tx, raw, progress, {
      cost: computeCost(tx),
      receivedAt,
      since: sinceStored(receivedAt, this),
      lookAt: this.clock.now() + LOOK_AFTER_MS,
    });
  }

  get lookAfterMs(): number {
    return this.forwarder.detectsCopies ? LOOK_AFTER_MS : SEND_AGAIN_AFTER_MS;
  }

  /** Hands an entry to the composer. What it does not accept is removed, or held again. */
  forward(entry: Entry): void {
    const since = unclearSince(entry);
    const unclear = since === undefined ? {} : { unclearSince: since };
    this.entries.move(entry, { kind: 'forwarding', requeue: false, ...unclear });
    entry.lookAt = this.clock.now() + this.lookAfterMs;
    this.submissions.set(txHashOf(entry.raw), entry.hash);
    this.forwarder.forward(entry.raw, (outcome) => this.#settle(entry, outcome));
  }

  /**
   * Notes sent transactions on disk too, so that a restart does not forget sequenced ones that are not yet executed.
   * Most are in a block before it comes to that.
   */
  keepSent(olderThanMs: number, limit: number): void {
    const before = this.clock.now() - olderThanMs;
    let kept = 0;
    for (const entry of this.entries.sent()) {
      if (kept >= limit) return;
      if (entry.isKept || !entry.isAcknowledged || entry.since > before) continue;
      // The journal reports a failing disk; the composer has the transaction as well.
      this.keep(entry).catch(() => undefined);
      kept += 1;
    }
  }

  /** The composer has it, as was found out in another way than by handing it over. */
  markSent(entry: Entry): void {
    this.entries.move(entry, { kind: 'sent' });
    entry.isAcknowledged = true;
    this.#unkeep(entry);
  }

  /** Removes an entry, and the entry to replace. @param outcome If no block has it. */
  remove(entry: Entry, outcome?: LocalOutcome): void {
    this.entries.remove(entry);
    this.#unkeep(entry);
    if (outcome !== undefined) this.recordOutcome(entry.hash, outcome);
    if (entry.replaces !== undefined) this.replaced(entry.replaces, entry.hash);
    entry.replaces = undefined;
  }

  recordOutcome(hash: Hash, outcome: LocalOutcome): void {
    const record = { hash, outcome };
    this.journal.outcome(record, this.outcomes.add(record));
  }

  /** Drops overtaken entries and sends the next ones, in case the news of a block or of the composer was missed. */
  review(address: Address): void {
    this.#withAccount(address, (account) => this.#accountChanged(address, account, () => undefined));
  }

  #accountChanged(address: Address, account: PoolAccount, includedAt: (nonce: bigint) => Hash | undefined): void {
    this.dropOvertaken(address, account.nonce, includedAt);
    this.#dropUnpayable(address, account);
    this.#readmit(address, account);
    this.promote(address);
  }

  /** Sends the held entries of a sender, up to the first gap. */
  promote(address: Address): void {
    if (this.entries.getHeld(address) === 0) return;
    this.#withAccount(address, (account) => {
      for (;;) {
        const entry = this.entries.at(address, this.entries.nextNonce(address, account.nonce));
        if (entry?.progress.kind !== 'held' && entry?.progress.kind !== 'unclear') return;
        const reason = this.#obstacle(entry, account);
        if (reason !== undefined) {
          entry.progress = { ...entry.progress, reason };
          return;
        }
        this.forward(entry);
      }
    });
  }

  /** It is sent again when its turn comes. The composer does not take transactions that it still has a second time. */
  holdAgain(entry: Entry, progress: Progress = { kind: 'held' }): void {
    if (entry.isFound) {
      this.entries.move(entry, { kind: 'undecided' });
      return;
    }
    this.entries.move(entry, progress);
    // The journal reports a failing disk; the transaction stays in memory.
    this.keep(entry).catch(() => undefined);
  }

  toSituation(account: PoolAccount): Situation {
    const { bounds, deps, entries } = this;
    return { entries, account, baseFee: deps.chain.nextBaseFee, bounds };
  }

  /** Drops entries that a committed nonce has overtaken. @param includedAt The transaction that has a nonce, if that is known. */
  dropOvertaken(address: Address, next: bigint, includedAt: (nonce: bigint) => Hash | undefined): void {
    for (const entry of [...this.entries.from(address)]) {
      if (entry.nonce >= next) continue;
      const by = includedAt(entry.nonce);
      if (by === entry.hash) this.remove(entry);
      else if (by !== undefined) this.remove(entry, { kind: 'replaced', by });
      else this.remove(entry, nonceTooLow(entry.nonce, next));
    }
  }

  /** Drops the held entries of an account if code, its own or another's, has spent the funds for them. */
  #dropUnpayable(address: Address, { balance, hasCode, isDelegated }: PoolAccount): void {
    if (!hasCode && !isDelegated) return;
    for (const entry of [...this.entries.from(address)]) {
      if (entry.progress.kind !== 'held') continue;
      const lacking = lackingFunds(entry.tx, balance, 0n);
      if (lacking !== undefined)
        this.remove(entry, { kind: 'refused', code: 'insufficient-funds', reason: lacking.rpcMessage });
    }
  }

  /** Decides about found entries that blocks have refused for now: they wait like submissions of clients, or leave, with an outcome. */
  #readmit(address: Address, account: PoolAccount): void {
    const found = [...this.entries.from(address)].filter(({ progress }) => progress.kind === 'undecided');
    if (found.length === 0) return;
    found.sort((a, b) => (a.nonce < b.nonce ? -1 : 1));
    for (const entry of found) this.entries.remove(entry);
    for (const { entry, refusal } of readmission(found, this.toSituation(account))) {
      if (refusal === undefined) {
        entry.isFound = false;
        this.entries.add(entry);
        this.holdAgain(entry);
      } else this.remove(entry, { kind: 'refused', code: 'not-admitted', reason: refusal.rpcMessage });
    }
  }

  onPending(listener: (transaction: PoolTransaction) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Why an entry whose nonce is next cannot be sent on now. */
  #obstacle(entry: Entry, account: PoolAccount): string | undefined {
    const { tx, raw } = entry;
    const busy = this.forwarder.refusal(1, raw.length);
    if (busy !== undefined) return busy;
    const age = this.clock.now() - (unclearSince(entry) ?? Number.NEGATIVE_INFINITY);
    if (!this.forwarder.detectsCopies && age < UNCLEAR_AGAIN_AFTER_MS)
      return 'the composer may have it and would not detect a copy, so a block is awaited first';
    if (this.entries.sentCount >= this.bounds.maxSent) return 'too many transactions wait for a block';
    const promised = this.entries.getSentCost(tx.from);
    return (
      inFlightLimit(tx.from, account, this.entries) ??
      feeCapTooLow(tx, this.deps.chain.nextBaseFee) ??
      lackingFunds(tx, account.balance, promised)
    )?.rpcMessage;
  }

  #settle(entry: Entry, outcome: Forwarded): void {
    // That this attempt did not reach the composer does not tell whether the one before it did.
    const isStillUnclear = outcome.kind === 'unavailable' && unclearSince(entry) !== undefined;
    const known: Forwarded = isStillUnclear ? { kind: 'unclear', reason: outcome.reason } : outcome;
    // A block, or another transaction with its nonce, may have been quicker than the answer.
    if (this.entries.get(entry.hash) === entry) {
      if (known.kind === 'accepted') this.#accepted(entry);
      else if (known.kind === 'unclear') this.#unclear(entry, known.reason);
      else this.#notAccepted(entry, known);
    }
    this.waiters.settle(entry.hash, known);
  }

  #unclear(entry: Entry, reason: string): void {
    const progress: Progress = { kind: 'unclear', since: unclearSince(entry) ?? this.clock.now(), reason };
    if (entry.isAcknowledged) this.holdAgain(entry, progress);
    else this.entries.move(entry, progress);
  }

  #accepted(entry: Entry): void {
    const { progress, replaces } = entry;
    entry.replaces = undefined;
    if (replaces !== undefined) this.replaced(replaces, entry.hash);
    this.markSent(entry);
    if (progress.kind === 'forwarding' && progress.requeue) this.holdAgain(entry);
    else this.#announce(entry);
    this.promote(entry.from);
  }

  #announce(entry: Entry): void {
    for (const listener of this.#listeners) {
      try {
        listener(entry);
      } catch (error) {
        this.log.error({ err: error }, 'a listener for pending transactions failed');
      }
    }
  }

  #notAccepted(entry: Entry, { kind, reason }: Exclude<Forwarded, { kind: 'accepted' | 'unclear' }>): void {
    const { replaces } = entry;
    // An entry on its way to the disk is acknowledged once written, so it must not vanish in the meantime either.
    const isPromised = entry.isAcknowledged || entry.isKept;
    if (kind === 'unavailable' && isPromised) {
      // It is sent again: by `promote`, or by the sweep.
      this.entries.move(entry, entry.isKept ? { kind: 'held' } : { kind: 'sent' });
      return;
    }
    if (isPromised) this.log.warn({ transaction: entry.hash, reason }, 'composer rejected a held transaction');
    entry.replaces = undefined;
    this.remove(entry, isPromised ? { kind: 'refused', code: 'composer', reason } : undefined);
    if (replaces !== undefined) this.entries.add(replaces);
  }

  #afterCommit({ included, refused }: PoolCommit): void {
    this.accounts.forget();
    const touched = new Set<Address>();
    for (const { hash, from } of included) {
      const entry = this.entries.get(hash);
      if (entry !== undefined) this.remove(entry);
      touched.add(from);
    }
    for (const { hash, code } of refused) {
      const entry = this.entries.get(hash);
      if (entry !== undefined) this.#rejections(entry, code, touched);
    }
    for (const address of touched) {
      if (!this.entries.has(address)) continue;
      this.#withAccount(address, (account) =>
        this.#accountChanged(address, account, (nonce) => this.#includedAt(included, address, nonce)),
      );
    }
  }

  /** A block did not take it, or took another copy of it from elsewhere. */
  #rejections(entry: Entry, code: string, touched: Set<Address>): void {
    if (entry.state === 'held') return;
    entry.rejections += 1;
    if (!fitsLater(code) || isHopeless(entry)) {
      // The composer knows whether ours is still to come.
      entry.lookAt = 0;
      this.doubt.notify();
      return;
    }
    if (entry.progress.kind === 'forwarding') entry.progress = { ...entry.progress, requeue: true };
    else this.holdAgain(entry);
    touched.add(entry.from);
  }

  /** Rare, so nothing is decoded without demand. */
  #includedAt(included: PoolCommit['included'], address: Address, nonce: bigint): Hash | undefined {
    return included.find(({ from, raw }) => from === address && this.deps.check(raw).nonce === nonce)?.hash;
  }

  #withAccount(address: Address, use: (account: PoolAccount) => void): void {
    const account = this.accounts.get(address);
    if (!(account instanceof Promise)) {
      use(account);
      return;
    }
    account.then(use).catch((error: unknown) => this.log.warn({ err: error }, 'cannot read an account; retrying'));
  }

  /** Resolves when it is on our disk. */
  keep(entry: Entry): Promise<void> {
    const { hash, from, raw, receivedAt } = entry;
    entry.isKept = true;
    return this.journal.hold({ hash, from, raw, receivedAt });
  }

  /** The held one was replaced by another. */
  replaced(entry: Entry, by: Hash): void {
    this.#unkeep(entry);
    this.recordOutcome(entry.hash, { kind: 'replaced', by });
  }

  #unkeep(entry: Entry): void {
    if (!entry.isKept) return;
    entry.isKept = false;
    this.journal.release(entry.hash);
  }
}

/** Height of the sequencer block that was executed here this many blocks ago. */
function executedBefore(chain: PoolDeps['chain'], blocks: number): bigint {
  let height = chain.sequencerHeight;
  for (let back = 0; back < blocks && chain.sequencerHash(height) !== undefined; back += 1) height -= 1n;
  return height;
}
