import type { LogFields } from './log.ts';

/** Where the lines go. */
export interface RejectionLog {
  info(fields: LogFields, sentence: string): void;
}

export interface RejectionsOptions {
  /** Lines about one reason are at least this far apart. */
  readonly everyMs?: number;
  /** Calls `fire` once after `ms`. The process must not live on for it. */
  readonly after?: (ms: number, fire: () => void) => void;
}

/** Reasons and peers remembered between two lines: a bound on what clients can make a process keep. */
const MAX_REASONS = 64;
const MAX_PEERS = 1_000;

/**
 * Logs what clients are refused without letting them fill the log: the first refusal for a reason at once, those after it
 * as one line with their number for each interval.
 */
export class Rejections {
  readonly #log: RejectionLog;
  readonly #everyMs: number;
  readonly #after: (ms: number, fire: () => void) => void;
  readonly #reasons = new Map<string, { count: number; readonly peers: Set<string>; last: LogFields }>();

  constructor(log: RejectionLog, { everyMs = 10_000, after = unreferenced }: RejectionsOptions = {}) {
    this.#log = log;
    this.#everyMs = everyMs;
    this.#after = after;
  }

  /** @param reason A word of a small, fixed set. @param peer The client's address, where it is known. */
  add(reason: string, peer: string | undefined, fields: LogFields = {}): void {
    const known = this.#reasons.get(reason);
    if (known === undefined) {
      if (this.#reasons.size >= MAX_REASONS) return;
      this.#log.info({ reason, peer, ...fields }, 'a client is refused');
      this.#reasons.set(reason, { count: 0, peers: new Set(), last: {} });
      this.#after(this.#everyMs, () => this.#flush(reason));
      return;
    }
    known.count += 1;
    known.last = fields;
    if (peer !== undefined && known.peers.size < MAX_PEERS) known.peers.add(peer);
  }

  #flush(reason: string): void {
    const known = this.#reasons.get(reason);
    if (known === undefined) return;
    if (known.count === 0) {
      this.#reasons.delete(reason);
      return;
    }
    const { count, peers, last } = known;
    const seconds = this.#everyMs / 1_000;
    this.#log.info({ reason, count, seconds, peers: peers.size, peer: first(peers), ...last }, 'clients are refused');
    this.#reasons.set(reason, { count: 0, peers: new Set(), last: {} });
    this.#after(this.#everyMs, () => this.#flush(reason));
  }
}

function first(peers: ReadonlySet<string>): string | undefined {
  const [one] = peers;
  return one;
}

function unreferenced(ms: number, fire: () => void): void {
  setTimeout(fire, ms).unref();
}
