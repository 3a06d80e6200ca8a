import { hexOf, wordOf } from '../hex.ts';
import { quantity } from '../rpc/hex.ts';
import type { Outcome } from '../simulate/evm-message.ts';
import type { StateReader } from '../state/state.ts';
import type { Address, Data, Hash } from '../types.ts';
import { Budget } from './budget.ts';
import { OPCODE } from './opcodes.ts';
import type { FrameEnd, FrameKind, FrameStart, Step, Tracer, TraceStart } from './tracer.ts';

export interface StructLoggerOptions {
  readonly enableMemory?: boolean;
  readonly disableStack?: boolean;
  readonly disableStorage?: boolean;
  readonly enableReturnData?: boolean;
  /** Steps to answer; 0 for all. */
  readonly limit?: number;
}

interface StructLog {
  readonly pc: number;
  readonly op: string;
  readonly gas: number;
  readonly gasCost: number;
  readonly depth: number;
  error?: string;
  readonly stack?: readonly Data[];
  readonly returnData?: Data;
  readonly memory?: readonly Data[];
  readonly storage?: Readonly<Record<Hash, Hash>>;
  readonly refund?: number;
}

/** What each step adds to the length apart from words: its names and numbers. */
const STEP_LENGTH = 90;
const WORD_LENGTH = 70;
/** Most are short. */
const STACK_LENGTH = 16;

/** The default tracer of `debug_trace…`: each opcode with what it found. */
export class StructLogger implements Tracer {
  readonly #options: StructLoggerOptions;
  readonly #budget: Budget;
  readonly #logs: StructLog[] = [];
  readonly #storage = new Map<Address, Map<Hash, Hash>>();
  readonly #kinds: FrameKind[] = [];
  /** The last step of each open frame. */
  readonly #last: (StructLog | undefined)[] = [];
  #state: StateReader | undefined;
  /** What the last call of each open frame returned. */
  readonly #returned: Uint8Array[] = [];

  constructor(options: StructLoggerOptions = {}, budget = new Budget()) {
    this.#options = options;
    this.#budget = budget;
  }

  start({ state }: TraceStart): void {
    this.#state = state;
  }

  enter({ kind }: FrameStart): void {
    this.#kinds.push(kind);
    this.#last.push(undefined);
    this.#returned.push(NOTHING);
  }

  exit({ output, error }: FrameEnd): void {
    const created = this.#kinds.pop()?.startsWith('CREATE') === true && error === undefined;
    const last = this.#last.pop();
    if (error !== undefined && last !== undefined && !AFTER_THE_CODE.has(error)) last.error = error;
    this.#returned.pop();
    // A creation that succeeds returns nothing to its creator.
    if (this.#returned.length > 0) this.#returned[this.#returned.length - 1] = created ? NOTHING : output;
  }

  step(step: Step): void {
    const { limit = 0, disableStack = false, enableReturnData = false } = this.#options;
    if (limit > 0 && this.#logs.length >= limit) return;
    const storage = this.#storageOf(step);
    const returned = this.#returned.at(-1) ?? NOTHING;
    const log: StructLog = {
      pc: step.pc,
      op: NAMES.get(step.opcode) ?? step.name,
      gas: Number(step.gas),
      gasCost: Number(step.cost),
      depth: step.depth + 1,
      ...(step.refund === 0n ? {} : { refund: Number(step.refund) }),
      ...(disableStack ? {} : { stack: step.stack.map(quantity) }),
      ...(enableReturnData && returned.length > 0 ? { returnData: hexOf(returned) } : {}),
      ...this.#memory(step.memory),
      ...(storage === undefined ? {} : { storage: Object.fromEntries(storage) }),
    };
    this.#count(log, storage?.size ?? 0);
    this.#logs.push(log);
    this.#last[this.#last.length - 1] = log;
  }

  result({ gasUsed, failure, output }: Outcome): unknown {
    const returned = failure === undefined || failure.kind === 'revert' ? output : new Uint8Array();
    return {
      gas: Number(gasUsed),
      failed: failure !== undefined,
      returnValue: hexOf(returned),
      structLogs: this.#logs,
    };
  }

  #memory(memory: Uint8Array): Pick<StructLog, 'memory'> {
    if (this.#options.enableMemory !== true || memory.length === 0) return {};
    const words: Data[] = [];
    for (let at = 0; at < memory.length; at += 32) words.push(hexOf(memory.subarray(at, at + 32)));
    return { memory: words };
  }

  /** All slots that the contract has touched so far, on opcodes that touch one. */
  #storageOf({ opcode, stack, address }: Step): ReadonlyMap<Hash, Hash> | undefined {
    if (this.#options.disableStorage === true) return undefined;
    const loads = opcode === OPCODE.sload && stack.length >= 1;
    if (!loads && !(opcode === OPCODE.sstore && stack.length >= 2)) return undefined;
    const storage = this.#storage.get(address) ?? new Map<Hash, Hash>();
    this.#storage.set(address, storage);
    const slot = wordOf(stack.at(-1) ?? 0n);
    storage.set(slot, wordOf(loads ? (this.#state?.storage(address, slot) ?? 0n) : (stack.at(-2) ?? 0n)));
    return storage;
  }

  #count({ stack = [], memory = [], returnData = '0x' }: StructLog, slots: number): void {
    const words = memory.length + slots * 2;
    this.#budget.take(STEP_LENGTH + stack.length * STACK_LENGTH + words * WORD_LENGTH + returnData.length);
  }
}

const NOTHING = new Uint8Array();

/** What is no fault of an opcode: a revert, and code that a creation may not leave behind. */
const AFTER_THE_CODE: ReadonlySet<string> = new Set([
  'execution reverted',
  'contract creation code storage out of gas',
  'max code size exceeded',
  'invalid code: must not begin with 0xef',
]);

/** Where geth and the interpreter name an opcode differently. */
const NAMES: ReadonlyMap<number, string> = new Map([[OPCODE.prevrandao, 'DIFFICULTY']]);
