import type { Answer } from './dispatch.ts';
import { failed } from './json-rpc.ts';

const MAX_HELD_BYTES = 64 * 1024 * 1024;
const MAX_MAKING = 4;
const MAX_WAITING = 256;

/**
 * Bounds the memory of answers that may be megabytes long: few are made at a time, and while much of what was made has
 * not been taken by its readers, the next ones wait. Small answers never come here, so slow readers of blocks do not
 * keep anybody from sending transactions.
 */
export class LargeAnswers {
  #held = 0;
  #making = 0;
  readonly #waiting: (() => void)[] = [];

  /** @throws {JsonRpcError} when too many wait already, and whatever `make` throws. */
  async make(make: () => Promise<string>): Promise<Answer> {
    await this.#enter();
    let text: string;
    try {
      text = await make();
    } finally {
      this.#making -= 1;
      this.#next();
    }
    const { length } = text;
    this.#held += length;
    let released = false;
    return {
      text,
      release: () => {
        if (released) return;
        released = true;
        this.#held -= length;
        this.#next();
      },
    };
  }

  async #enter(): Promise<void> {
    if (this.#isFree()) {
      this.#making += 1;
      return;
    }
    if (this.#waiting.length >= MAX_WAITING) throw failed('too many requests for large answers at once, try again');
    await new Promise<void>((resolve) => this.#waiting.push(resolve));
  }

  #next(): void {
    while (this.#isFree()) {
      const wake = this.#waiting.shift();
      if (wake === undefined) return;
      this.#making += 1;
      wake();
    }
  }

  #isFree(): boolean {
    return this.#making < MAX_MAKING && this.#held < MAX_HELD_BYTES;
  }
}
