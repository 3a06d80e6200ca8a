/**
 * Activity of a connection. A peer whose connections are mostly `incomplete` has asked for nothing yet; an `idle` one can
 * come back without loss; a `busy` one waits for an answer.
 */
export type Activity = 'incomplete' | 'idle' | 'busy';

/** Something that takes one of a bounded number of places: a connection, a WebSocket, a stream of events. */
export interface Occupant {
  /** Peer that it belongs to, for fairness. */
  readonly peer: string;
  readonly activity: Activity;
  /** Since when it does that, in milliseconds of a monotonic clock. */
  readonly since: number;
  /** Gives the place up. It must not call back into the slots synchronously. */
  evict(): void;
}

export interface SlotBounds {
  readonly max: number;
  /** Bound for one peer. */
  readonly getMax: (peer: string) => number;
  /** Incomplete occupants of one peer that are older than `graceMs`; younger ones may just not have been read yet. */
  readonly maxIncomplete?: number;
  readonly graceMs?: number;
}

/**
 * Places that are shared fairly between peers: who finds them all taken gets the place of the peer that holds most, and
 * there of the occupant that would miss it least. So a peer that takes every place cannot keep others out, and within one
 * address, requests that never become complete do not keep out complete ones.
 */
export class FairSlots<O extends Occupant> {
  readonly #bounds: SlotBounds;
  readonly #now: () => number;
  /** Occupants by peer, with the time at which each entered, in that order. */
  readonly #peers = new Map<string, Map<O, number>>();
  #size = 0;

  constructor(bounds: SlotBounds, now: () => number = () => performance.now()) {
    this.#bounds = bounds;
    this.#now = now;
  }

  get size(): number {
    return this.#size;
  }

  /** @returns the occupant that was evicted for this one, if any: the newcomer itself if everything else is worth more. */
  enter(newcomer: O): O | undefined {
    const own = this.#peers.get(newcomer.peer) ?? new Map<O, number>();
    this.#peers.set(newcomer.peer, own);
    own.set(newcomer, this.#now());
    this.#size += 1;
    const victim = this.#victim(newcomer, own);
    if (victim === undefined) return undefined;
    this.leave(victim);
    victim.evict();
    return victim;
  }

  /** May be called more than once. */
  leave(occupant: O): void {
    const own = this.#peers.get(occupant.peer);
    if (own?.delete(occupant) !== true) return;
    this.#size -= 1;
    if (own.size === 0) this.#peers.delete(occupant.peer);
  }

  #victim(newcomer: O, own: ReadonlyMap<O, number>): O | undefined {
    const { max, getMax, maxIncomplete = Number.POSITIVE_INFINITY } = this.#bounds;
    if (own.size > getMax(newcomer.peer)) return leastMissed(own, newcomer);
    if (this.#size > max) return leastMissed(this.#largest(), newcomer);
    return own.size > maxIncomplete ? this.#overdue(own, maxIncomplete) : undefined;
  }

  #overdue(own: ReadonlyMap<O, number>, maxIncomplete: number): O | undefined {
    const before = this.#now() - (this.#bounds.graceMs ?? 0);
    let count = 0;
    let oldest: O | undefined;
    for (const [each, entered] of own) {
      // Nothing keeps its kind for longer than it is here.
      if (entered >= before) break;
      if (each.activity !== 'incomplete' || each.since >= before) continue;
      count += 1;
      if (oldest === undefined || each.since < oldest.since) oldest = each;
    }
    return count > maxIncomplete ? oldest : undefined;
  }

  #largest(): ReadonlyMap<O, number> {
    return [...this.#peers.values()].reduce((most, each) => (each.size > most.size ? each : most));
  }
}

const ORDER: Readonly<Record<Activity, number>> = { incomplete: 0, idle: 1, busy: 2 };

/** The newcomer itself only if there is no other. */
function leastMissed<O extends Occupant>(occupants: ReadonlyMap<O, number>, newcomer: O): O {
  let chosen: O | undefined;
  for (const [each, entered] of occupants) {
    if (each === newcomer) continue;
    // None of the later occupants can be older: in a flood, the first is the one.
    if (chosen?.activity === 'incomplete' && entered >= chosen.since) break;
    if (chosen === undefined || compare(each, chosen) < 0) chosen = each;
  }
  return chosen ?? newcomer;
}

function compare(a: Occupant, b: Occupant): number {
  return ORDER[a.activity] - ORDER[b.activity] || a.since - b.since;
}
