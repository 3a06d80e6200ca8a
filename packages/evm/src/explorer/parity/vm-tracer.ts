import { OPCODE, opcodeName } from '@switchyard/evm-machine/opcodes';
import type { StateReader } from '@switchyard/evm-machine/state';
import type { Data } from '@switchyard/evm-machine/types';
import { bytesToHex, quantity } from '@switchyard/protocol/ethereum';
import { Budget, WORD_LENGTH } from '../../trace/budget.ts';
import type { FrameEnd, FrameStart, Step, Tracer, TraceStart } from '../../trace/tracer.ts';

/** The steps of one frame as `vmTrace` shows them. */
export interface VmTrace {
  readonly code: Data;
  readonly ops: VmStep[];
}

interface VmStep {
  readonly pc: number;
  readonly op: string;
  /** Known when it has run. */
  cost: number;
  /** Effect of the opcode; null if it failed. */
  ex: VmEffect | null;
  /** The frame that it opened. */
  sub: VmTrace | null;
}

interface VmEffect {
  readonly used: number;
  readonly push: readonly Data[];
  readonly mem: { readonly off: number; readonly data: Data } | null;
  readonly store: { readonly key: Data; readonly val: Data } | null;
}

interface OpenFrame {
  readonly trace: VmTrace;
  last: LastStep | undefined;
}

interface LastStep {
  readonly opcode: number;
  readonly gas: number;
  /** From the top of the stack. */
  readonly operands: readonly bigint[];
  readonly shown: VmStep;
}

/** Names and numbers of a step and of its effect, at most. */
const STEP_LENGTH = 180;
/** Names of a frame. */
const FRAME_LENGTH = 30;
/** Most that an instruction takes. */
const MAX_OPERANDS = 7;

/** OpenEthereum's `vmTrace`: each opcode with its output on the stack, into memory and into storage. */
export class VmTracer implements Tracer<VmTrace> {
  readonly #budget: Budget;
  readonly #open: OpenFrame[] = [];
  #state: StateReader | undefined;
  #top: VmTrace = { code: '0x', ops: [] };

  constructor(budget = new Budget()) {
    this.#budget = budget;
  }

  start({ state }: TraceStart): void {
    this.#state = state;
  }

  enter({ kind, to, input, depth }: FrameStart): void {
    const creates = kind === 'CREATE' || kind === 'CREATE2';
    const account = this.#state?.account(to);
    const code = creates ? input : account === undefined ? undefined : this.#state?.code(account.codeHash);
    this.#budget.take(FRAME_LENGTH + 2 * (code?.length ?? 0));
    const trace: VmTrace = { code: code === undefined ? '0x' : bytesToHex(code), ops: [] };
    const caller = this.#open.at(-1)?.last?.shown;
    if (depth === 0) this.#top = trace;
    // A precompiled contract, and an account without code, has no steps to show.
    else if (caller !== undefined && kind !== 'SELFDESTRUCT' && trace.code !== '0x') caller.sub = trace;
    this.#open.push({ trace, last: undefined });
  }

  exit({ error }: FrameEnd): void {
    const frame = this.#open.pop();
    if (frame?.last === undefined) return;
    const { gas, shown } = frame.last;
    // The end of a frame leaves nothing on its stack.
    if (error === undefined || error === REVERTED) shown.ex = { ...NOTHING, used: gas - shown.cost };
  }

  step(step: Step): void {
    const frame = this.#open.at(-1);
    if (frame === undefined) return;
    if (frame.last !== undefined) frame.last.shown.ex = this.#effect(frame.last, step);
    this.#budget.take(STEP_LENGTH);
    const { pc, opcode, gas, stackSize } = step;
    const shown: VmStep = { pc, op: opcodeName(opcode), cost: 0, ex: null, sub: null };
    frame.trace.ops.push(shown);
    const operands = Array.from({ length: Math.min(stackSize, MAX_OPERANDS) }, (_, place) => step.peek(place));
    frame.last = { opcode, gas, operands, shown };
  }

  stepped(cost: number): void {
    const last = this.#open.at(-1)?.last;
    if (last !== undefined) last.shown.cost = cost;
  }

  result(): VmTrace {
    return this.#top;
  }

  /** Effect of an opcode, from the state when the next one runs. */
  #effect(last: LastStep, next: Step): VmEffect {
    const pushed = pushes(last.opcode);
    const push = Array.from({ length: pushed }, (_, at) => quantity(next.peek(pushed - 1 - at)));
    const mem = this.#written(last, next);
    this.#budget.take(push.reduce((sum, { length }) => sum + length + 3, 0));
    const [key = 0n, value = 0n] = last.operands;
    const store = last.opcode === OPCODE.sstore ? { key: quantity(key), val: quantity(value) } : null;
    if (store !== null) this.#budget.take(2 * WORD_LENGTH);
    return { used: next.gas, push, mem, store };
  }

  #written({ opcode, operands }: LastStep, next: Step): VmEffect['mem'] {
    const write = WRITES.get(opcode);
    if (write === undefined) return null;
    const operand = (position: number): bigint => operands[position] ?? 0n;
    const length = typeof write[1] === 'bigint' ? write[1] : operand(write[1]);
    const offset = operand(write[0]);
    const memory = next.memory();
    if (length === 0n || offset + length > BigInt(memory.length)) return null;
    this.#budget.take(2 * Number(length));
    const off = Number(offset);
    return { off, data: bytesToHex(memory.subarray(off, off + Number(length))) };
  }
}

const REVERTED = 'execution reverted';
const NOTHING: Omit<VmEffect, 'used'> = { push: [], mem: null, store: null };

const SWAP1 = 0x90;
const DUP1 = 0x80;
const NONE: ReadonlySet<number> = new Set([
  ...[0x00, 0x37, 0x39, 0x3c, 0x3e, 0x50, 0x52, 0x53, 0x55, 0x56, 0x57, 0x5b, 0x5d, 0x5e],
  ...[0xa0, 0xa1, 0xa2, 0xa3, 0xa4, 0xf3, 0xfd, 0xfe, 0xff],
]);

/** How many items at the top of the stack an opcode put there; of DUP and SWAP all that they moved. */
function pushes(opcode: number): number {
  if (opcode >= SWAP1 && opcode < SWAP1 + 16) return opcode - SWAP1 + 2;
  if (opcode >= DUP1 && opcode < DUP1 + 16) return opcode - DUP1 + 2;
  return NONE.has(opcode) ? 0 : 1;
}

/** Written range of an opcode: positions of offset and length among its operands, from the top. */
const WRITES: ReadonlyMap<number, readonly [offset: number, length: number | bigint]> = new Map([
  [0x37, [0, 2]],
  [0x39, [0, 2]],
  [0x3c, [1, 3]],
  [0x3e, [0, 2]],
  [0x51, [0, 32n]],
  [0x52, [0, 32n]],
  [0x53, [0, 1n]],
  [0x5e, [0, 2]],
  [OPCODE.call, [5, 6]],
  [OPCODE.callcode, [5, 6]],
  [OPCODE.delegatecall, [4, 5]],
  [OPCODE.staticcall, [4, 5]],
]);
