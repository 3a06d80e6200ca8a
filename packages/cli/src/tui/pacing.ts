/** Shortest pause between frames that no key caused. */
const LEAST_PAUSE_MS = 100;
/** Share of one core that such frames take at most, as long as the longest pause allows it. */
const SHARE = 0.015;
const LONGEST_PAUSE_MS = 1_000;

/** The pause after a frame when drawing one takes `ms`. */
export function pauseAfter(ms: number): number {
  return Math.min(LONGEST_PAUSE_MS, Math.max(LEAST_PAUSE_MS, ms / SHARE));
}

/** Draws at once after a key, and paced after everything else; changes that come together share a frame. */
export class Pacer {
  readonly #draw: () => void;
  readonly #now: () => number;
  #timer: NodeJS.Timeout | NodeJS.Immediate | undefined;
  #isUrgent = false;
  #lastEnd = Number.NEGATIVE_INFINITY;
  /** Moving average of the time that a frame takes. */
  #cost = 0;

  constructor(draw: () => void, now: () => number = () => performance.now()) {
    this.#draw = draw;
    this.#now = now;
  }

  /** Requests a frame for a change that is not the response to a key. */
  later(): void {
    if (this.#timer !== undefined) return;
    this.#timer = setTimeout(() => this.#run(), Math.max(0, this.#lastEnd + pauseAfter(this.#cost) - this.#now()));
  }

  /** Requests a frame in response to a key, at the end of this turn of the event loop. */
  defer(): void {
    if (this.#isUrgent) return;
    this.#cancel();
    this.#isUrgent = true;
    this.#timer = setImmediate(() => this.#run());
  }

  stop(): void {
    this.#cancel();
  }

  #cancel(): void {
    clearTimeout(this.#timer as NodeJS.Timeout | undefined); // what the other kind of timer is not, this ignores
    clearImmediate(this.#timer as NodeJS.Immediate | undefined);
    this.#timer = undefined;
    this.#isUrgent = false;
  }

  #run(): void {
    this.#timer = undefined;
    this.#isUrgent = false;
    const began = this.#now();
    this.#draw();
    this.#lastEnd = this.#now();
    this.#cost = this.#cost * 0.7 + (this.#lastEnd - began) * 0.3;
  }
}
