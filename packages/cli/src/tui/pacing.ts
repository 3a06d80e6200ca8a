/** No frame for log lines comes sooner than this after the last one. */
const LEAST_PAUSE_MS = 100;
/** Frames take at most this part of one core, however slow the machine. */
const SHARE = 0.015;
const LONGEST_PAUSE_MS = 1_000;

/** How long to wait with the next frame, when drawing one costs `ms`. A key is never made to wait. */
export function pauseAfter(ms: number): number {
  return Math.min(LONGEST_PAUSE_MS, Math.max(LEAST_PAUSE_MS, ms / SHARE));
}

/** Draws now for a key, and now and then for everything else; never twice for what one frame can show. */
export class Pacer {
  readonly #draw: () => void;
  readonly #now: () => number;
  #timer: NodeJS.Timeout | NodeJS.Immediate | undefined;
  #isUrgent = false;
  #lastEnd = Number.NEGATIVE_INFINITY;
  /** What a frame costs, on average over the last ones. */
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

  /** A person waits; what happens in the same turn still goes into one frame. */
  soon(): void {
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
