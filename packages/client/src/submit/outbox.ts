import type { Clock } from '@switchyard/service';
import { BelievedNonce } from './believed-nonce.ts';
import type { Verdict } from './verdict.ts';

/** Something that is signed under a nonce of our account. */
export interface SignedEntry {
  readonly nonce: number;
}

interface Slot<T> {
  readonly entry: T;
  /** The last answer of a node; undefined while none is known to have it. */
  readonly answer: Verdict | undefined;
  readonly offeredAt: number;
}

export interface OutboxOptions {
  /** When an entry that a node has is offered again: its mempool may have lost it. */
  readonly takenMs: number;
  /** When an entry is offered again that the node did not take. */
  readonly notTakenMs: number;
  readonly clock: Clock;
}

/**
 * Decides for the signed transactions of one account: which nonce is next, and which of them is sent now. It makes no calls and
 * writes nothing.
 *
 * At most one transaction of a nonce can be executed. So until a nonce is spent, sending anything under it again is safe, and no
 * nonce may be left out, since those behind it would wait forever.
 */
export class Outbox<T extends SignedEntry> {
  readonly #options: OutboxOptions;
  readonly #nonce: BelievedNonce;
  /** Sorted by nonce. */
  #slots: readonly Slot<T>[] = [];
  #reported = 0;
  #reached = 0;

  constructor(options: OutboxOptions) {
    this.#options = options;
    this.#nonce = new BelievedNonce(options.clock);
  }

  /** The entries under way, by nonce. */
  get entries(): readonly T[] {
    return this.#slots.map(({ entry }) => entry);
  }

  /** The entries that a node has answered about since they were put here. */
  get offered(): readonly T[] {
    return this.#slots.filter(({ answer }) => answer !== undefined).map(({ entry }) => entry);
  }

  /** The transactions of the account in blocks, as far as that is believed. */
  get accountNonce(): number {
    return this.#nonce.value;
  }

  /** A higher nonce was reported and is not confirmed yet: nothing should be signed until then. */
  get isNonceInDoubt(): boolean {
    return this.#nonce.isInDoubt;
  }

  /** Set while the node reports a lower nonce than our transactions in its blocks have used. */
  get lost(): { readonly reported: number; readonly reached: number } | undefined {
    return this.#reported < this.#reached ? { reported: this.#reported, reached: this.#reached } : undefined;
  }

  /** The nonce after the last one that is signed for, or known to be spent. */
  get explainedNonce(): number {
    return Math.max(this.#reached, (this.#slots.at(-1)?.entry.nonce ?? -1) + 1);
  }

  /** The lowest nonce that is neither spent nor ours already. */
  get freeNonce(): number {
    let nonce = this.accountNonce;
    for (const { entry } of this.#slots) if (entry.nonce === nonce) nonce += 1;
    return nonce;
  }

  /** Whether the entries behind a free nonce wait for it. */
  get hasGap(): boolean {
    return this.freeNonce < (this.#slots.at(-1)?.entry.nonce ?? 0);
  }

  /** Whether a node has all entries before the free nonce, so that one more can be sent. */
  get isClear(): boolean {
    return this.#slots.every(({ entry, answer }) => entry.nonce > this.freeNonce || answer === 'taken');
  }

  /** Adds an entry, or replaces the one with its nonce. */
  put(entry: T): void {
    const others = this.#slots.filter((slot) => slot.entry.nonce !== entry.nonce);
    const slot: Slot<T> = { entry, answer: undefined, offeredAt: Number.NEGATIVE_INFINITY };
    this.#slots = [...others, slot].sort((a, b) => a.entry.nonce - b.entry.nonce);
  }

  /** Lets go of entries: their nonces are decided, or nothing that was signed under them was taken. */
  remove(entries: readonly T[]): void {
    const nonces = new Set(entries.map(({ nonce }) => nonce));
    this.#slots = this.#slots.filter(({ entry }) => !nonces.has(entry.nonce));
  }

  /** The node reports this as the account's next nonce. */
  report(nonce: number): void {
    this.#reported = nonce;
    this.#nonce.report(nonce, this.explainedNonce);
  }

  /** A transaction of ours with this nonce is in a block. */
  used(nonce: number): void {
    this.#reached = Math.max(this.#reached, nonce + 1);
  }

  /** The entry to send now: in order of nonce, and never behind an entry that the node did not take. */
  nextOffer(): T | undefined {
    const { takenMs, notTakenMs, clock } = this.#options;
    for (const { entry, answer, offeredAt } of this.#slots) {
      const isDue = clock.now() - offeredAt >= (answer === 'taken' ? takenMs : notTakenMs);
      if (answer === undefined || isDue) return entry;
      if (answer !== 'taken') return undefined;
    }
    return undefined;
  }

  /** The node has answered to an entry. */
  answered(entry: T, answer: Verdict): void {
    const offeredAt = this.#options.clock.now();
    this.#slots = this.#slots.map((slot) => (slot.entry === entry ? { entry, answer, offeredAt } : slot));
  }

  /** Whether another transaction had an entry's nonce when it was offered after this moment: a block may have decided. */
  isContestedSince(moment: number): boolean {
    return this.#slots.some(({ answer, offeredAt }) => answer === 'contested' && offeredAt >= moment);
  }

  /** Mempools may have been lost: what a node has taken is offered again. */
  forgetTaken(): void {
    this.#slots = this.#slots.map((slot) => (slot.answer === 'taken' ? { ...slot, answer: undefined } : slot));
  }
}
