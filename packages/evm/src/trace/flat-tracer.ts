import type { Address } from '@switchyard/evm-machine/types';
import { bytesToHex, quantity } from '@switchyard/protocol/ethereum';
import { Budget } from './budget.ts';
import type { FrameEnd, FrameStart, Tracer } from './tracer.ts';

/** One frame as the `trace_` methods list it. */
export interface FlatTrace {
  readonly type: 'call' | 'create' | 'suicide';
  readonly action: Readonly<Record<string, string>>;
  result?: Readonly<Record<string, string>> | null;
  error?: string;
  subtraces: number;
  /** Positions of this frame and of those around it, from the outermost. */
  readonly traceAddress: readonly number[];
}

interface OpenFrame {
  readonly trace: FlatTrace;
  readonly to: Address;
}

/** Names, addresses and numbers of a frame, and of its place in the chain, at most. */
const FRAME_LENGTH = 680;
/** A position within the frame around it. */
const POSITION_LENGTH = 7;

/** Frames one after the other, as OpenEthereum answered them. Calls of precompiled contracts without value are left out. */
export class FlatTracer implements Tracer<readonly FlatTrace[]> {
  readonly #budget: Budget;
  readonly #traces: FlatTrace[] = [];
  /** Undefined if a frame is left out. */
  readonly #open: (OpenFrame | undefined)[] = [];

  constructor(budget = new Budget()) {
    this.#budget = budget;
  }

  enter(frame: FrameStart): void {
    const parent = this.#open.at(-1)?.trace;
    if (frame.precompile && frame.depth > 0 && (frame.value ?? 0n) === 0n) {
      this.#open.push(undefined);
      return;
    }
    const depth = this.#open.length;
    this.#budget.take(FRAME_LENGTH + depth * POSITION_LENGTH + 2 * frame.input.length);
    const traceAddress = parent === undefined ? [] : [...parent.traceAddress, parent.subtraces];
    if (parent !== undefined) parent.subtraces += 1;
    const trace: FlatTrace = { ...getAction(frame), subtraces: 0, traceAddress };
    this.#traces.push(trace);
    this.#open.push({ trace, to: frame.to });
  }

  exit({ output, gasUsed, error }: FrameEnd): void {
    const open = this.#open.pop();
    if (open === undefined) return;
    const { trace, to } = open;
    this.#budget.take(2 * output.length + (error?.length ?? 0));
    if (error !== undefined) {
      trace.error = ERRORS.get(error) ?? (error.startsWith('invalid opcode') ? 'Bad instruction' : error);
      trace.result = null;
      if (error !== REVERTED) return;
    }
    const used = quantity(gasUsed);
    if (trace.type === 'suicide') trace.result = null;
    else if (trace.type === 'create') trace.result = { gasUsed: used, address: to, code: bytesToHex(output) };
    else trace.result = { gasUsed: used, output: bytesToHex(output) };
  }

  result(): readonly FlatTrace[] {
    return this.#traces;
  }
}

const REVERTED = 'execution reverted';

/** OpenEthereum's words. */
const ERRORS: ReadonlyMap<string, string> = new Map([
  [REVERTED, 'Reverted'],
  ['out of gas', 'Out of gas'],
  ['contract creation code storage out of gas', 'Out of gas'],
  ['invalid jump destination', 'Bad jump destination'],
  ['stack underflow', 'Stack underflow'],
  ['stack limit reached', 'Out of stack'],
  ['write protection', 'Mutable Call In Static Context'],
  ['insufficient balance for transfer', 'Insufficient balance for transfer'],
]);

function getAction(frame: FrameStart): Pick<FlatTrace, 'type' | 'action'> {
  const { kind, from, to, input, gas, value = 0n } = frame;
  switch (kind) {
    case 'SELFDESTRUCT':
      return { type: 'suicide', action: { address: from, balance: quantity(value), refundAddress: to } };
    case 'CREATE':
    case 'CREATE2':
      return {
        type: 'create',
        action: {
          from,
          gas: quantity(gas),
          init: bytesToHex(input),
          value: quantity(value),
          creationMethod: kind.toLowerCase(),
        },
      };
    default:
      return {
        type: 'call',
        action: {
          from,
          to,
          gas: quantity(gas),
          input: bytesToHex(input),
          value: quantity(value),
          callType: kind.toLowerCase(),
        },
      };
  }
}
