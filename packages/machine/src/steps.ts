/** Counts work alike on every node, although time would differ: against a bound, and against those around it. */
export class Steps {
  readonly limit: number;
  readonly #exceeded: (limit: number) => Error;
  readonly #outer: Steps | undefined;
  #used = 0;

  /** @param exceeded The error for the step after the last one. */
  constructor(limit: number, exceeded: (limit: number) => Error, outer?: Steps) {
    this.limit = limit;
    this.#exceeded = exceeded;
    this.#outer = outer;
  }

  get used(): number {
    return this.#used;
  }

  get left(): number {
    return Math.min(this.limit - this.#used, this.#outer?.left ?? Number.MAX_SAFE_INTEGER);
  }

  take(steps: number): void {
    if (steps > this.limit - this.#used) throw this.#exceeded(this.limit);
    this.#used += steps;
    this.#outer?.take(steps);
  }
}
