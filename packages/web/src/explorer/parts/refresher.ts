/**
 * One load at a time. What is asked for during a load is loaded once after it, so that answers that take longer than news need to
 * come are shown all the same, and a slow server is not asked more often than it answers.
 */
export class Refresher<T> {
  #isLoading = false;
  #isStale = false;
  #isOver = false;

  /** @param settled Called with each outcome, until the end. */
  constructor(
    private readonly load: () => Promise<T>,
    private readonly settled: (outcome: PromiseSettledResult<T>) => void,
  ) {}

  refresh(): void {
    if (this.#isLoading) {
      this.#isStale = true;
      return;
    }
    this.#isLoading = true;
    this.#isStale = false;
    this.load().then(
      (value) => this.#settle({ status: 'fulfilled', value }),
      (reason: unknown) => this.#settle({ status: 'rejected', reason }),
    );
  }

  /** What is on its way is dropped. */
  end(): void {
    this.#isOver = true;
  }

  #settle(outcome: PromiseSettledResult<T>): void {
    if (this.#isOver) return;
    this.#isLoading = false;
    this.settled(outcome);
    if (this.#isStale) this.refresh();
  }
}
