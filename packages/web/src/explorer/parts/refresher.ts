import { ApiRefused } from '@switchyard/client/http-api';

/** Delay before a part that is missing or incomplete is requested again, though no news come. */
const AGAIN_MS = 3_000;

/**
 * One load at a time. A request during a load is loaded once after it, so that answers that take longer than news need to
 * come are shown all the same, and a slow server is not queried more often than it answers.
 */
export class Refresher<T> {
  #isLoading = false;
  #isStale = false;
  #isOver = false;
  #again: ReturnType<typeof setTimeout> | undefined;

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
    clearTimeout(this.#again);
    this.#isLoading = true;
    this.#isStale = false;
    this.load().then(
      (value) => this.#settle({ status: 'fulfilled', value }),
      (reason: unknown) => this.#settle({ status: 'rejected', reason }),
    );
  }

  /** Ends it: the outcome of a load that is under way is dropped. */
  end(): void {
    this.#isOver = true;
    clearTimeout(this.#again);
  }

  #settle(outcome: PromiseSettledResult<T>): void {
    if (this.#isOver) return;
    this.#isLoading = false;
    this.settled(outcome);
    if (this.#isStale) this.refresh();
    else if (isPassing(outcome)) this.#again = setTimeout(() => this.refresh(), AGAIN_MS);
  }
}

/** Whether the same question may have a better answer soon: a server was away, or could state only a part, with its `problem`. */
function isPassing(outcome: PromiseSettledResult<unknown>): boolean {
  if (outcome.status === 'rejected') {
    const { reason } = outcome;
    return !(reason instanceof ApiRefused) || reason.status >= 500 || reason.status === 429;
  }
  const { value } = outcome;
  return typeof value === 'object' && value !== null && 'problem' in value && typeof value.problem === 'string';
}
