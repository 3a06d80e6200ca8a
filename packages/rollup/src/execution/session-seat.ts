import type { Caller } from '@switchyard/service';

/** The open session, as far as it matters who holds it. */
interface Holder {
  readonly id: string;
  caller: Caller;
  /** When it last called, or a call of it ended. */
  usedAt: number;
}

export type SeatDecision =
  /** `from`: why the previous holder lost the session; undefined if there was none. */
  | { readonly kind: 'granted'; readonly from: 'gone' | 'idle' | 'without credential' | undefined }
  | { readonly kind: 'refused'; readonly idleMs: number };

export type Use = 'allowed' | 'unknown session' | 'of another caller';

/** A holder that is connected keeps its session for this long without a call. */
export const SEAT_IDLE_MS = 15_000;

/**
 * Decides which caller has the execution session, of which there is one. It belongs to the connection of the request.
 *
 * Another caller gets it when that connection is closed, when its holder has not called for `SEAT_IDLE_MS`, or at once
 * when it shows a credential and the holder did not. It is refused otherwise, and always if the holder has shown a
 * credential, is still connected, and the other has none. So two conductors cannot take the session from each other all
 * the time, and a restarted one gets it within that time at most.
 */
export class SessionSeat {
  #holder: Holder | undefined;
  #calls = 0;

  /** Whether `caller` may open a session now; nothing changes yet. */
  decide(caller: Caller, now: number): SeatDecision {
    const holder = this.#holder;
    if (holder === undefined || holder.caller.connection === caller.connection) {
      return { kind: 'granted', from: undefined };
    }
    if (holder.caller.connection.isClosed) return { kind: 'granted', from: 'gone' };
    const idleMs = this.#calls > 0 ? 0 : now - holder.usedAt;
    if (rank(caller) > rank(holder.caller)) return { kind: 'granted', from: 'without credential' };
    if (rank(caller) === rank(holder.caller) && idleMs >= SEAT_IDLE_MS) return { kind: 'granted', from: 'idle' };
    return { kind: 'refused', idleMs };
  }

  /** The session before it has ended. */
  take(id: string, caller: Caller, now: number): void {
    this.#holder = { id, caller, usedAt: now };
  }

  /** A connection that replaces a closed one of the same caller keeps its session. */
  use(id: string, caller: Caller, now: number): Use {
    const holder = this.#holder;
    if (holder === undefined || id !== holder.id) return 'unknown session';
    if (holder.caller.connection !== caller.connection) {
      if (!isSameCaller(holder.caller, caller)) return 'of another caller';
      holder.caller = caller;
    }
    holder.usedAt = now;
    return 'allowed';
  }

  /** A call that needs no session shows that the holder is there, too. */
  seen(caller: Caller, now: number): void {
    if (this.#holder?.caller.connection === caller.connection) this.#holder.usedAt = now;
  }

  /** Around each call in the session. */
  began(): void {
    this.#calls += 1;
  }

  ended(now: number): void {
    this.#calls -= 1;
    if (this.#holder !== undefined) this.#holder.usedAt = now;
  }
}

const rank = ({ credential }: Caller): number => (credential === undefined ? 0 : 1);

/** Without a credential, a caller is only known by its connection while that is open, and by its address after. */
function isSameCaller(holder: Caller, caller: Caller): boolean {
  if (holder.credential !== caller.credential) return false;
  return caller.credential !== undefined || (holder.connection.isClosed && holder.address === caller.address);
}
