import { systemClock } from '../timing/clock.ts';
import type { LogFields } from './log.ts';

/** One level of a logger. */
export type WriteLine = (fields: LogFields, sentence: string) => void;

export interface RepeatedLinesOptions {
  readonly write: WriteLine;
  /** Sentences for one occurrence and for several. */
  readonly sentences: { readonly one: string; readonly several: string };
  /** The first line about several comes after this time; the time doubles with each, up to an hour. */
  readonly everyMs?: number | undefined;
  /** Calls `fire` once after `ms`. The process must not live on for it. */
  readonly after?: ((ms: number, fire: () => void) => void) | undefined;
}

/** Reasons and peers remembered between two lines: a bound on the memory of a process for clients. */
const MAX_REASONS = 64;
const MAX_PEERS = 1_000;
const OTHERS = 'other reasons';

/** The longest interval between two lines about one reason. */
const LONGEST_MS = 3_600_000;
/** A reason is forgotten after an interval of this length without it: a peer that tries again after minutes is no news. */
const FORGET_MS = 600_000;

interface Known {
  readonly everyMs: number;
  count: number;
  readonly peers: Set<string>;
  last: LogFields;
  /** Nothing came in the interval before this one, so that the next is written at once. */
  isQuiet: boolean;
}

/**
 * Logs events caused by others without letting them fill the log: the first for a reason at once, those after it as one line with
 * their number for each interval. The intervals grow, so that endless causes, such as a peer with a wrong secret that
 * tries again each few seconds, comes to a line an hour.
 */
export class RepeatedLines {
  readonly #options: RepeatedLinesOptions;
  readonly #everyMs: number;
  readonly #after: (ms: number, fire: () => void) => void;
  readonly #reasons = new Map<string, Known>();

  constructor(options: RepeatedLinesOptions) {
    this.#options = options;
    this.#everyMs = options.everyMs ?? 10_000;
    this.#after = options.after ?? unreferenced;
  }

  /** @param reason A word of a small set. @param peer The client's address, if it is known. */
  add(reason: string, peer: string | undefined, fields: LogFields = {}): void {
    const isKnown = this.#reasons.has(reason);
    const kind = isKnown || this.#reasons.size < MAX_REASONS ? reason : OTHERS;
    const known = this.#reasons.get(kind);
    if (known === undefined || known.isQuiet) {
      this.#options.write({ reason: kind, peer, ...fields }, this.#options.sentences.one);
      if (known === undefined) this.#begin(kind, this.#everyMs, false);
      else known.isQuiet = false;
      return;
    }
    known.count += 1;
    known.last = fields;
    if (peer !== undefined && known.peers.size < MAX_PEERS) known.peers.add(peer);
  }

  #begin(reason: string, everyMs: number, isQuiet: boolean): void {
    this.#reasons.set(reason, { everyMs, isQuiet, count: 0, peers: new Set(), last: {} });
    this.#after(everyMs, () => this.#flush(reason));
  }

  #flush(reason: string): void {
    const known = this.#reasons.get(reason);
    if (known === undefined) return;
    const { count, peers, last, everyMs, isQuiet } = known;
    if (isQuiet && everyMs >= FORGET_MS) {
      this.#reasons.delete(reason);
      return;
    }
    if (count > 0) {
      const [peer] = peers;
      const seconds = everyMs / 1_000;
      this.#options.write(
        { reason, count, seconds, peers: peers.size, peer, ...last },
        this.#options.sentences.several,
      );
    }
    this.#begin(reason, Math.min(2 * everyMs, LONGEST_MS), count === 0);
  }
}

function unreferenced(ms: number, fire: () => void): void {
  systemClock.after(ms, fire, true);
}
