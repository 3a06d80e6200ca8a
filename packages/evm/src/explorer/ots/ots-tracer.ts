import type { Address, Data } from '@switchyard/evm-machine/types';
import { bytesToHex, quantity } from '@switchyard/protocol/ethereum';
import type { Budget } from '../../trace/budget.ts';
import type { FrameEnd, FrameKind, FrameStart, Tracer } from '../../trace/tracer.ts';

/** One frame as `ots_traceTransaction` lists it. */
export interface OtsFrame {
  readonly type: FrameKind;
  readonly depth: number;
  readonly from: Address;
  readonly to: Address;
  /** Null if none can be given along. */
  readonly value: Data | null;
  readonly input: Data;
  output: Data;
}

const FRAME_LENGTH = 300;

/** Frames in the order in which they began, without those of precompiled contracts. */
export class OtsTracer implements Tracer<readonly OtsFrame[]> {
  readonly #budget: Budget;
  readonly #frames: OtsFrame[] = [];
  readonly #open: (OtsFrame | undefined)[] = [];

  constructor(budget: Budget) {
    this.#budget = budget;
  }

  enter({ kind, depth, from, to, value, input, precompile }: FrameStart): void {
    if (precompile && depth > 0) {
      this.#open.push(undefined);
      return;
    }
    this.#budget.take(FRAME_LENGTH + 2 * input.length);
    const given = kind === 'DELEGATECALL' || value === undefined ? null : quantity(value);
    const frame: OtsFrame = { type: kind, depth, from, to, value: given, input: bytesToHex(input), output: '0x' };
    this.#frames.push(frame);
    this.#open.push(frame);
  }

  exit({ output }: FrameEnd): void {
    const frame = this.#open.pop();
    if (frame === undefined) return;
    this.#budget.take(2 * output.length);
    frame.output = bytesToHex(output);
  }

  result(): readonly OtsFrame[] {
    return this.#frames;
  }
}
