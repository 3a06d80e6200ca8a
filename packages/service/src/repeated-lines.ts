import type { LogFields } from './log.ts';

/** One level of a logger. */
export type WriteLine = (fields: LogFields, sentence: string) => void;

export interface RepeatedLinesOptions {
  readonly write: WriteLine;
  /** What is logged of one, and of several. */
  readonly sentences: { readonly one: string; readonly several: string };
  /** Lines about one reason are at least this far apart. */
  readonly everyMs?: number | undefined;
  /** Calls `fire` once after `ms`. The process must not live on for it. */
  readonly after?: ((ms: number, fire: () => void) => void) | undefined;
}

/** Reasons and peers remembered between two lines: a bound on what clients can make a process keep. */
const MAX_REASONS = 64;
const MAX_PEERS = 1_000;
const OTHERS = 'other reasons';

/**
 * Logs what clients cause without letting them fill the log: the first for a reason at once, those after it as one line
 * with their number for each interval.
 */
export class RepeatedLines {
  readonly #options: RepeatedLinesOptions;
  readonly #everyMs: number;
  readonly #after: (ms: number, fire: () => void) => void;
  readonly #reasons = new Map<string, { count: number; readonly peers: Set<string>; last: LogFields }>();

  constructor(options: RepeatedLinesOptions) {
    this.#options = options;
    this.#everyMs = options.everyMs ?? 10_000;
    this.#after = options.after ?? unreferenced;
  }

  /** @param reason A word of a small set. @param peer The client's address, where it is known. */
  add(reason: string, peer: string | undefined, fields: LogFields = {}): void {
    const isKnown = this.#reasons.has(reason);
    const kind = isKnown || this.#reasons.size < MAX_REASONS ? reason : OTHERS;
    const known = this.#reasons.get(kind);
    if (known === undefined) {
      this.#options.write({ reason: kind, peer, ...fields }, this.#options.sentences.one);
      this.#begin(kind);
      return;
    }
    known.count += 1;
    known.last = fields;
    if (peer !== undefined && known.peers.size < MAX_PEERS) known.peers.add(peer);
  }

  #begin(reason: string): void {
    this.#reasons.set(reason, { count: 0, peers: new Set(), last: {} });
    this.#after(this.#everyMs, () => this.#flush(reason));
  }

  #flush(reason: string): void {
    const known = this.#reasons.get(reason);
    this.#reasons.delete(reason);
    if (known === undefined || known.count === 0) return;
    const { count, peers, last } = known;
    const [peer] = peers;
    const seconds = this.#everyMs / 1_000;
    this.#options.write({ reason, count, seconds, peers: peers.size, peer, ...last }, this.#options.sentences.several);
    this.#begin(reason);
  }
}

function unreferenced(ms: number, fire: () => void): void {
  setTimeout(fire, ms).unref();
}
