import { type Access, CLOSED } from '../access/access.ts';

export interface LoopShareOptions {
  /** The part of the time that addresses which use much of it may use together, while others are served; 1 is no bound. */
  readonly share?: number;
  /** Milliseconds, with fractions, of a clock that never goes back. */
  readonly now?: () => number;
  /** Milliseconds of processor time that this process has used. */
  readonly cpu?: () => number;
  /** Whole milliseconds; after 0, in the next turn of the event loop. */
  readonly after?: (ms: number, fire: () => void) => void;
  /** Calls `end` when everything has run that became ready in this turn of the event loop. */
  readonly atTurnEnd?: (end: () => void) => void;
  /** Calls `end` in the next round of the event loop. */
  readonly atRoundEnd?: (end: () => void) => void;
}

/** The part of the time up to which an address counts as using little. */
const LITTLE = 0.1;
/** Below this, a turn is not worth asking for its processor time, which costs some microseconds for each thread of the process. */
const SHORT_MS = 1;
/** What may be used at once, however much it was before. */
const BURST_MS = 10;
/**
 * What those that use much have of one round of the event loop, together. Node accepts one connection in a round, so that
 * long rounds keep everybody out.
 */
const ROUND_MS = 2;
/** No more than this is held against one address, and against all that use much together. */
const MAX_DEBT_MS = 2_000;
const MAX_COMMON_MS = 100;
/** An address counts as served for so long after its last use. */
const SERVED_MS = 1_000;
/** Addresses remembered; beyond that, the debt of the one known for longest is forgotten. */
const MAX_ACCOUNTS = 4_096;

/** Time that was used and is paid back at a rate. */
class Debt {
  readonly #perMs: number;
  #ms = 0;
  #at = 0;

  readonly #maxMs: number;

  constructor(perMs: number, maxMs: number) {
    this.#perMs = perMs;
    this.#maxMs = maxMs;
  }

  ms(now: number): number {
    return Math.max(0, this.#ms - (now - this.#at) * this.#perMs);
  }

  add(ms: number, now: number): void {
    this.#ms = Math.min(this.#maxMs, this.ms(now) + ms);
    this.#at = now;
  }
}

/**
 * Time of the event loop, shared between client addresses. What is done for an address is timed. While others are served,
 * those that use much of it have a part of it together, in rotation, and wait meanwhile, their bytes unread. So a flood has a
 * bounded cost whatever it consists of, and leaves the processor to other processes. An address that uses little never
 * waits, nor does one that is served alone.
 */
export class LoopShares {
  readonly #share: number;
  readonly #now: () => number;
  readonly #cpu: () => number;
  readonly #after: (ms: number, fire: () => void) => void;
  readonly #atTurnEnd: (end: () => void) => void;
  readonly #atRoundEnd: (end: () => void) => void;
  readonly #debts = new Map<string, Debt>();
  /** Of all that use much, together. */
  readonly #common: Debt;
  /** The greatest of them: all are paid back at the same rate. */
  #greatest = new Debt(LITTLE, MAX_DEBT_MS);
  /** In the order in which addresses have their turns. */
  readonly #waiting = new Map<string, (() => void)[]>();
  /** The address that was served last, when, and when another one was. */
  #latest = '';
  #latestAt = Number.NEGATIVE_INFINITY;
  #othersAt = Number.NEGATIVE_INFINITY;
  /** Whose turn it is, and up to when its time has been charged. */
  #current: string | undefined;
  #charged = 0;
  /** Processor time at a moment shortly before. */
  #cpuThen = 0;
  #cpuAt = Number.NEGATIVE_INFINITY;
  #isTimerSet = false;
  /** Used in this round by those that use much. */
  #roundMs = 0;

  constructor(options: LoopShareOptions = {}) {
    this.#share = options.share ?? 0.5;
    this.#now = options.now ?? (() => performance.now());
    this.#cpu = options.cpu ?? cpuMs;
    this.#after = options.after ?? afterMs;
    this.#atTurnEnd = options.atTurnEnd ?? afterMicrotasks;
    this.#atRoundEnd = options.atRoundEnd ?? ((end) => void setImmediate(end));
    this.#common = new Debt(this.#share, MAX_COMMON_MS);
  }

  /** Whether work for this address may begin now. */
  isFree(peer: string): boolean {
    return !this.#waiting.has(peer) && !this.#mustWait(peer);
  }

  /**
   * Charges an address with the time from now to the end of this turn of the event loop, or to the next call. The turn ends
   * when everything has run that became ready in it.
   */
  turnOf(peer: string): void {
    if (this.#current === peer) return;
    if (this.#current === undefined) this.#beginTurn(peer);
    else this.#charge();
    this.#current = peer;
  }

  /** Calls `begin` once, at once unless the address has to wait, and charges the address with it. */
  whenFree(peer: string, begin: () => void): void {
    // Work that asks for its next turn has used time in this one.
    if (this.#current === peer) this.#charge();
    const own = this.#waiting.get(peer);
    if (own !== undefined) {
      own.push(begin);
    } else if (this.#mustWait(peer)) {
      this.#waiting.set(peer, [begin]);
      this.#setTimer();
    } else {
      this.turnOf(peer);
      begin();
    }
  }

  #beginTurn(peer: string): void {
    const now = this.#now();
    this.#charged = now;
    // Alone it is not charged, and a reading would cost more than a short turn.
    if (now - this.#cpuAt > SHORT_MS && this.#isContended(peer, now)) this.#readCpu(now);
    this.#atTurnEnd(() => {
      this.#charge();
      this.#current = undefined;
    });
  }

  #charge(): void {
    const peer = this.#current;
    if (peer === undefined) return;
    const now = this.#now();
    // What an address used while it was alone is not held against it.
    if (this.#isContended(peer, now)) this.#addDebt(this.#debtOf(peer), this.#spent(now), now);
    this.#charged = now;
    if (peer !== this.#latest) {
      this.#othersAt = this.#latestAt;
      this.#latest = peer;
    }
    this.#latestAt = now;
  }

  #addDebt(debt: Debt, ms: number, now: number): void {
    debt.add(ms, now);
    if (debt.ms(now) > this.#greatest.ms(now)) this.#greatest = debt;
    if (!this.#usesMuch(debt, now)) return;
    this.#common.add(ms, now);
    if (this.#roundMs === 0 && ms > 0) {
      this.#atRoundEnd(() => {
        this.#roundMs = 0;
      });
    }
    this.#roundMs += ms;
  }

  /** Without what passed while the system ran other processes: on a busy machine, that is most of a short turn. */
  #spent(now: number): number {
    const ms = now - this.#charged;
    return ms <= SHORT_MS ? ms : Math.min(ms, this.#readCpu(now));
  }

  /** @returns what was used since it was last read. */
  #readCpu(now: number): number {
    const before = this.#cpuThen;
    this.#cpuThen = this.#cpu();
    this.#cpuAt = now;
    return this.#cpuThen - before;
  }

  #debtOf(peer: string): Debt {
    const known = this.#debts.get(peer);
    if (known !== undefined) return known;
    const debt = new Debt(LITTLE, MAX_DEBT_MS);
    this.#debts.set(peer, debt);
    if (this.#debts.size > MAX_ACCOUNTS) {
      const [oldest = ''] = this.#debts.keys();
      this.#debts.delete(oldest);
    }
    return debt;
  }

  #mustWait(peer: string): boolean {
    const debt = this.#debts.get(peer);
    if (debt === undefined || this.#share >= 1) return false;
    const now = this.#now();
    const isSpent = this.#roundMs > ROUND_MS || this.#common.ms(now) > BURST_MS;
    return isSpent && this.#usesMuch(debt, now) && this.#isContended(peer, now);
  }

  /** About as much as the one that uses most, so that no address shares a part with one that uses many times as much. */
  #usesMuch(debt: Debt, now: number): boolean {
    const ms = debt.ms(now);
    return ms > BURST_MS && ms >= this.#greatest.ms(now) / 2;
  }

  #isContended(peer: string, now: number): boolean {
    return now - (peer === this.#latest ? this.#othersAt : this.#latestAt) < SERVED_MS;
  }

  #setTimer(): void {
    if (this.#isTimerSet || this.#waiting.size === 0) return;
    this.#isTimerSet = true;
    this.#after(this.#nextMs(), () => {
      this.#isTimerSet = false;
      this.#beginNext();
      this.#setTimer();
    });
  }

  #nextMs(): number {
    const overMs = this.#common.ms(this.#now()) - BURST_MS;
    // Else they wait for the next round only, or for nothing any more.
    const isOver = overMs > 0 && [...this.#waiting.keys()].every((peer) => this.#mustWait(peer));
    return isOver ? Math.max(1, Math.ceil(overMs / this.#share)) : 0;
  }

  /** One in a turn of the event loop, since only then is it known what it took; addresses in rotation. */
  #beginNext(): void {
    const next = [...this.#waiting].find(([peer]) => !this.#mustWait(peer));
    if (next === undefined) return;
    const [peer, own] = next;
    const begin = own.shift();
    this.#waiting.delete(peer);
    // Behind all others, if it has more.
    if (own.length > 0) this.#waiting.set(peer, own);
    this.turnOf(peer);
    begin?.();
  }
}

/** As the settings of a listener have it. */
export function sharesOf({ maxTimeShare }: Access = CLOSED): LoopShares {
  return new LoopShares({ share: maxTimeShare / 100 });
}

function cpuMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000;
}

function afterMs(ms: number, fire: () => void): void {
  if (ms > 0) setTimeout(fire, ms);
  else setImmediate(fire);
}

/** A tick that is asked for by a microtask comes when no microtask is left. */
function afterMicrotasks(end: () => void): void {
  queueMicrotask(() => process.nextTick(end));
}
