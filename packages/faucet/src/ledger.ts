import { type Clock, Notifier, sinceStored, systemClock, type WallClock, wallClock } from '@switchyard/service';
import type { StoreFile, StoreTable } from '@switchyard/storage';
import { type Claim, decodeClaim, encodeClaim, isFree, isOpen, type OpenClaim, type QueuedClaim } from './claim.ts';

/** Claims that are kept. */
const MAX_CLAIMS = 20_000;

const CLAIM = 'claim/';
const CHAIN = 'chain';
/** Numbers of fixed width sort as numbers. */
const toKey = (id: number): string => CLAIM + String(id).padStart(16, '0');

/** Part of a store that the ledger uses. */
export interface LedgerStore extends Pick<StoreFile<string>, 'batch'> {
  readonly main: Pick<StoreTable<string>, 'get' | 'entries' | 'put' | 'remove'>;
}

interface LedgerOptions {
  readonly kept?: number;
  readonly clock?: Clock;
  readonly wall?: WallClock;
  /** How long a claim that has cost something is not forgotten. */
  readonly windowMs?: number;
}

/** All claims: in memory for reading, on disk for good. */
export class Ledger {
  readonly #store: LedgerStore;
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
  #lastNonce: number | undefined;

  /** Reads the state on disk. */
  constructor(store: LedgerStore, options: LedgerOptions = {}) {
    const { kept = MAX_CLAIMS, clock = systemClock, wall = wallClock, windowMs = 0 } = options;
    this.#store = store;
    this.kept = kept;
    this.#windowMs = windowMs;
    this.#clock = clock;
    for (const [, bytes] of store.main.entries({ start: CLAIM, end: `${CLAIM}~` })) this.#put(decodeClaim(bytes));
    const chain = store.main.get(CHAIN);
    if (chain !== undefined) this.#chain = new TextDecoder().decode(chain);
    this.#measureAges({ clock, wall });
  }

  /** Which chain the claims are of; undefined before it is known. */
  get chain(): string | undefined {
    return this.#chain;
  }

  /** The highest nonce that paid a claim. */
  get lastNonce(): number | undefined {
    return this.#lastNonce;
  }

  async bindTo(chain: string): Promise<void> {
    const { main } = this.#store;
    await this.#store.batch(() => void main.put(CHAIN, new TextEncoder().encode(chain)));
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
  msSince({ id }: Claim): number {
    return this.#since.get(id) ?? this.#clock.now();
  }

  findUnfinished(address: string): OpenClaim | undefined {
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
    const written = this.#write(claim, forgotten);
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
    await this.#write(claim);
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

  #write(claim: Claim, forgotten: readonly number[] = []): Promise<void> {
    const { main } = this.#store;
    return this.#store.batch(() => {
      void main.put(toKey(claim.id), encodeClaim(claim));
      for (const id of forgotten) void main.remove(toKey(id));
    });
  }

  #put(claim: Claim): void {
    const { id } = claim;
    this.#claims.set(id, claim);
    this.#last = Math.max(this.#last, id);
    if (isOpen(claim)) this.#open.set(id, claim);
    else this.#open.delete(id);
    if (claim.kind === 'paid' && claim.nonce > (this.#lastNonce ?? -1)) this.#lastNonce = claim.nonce;
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
    const isOver = (claim: Claim) => !isOpen(claim) && this.msSince(claim) + this.#windowMs <= this.#clock.now();
    const forgotten = new Set([...claims.filter(isOver), ...claims.filter(isFree)].map(({ id }) => id));
    const ids = [...forgotten].slice(0, more);
    for (const id of ids) {
      this.#claims.delete(id);
      this.#since.delete(id);
    }
    return ids;
  }
}
