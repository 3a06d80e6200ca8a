const WINDOW_MS = 60_000;
const MANY = 6;
const LONGEST_PAUSE_MS = 5_000;

export interface ChurnVerdict {
  /** How long the answer to this request for a session shall wait. */
  readonly pauseMs: number;
  /** True once, when it starts to look like two conductors that take the session from each other. */
  readonly alarm: boolean;
}

/**
 * Notices sessions that replace one another again and again.
 *
 * A new session ends the one before it, and a conductor whose session has ended asks for a new one at once. Two of
 * them on one rollup would go on like that for ever, and neither would get a block done.
 */
export class SessionChurn {
  #created: number[] = [];
  #alarmed = false;

  /** Call with the time of each new session. */
  created(now: number): ChurnVerdict {
    this.#created = this.#created.filter((time) => time > now - WINDOW_MS);
    this.#created.push(now);
    const excess = this.#created.length - MANY;
    if (excess < 0) {
      this.#alarmed = false;
      return { pauseMs: 0, alarm: false };
    }
    const alarm = !this.#alarmed;
    this.#alarmed = true;
    return { pauseMs: Math.min(LONGEST_PAUSE_MS, 250 * 2 ** Math.min(excess, 10)), alarm };
  }
}
