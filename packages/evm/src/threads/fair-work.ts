/** Why work is not taken: which bound it ran into. */
export type FullOf = 'all' | 'client';

export interface WorkBounds {
  /** That run at a time, and of one client. */
  readonly atATime: number;
  readonly atATimeOfClient: number;
  /** That wait for a place, and of one client. */
  readonly maxWaiting: number;
  readonly maxWaitingOfClient: number;
}

/**
 * Runs long work of many clients: this much at a time, places given to clients in turn, so that a demanding client waits
 * for itself.
 */
export class FairWork {
  readonly #bounds: WorkBounds;
  readonly #running = new Map<string, number>();
  /** Clients in the order of their turns; who is served goes to the end. */
  readonly #waiting = new Map<string, (() => void)[]>();
  #runs = 0;
  #waits = 0;

  constructor(bounds: WorkBounds) {
    this.#bounds = bounds;
  }

  get counts(): { readonly running: number; readonly waiting: number } {
    return { running: this.#runs, waiting: this.#waits };
  }

  /** Undefined while one more of this client is taken. */
  fullFor(client: string): FullOf | undefined {
    if (this.#hasPlace(client)) return undefined;
    if ((this.#waiting.get(client)?.length ?? 0) >= this.#bounds.maxWaitingOfClient) return 'client';
    return this.#waits >= this.#bounds.maxWaiting ? 'all' : undefined;
  }

  /** Waits for a place if none is free; ask `fullFor` before. */
  async run<T>(client: string, work: () => T | Promise<T>): Promise<T> {
    if (!this.#hasPlace(client)) await this.#wait(client);
    else this.#begin(client);
    try {
      return await work();
    } finally {
      this.#end(client);
    }
  }

  #hasPlace(client: string): boolean {
    const { atATime, atATimeOfClient } = this.#bounds;
    return this.#runs < atATime && (this.#running.get(client) ?? 0) < atATimeOfClient;
  }

  #begin(client: string): void {
    this.#runs += 1;
    this.#running.set(client, (this.#running.get(client) ?? 0) + 1);
  }

  #end(client: string): void {
    this.#runs -= 1;
    const left = (this.#running.get(client) ?? 1) - 1;
    if (left === 0) this.#running.delete(client);
    else this.#running.set(client, left);
    this.#next();
  }

  #wait(client: string): Promise<void> {
    this.#waits += 1;
    return new Promise((go) => {
      const queue = this.#waiting.get(client);
      if (queue === undefined) this.#waiting.set(client, [go]);
      else queue.push(go);
    });
  }

  /** The slot is taken before the waiting call resumes, so that no other call takes it in between. */
  #next(): void {
    for (const [client, queue] of this.#waiting) {
      if (!this.#hasPlace(client)) continue;
      const go = queue.shift();
      this.#waiting.delete(client);
      if (queue.length > 0) this.#waiting.set(client, queue);
      if (go === undefined) continue;
      this.#waits -= 1;
      this.#begin(client);
      go();
      return;
    }
  }
}
