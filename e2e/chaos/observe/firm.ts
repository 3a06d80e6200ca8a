import type { FirmBlock } from '../check/posted.ts';

const EVERY_MS = 100;
const ANSWER_MS = 2_000;

/** Notes each block that a rollup ever shows as firm. */
export class FirmWatch {
  readonly #statusUrl: string;
  readonly #stop = new AbortController();
  readonly #seen = new Map<string, FirmBlock>();
  readonly #loop: Promise<void>;
  #newest = 0;

  constructor(statusUrl: string) {
    this.#statusUrl = statusUrl;
    this.#loop = this.#run();
  }

  get seen(): readonly FirmBlock[] {
    return [...this.#seen.values()];
  }

  /** Resolves when a block is firm. @throws if there is no progress for this long. */
  async reaches(number: number, withinMs: number): Promise<void> {
    let best = this.#newest;
    for (let end = performance.now() + withinMs; performance.now() < end; await rest(EVERY_MS)) {
      if (this.#newest >= number) return;
      if (this.#newest > best) end = performance.now() + withinMs;
      best = this.#newest;
    }
    throw new Error(`rollup block ${this.#newest} is firm, and ${number} is not for ${withinMs / 1_000} s`);
  }

  async close(): Promise<void> {
    this.#stop.abort();
    await this.#loop;
  }

  async #run(): Promise<void> {
    while (!this.#stop.signal.aborted) {
      const firm = await this.#ask();
      if (firm !== undefined) {
        this.#seen.set(`${firm.number} ${firm.hash}`, firm);
        this.#newest = firm.number;
      }
      await rest(EVERY_MS);
    }
  }

  async #ask(): Promise<FirmBlock | undefined> {
    try {
      const answer = await fetch(this.#statusUrl, { signal: AbortSignal.timeout(ANSWER_MS) });
      // A rollup of ours answers in this form; the values are checked.
      const { firm } = (await answer.json()) as { firm?: { number: number; hash: string } };
      return firm === undefined ? undefined : { number: Number(firm.number), hash: firm.hash };
    } catch {
      return undefined;
    }
  }
}

const rest = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
