import type { Clock, UnixMs, WallClock } from '@switchyard/service';
import type { Change, Kind, Records } from '../queue/journal.ts';

/** Numbers from 0 to 1 that depend on nothing but the seed. */
export function seededRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 0x1_0000_0000;
  };
}

interface Due {
  readonly at: number;
  fire: (() => void) | undefined;
}

/** Time that passes as fast as there is something to do. */
export class SimulatedTime implements Clock, WallClock {
  #now = 0;
  readonly #due: Due[] = [];

  now(): number {
    return this.#now;
  }

  unixMs(): UnixMs {
    return Math.floor(this.#now) as UnixMs;
  }

  after(ms: number, fire: () => void): () => void {
    const entry: Due = { at: this.#now + Math.max(0, ms), fire };
    // The last one is the next one. Timers due at one time fire in the order of their creation.
    let place = this.#due.length;
    while (place > 0 && (this.#due[place - 1]?.at ?? 0) <= entry.at) place -= 1;
    this.#due.splice(place, 0, entry);
    return () => {
      entry.fire = undefined;
    };
  }

  /** Lets time pass until `done`, or until `limit`. */
  async run(limit: number, done: () => boolean = () => false): Promise<void> {
    await settled();
    while (!done()) {
      const next = this.#due.at(-1);
      if (next === undefined || next.at > limit) break;
      this.#due.pop();
      if (next.fire === undefined) continue;
      this.#now = next.at;
      next.fire();
      await settled();
    }
    if (!done()) this.#now = limit;
  }
}

/** All that is ready has run. */
const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

interface Pending {
  readonly changes: readonly Change[];
  readonly resolve: () => void;
}

/** A disk that outlives its processes. Writes take time; a crash keeps some of those under way, the oldest first. */
export class SimulatedDisk {
  readonly #records = new Map<Kind, Map<number, Uint8Array>>();
  readonly #time: SimulatedTime;
  readonly #random: () => number;
  readonly #onChange: (change: Change) => void;
  #pending: Pending[] = [];
  #owner: object | undefined;

  constructor(time: SimulatedTime, random: () => number, onChange: (change: Change) => void = () => undefined) {
    this.#time = time;
    this.#random = random;
    this.#onChange = onChange;
  }

  /** How many records there are of a kind. */
  count(kind: Kind): number {
    return this.#of(kind).size;
  }

  /** The disk as a process sees it until the next one opens it. */
  open(): Records {
    const owner = {};
    this.#owner = owner;
    return {
      read: (kind) => [...this.#of(kind)].sort(([a], [b]) => a - b),
      write: (changes) =>
        new Promise((resolve) => {
          if (this.#owner !== owner) return;
          const pending = { changes, resolve };
          this.#pending.push(pending);
          this.#time.after(this.#random() * 4, () => this.#finish(pending));
        }),
      close: async () => undefined,
    };
  }

  crash(): void {
    const kept = Math.floor(this.#random() * (this.#pending.length + 1));
    for (const { changes } of this.#pending.slice(0, kept)) this.#apply(changes);
    this.#pending = [];
    this.#owner = undefined;
  }

  #finish(until: Pending): void {
    const index = this.#pending.indexOf(until);
    for (const { changes, resolve } of this.#pending.splice(0, index + 1)) {
      this.#apply(changes);
      resolve();
    }
  }

  #apply(changes: readonly Change[]): void {
    for (const change of changes) {
      const { kind, id, value } = change;
      if (value === undefined) this.#of(kind).delete(id);
      else this.#of(kind).set(id, value);
      this.#onChange(change);
    }
  }

  #of(kind: Kind): Map<number, Uint8Array> {
    const found = this.#records.get(kind);
    if (found !== undefined) return found;
    const made = new Map<number, Uint8Array>();
    this.#records.set(kind, made);
    return made;
  }
}
