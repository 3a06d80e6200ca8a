import { type Clock, Notifier, sinceStored, systemClock, type WallClock, wallClock } from '@switchyard/service';
import { type Claim, decodeClaim, encodeClaim, isFree, isOpen, type OpenClaim, type QueuedClaim } from './claim.ts';
import type { Records } from './records.ts';

/** Claims that are kept. */
const MAX_CLAIMS = 20_000;

const CLAIM = 'claim/';
const CHAIN = 'chain';
/** Numbers of fixed width sort as numbers. */
const keyOf = (id: number): string => CLAIM + String(id).padStart(16, '0');

interface LedgerOptions {
  readonly kept?: number;
  readonly clock?: Clock;
  readonly wall?: WallClock;
  /** How long a claim that has cost something is not forgotten. */
  readonly windowMs?: number;
}

/** All claims: in memory for reading, on disk for good. */
export class Ledger {
  readonly #records: Records;
  /** Claims that are kept. */
  readonly kept: number;
  readonly #windowMs: number;
  readonly #changed = new Notifier();
  /** In the order of their ids. */
  readonly #claims = new Map<number, Claim>();
  readonly #open = new Map<number, OpenClaim>();
  /** Claims that are on their way to the disk. */
  readonly #writing = new Map<number, Promise<void>>();
  readonly #clock: Clock;
  /** When claims were made, on the monotonic clock. */
  readonly #since = new Map<number, number>();
  #last = 0;
  #chain: string | undefined;
  #lastNonce: bigint | undefined;

  /** Reads the state on disk. */
  constructor(records: Records, options: LedgerOptions = {}) {
    const { kept = MAX_CLAIMS, clock = systemClock, wall = wallClock, windowMs = 0 } = options;
    this.#records = records;
    this.kept = kept;
    this.#windowMs = windowMs;
    this.#clock = clock;
    for (const [, text] of records.read(CLAIM)) this.#put(decodeClaim(text));
    for (const [, text] of records.read(CHAIN)) this.#chain = text;
    this.#measureAges({ clock, wall });
  }

  /** Which chain the claims are of; undefined before it is known. */
  get chain(): string | undefined {
    return this.#chain;
  }

  /** The highest nonce that paid a claim. */
  get lastNonce(): bigint | undefined {
    return this.#lastNonce;
  }

  async bindTo(chain: string): Promise<void> {
    await this.#records.write([{ key: CHAIN, value: chain }]);
    this.#chain = chain;
  }

  get(id: number): Claim | undefined {
    return this.#claims.get(id);
  }

  /** Claims that are neither paid nor failed, the oldest first. */
  unfinished(): OpenClaim[] {
    return [...this.#open.values()];
  }

  get unfinishedCount(): number {
    return this.#open.size;
  }

  /** When a claim was made, on the monotonic clock. */
  sinceOf({ id }: Claim): number {
    return this.#since.get(id) ?? this.#clock.now();
  }

  unfinishedOf(address: string): OpenClaim | undefined {
    return this.unfinished().find((claim) => claim.address === address);
  }

  *newestFirst(): Iterable<Claim> {
    for (let id = this.#last; id > 0; id -= 1) {
      const claim = this.#claims.get(id);
      if (claim !== undefined) yield claim;
    }
  }

  /** Counts at once for limits and queue. It is on disk when this resolves; if it cannot be written, it is removed again. */
  async accept(request: Pick<Claim, 'address' | 'client' | 'amount' | 'at'>): Promise<Claim> {
    const claim: QueuedClaim = { kind: 'queued', id: this.#last + 1, ...request };
    this.#put(claim);
    this.#since.set(claim.id, this.#clock.now());
    const forgotten = this.#forget();
    const written = this.#records.write([
      { key: keyOf(claim.id), value: encodeClaim(claim) },
      ...forgotten.map((id) => ({ key: keyOf(id) })),
    ]);
    this.#writing.set(claim.id, written);
    try {
      await written;
    } catch (error) {
      this.#claims.delete(claim.id);
      this.#open.delete(claim.id);
      this.#since.delete(claim.id);
      throw error;
    } finally {
      this.#writing.delete(claim.id);
    }
    return claim;
  }

  /** Resolves when the claim is on disk. @throws {Error} if it cannot be written. */
  async written({ id }: Claim): Promise<void> {
    await this.#writing.get(id);
  }

  /** Replaces a claim. It is on disk when this resolves, and visible only from then on. */
  async update(claim: Claim): Promise<void> {
    await this.#records.write([{ key: keyOf(claim.id), value: encodeClaim(claim) }]);
    this.#put(claim);
    this.touch();
  }

  /** Wakes all that await a change. */
  touch(): void {
    this.#changed.notify();
  }

  /** Resolves at the next change; rejects when `signal` aborts. */
  change(signal: AbortSignal): Promise<void> {
    return this.#changed.wait(signal);
  }

  #put(claim: Claim): void {
    const { id } = claim;
    this.#claims.set(id, claim);
    this.#last = Math.max(this.#last, id);
    if (isOpen(claim)) this.#open.set(id, claim);
    else this.#open.delete(id);
    if (claim.kind === 'paid' && claim.nonce > (this.#lastNonce ?? -1n)) this.#lastNonce = claim.nonce;
  }

  /** The wall clock may have been set between two claims: an older one is never younger than those after it. */
  #measureAges(times: { readonly clock: Clock; readonly wall: WallClock }): void {
    let newest = times.clock.now();
    for (const { id, at } of this.newestFirst()) {
      newest = Math.min(newest, sinceStored(at, times));
      this.#since.set(id, newest);
    }
  }

  /** The oldest that count for no limit any more, then all that never did. @returns ids that are not in memory any more. */
  #forget(): number[] {
    const more = this.#claims.size - this.kept;
    if (more <= 0) return [];
    const claims = [...this.#claims.values()];
    const isOver = (claim: Claim) => !isOpen(claim) && this.sinceOf(claim) + this.#windowMs <= this.#clock.now();
    const forgotten = new Set([...claims.filter(isOver), ...claims.filter(isFree)].map(({ id }) => id));
    const ids = [...forgotten].slice(0, more);
    for (const id of ids) {
      this.#claims.delete(id);
      this.#since.delete(id);
    }
    return ids;
  }
}
