import { Budget } from './budget.ts';
import type { FrameStart, Tracer } from './tracer.ts';

/** A selector with the length of its arguments, and a number, at most. */
const COUNT_LENGTH = 35;

/** Go-ethereum's `4byteTracer`: how often each function was called, by selector and length of its arguments. */
export class FourByteTracer implements Tracer {
  readonly #counts = new Map<string, number>();

  constructor(readonly budget = new Budget()) {}

  enter({ kind, input, precompile }: FrameStart): void {
    if (kind === 'CREATE' || kind === 'CREATE2' || kind === 'SELFDESTRUCT' || precompile || input.length < 4) return;
    const key = `0x${Buffer.from(input.subarray(0, 4)).toString('hex')}-${input.length - 4}`;
    if (!this.#counts.has(key)) this.budget.take(COUNT_LENGTH);
    this.#counts.set(key, (this.#counts.get(key) ?? 0) + 1);
  }

  result(): unknown {
    return Object.fromEntries(this.#counts);
  }
}

/** Go-ethereum's `noopTracer`: nothing, to see that a transaction can be traced. */
export class NoopTracer implements Tracer {
  result(): unknown {
    return {};
  }
}
