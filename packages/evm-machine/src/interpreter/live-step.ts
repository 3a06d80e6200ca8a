import type { Address } from '../types.ts';
import type { Frame } from './frame.ts';
import type { Step } from './hooks.ts';
import { bigAt, PARTS } from './words.ts';

/** View of a frame for a tracer: always of the instruction that is next. */
export class LiveStep implements Step {
  readonly #frame: Frame;

  constructor(frame: Frame) {
    this.#frame = frame;
  }

  get pc(): number {
    return this.#frame.pc;
  }

  get opcode(): number {
    return this.#frame.code.bytes[this.#frame.pc] ?? 0;
  }

  get gas(): number {
    return this.#frame.gas;
  }

  get refund(): number {
    return this.#frame.context.journal.refund;
  }

  get depth(): number {
    return this.#frame.depth;
  }

  get address(): Address {
    return this.#frame.account.address;
  }

  get stackSize(): number {
    return this.#frame.top / PARTS;
  }

  peek(place: number): bigint {
    const { stack, top } = this.#frame;
    return bigAt(stack, top - (place + 1) * PARTS);
  }

  stack(): bigint[] {
    const { stack } = this.#frame;
    return Array.from({ length: this.stackSize }, (_, index) => bigAt(stack, index * PARTS));
  }

  memory(): Uint8Array {
    const { memory } = this.#frame;
    return memory.bytes.subarray(0, memory.size);
  }

  returned(): Uint8Array {
    return this.#frame.returned;
  }
}
