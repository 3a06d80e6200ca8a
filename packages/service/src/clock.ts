/** Time as a dependency. */
export interface Clock {
  /** Milliseconds since the Unix epoch. */
  now(): number;
  /** Calls `fire` once after `ms`; the returned function takes that back. */
  after(ms: number, fire: () => void): () => void;
}

/** The machine's time. Its timers keep the process alive. */
export const systemClock: Clock = {
  now: () => Date.now(),
  after(ms, fire) {
    const timer = setTimeout(fire, ms);
    return () => clearTimeout(timer);
  },
};
