import { OPCODE, opcodeName } from '@switchyard/evm-machine/opcodes';
import type { StateReader } from '@switchyard/evm-machine/state';
import type { Address, Data, Hash } from '@switchyard/evm-machine/types';
import type { Outcome } from '@switchyard/evm-machine/values';
import { bytesToHex, quantity, toWord } from '@switchyard/protocol/ethereum';
import { Budget, WORD_LENGTH } from './budget.ts';
import type { Step, Tracer, TraceStart } from './tracer.ts';

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
  /** Known when it has run. */
  gasCost: number;
  readonly depth: number;
  error?: string;
  readonly stack?: readonly Data[];
  readonly returnData?: Data;
  readonly memory?: readonly Data[];
  readonly storage?: Readonly<Record<Hash, Hash>>;
  readonly refund?: number;
}

/** Names and numbers of a step, at most. */
const STEP_LENGTH = 190;

/** The default tracer of `debug_trace…`: each opcode with the state before it. */
export class StructLogger implements Tracer {
  readonly #options: StructLoggerOptions;
  readonly #budget: Budget;
  readonly #logs: StructLog[] = [];
  readonly #storage = new Map<Address, Map<Hash, Hash>>();
  /** The step that runs; undefined if it is not shown. */
  #current: StructLog | undefined;
  #state: StateReader | undefined;

  constructor(options: StructLoggerOptions = {}, budget = new Budget()) {
    this.#options = options;
    this.#budget = budget;
  }

  start({ state }: TraceStart): void {
    this.#state = state;
  }

  step(step: Step): void {
    const { limit = 0, disableStack = false, enableReturnData = false } = this.#options;
    this.#current = undefined;
    if (limit > 0 && this.#logs.length >= limit) return;
    const storage = this.#storageOf(step);
    const returned = step.returned();
    const log: StructLog = {
      pc: step.pc,
      op: opcodeName(step.opcode),
      gas: step.gas,
      gasCost: 0,
      depth: step.depth + 1,
      ...(step.refund === 0 ? {} : { refund: step.refund }),
      ...(disableStack ? {} : { stack: this.#stack(step) }),
      ...(enableReturnData && returned.length > 0 ? { returnData: bytesToHex(returned) } : {}),
      ...this.#memory(step),
      ...(storage === undefined ? {} : { storage: Object.fromEntries(storage) }),
    };
    this.#budget.take(STEP_LENGTH + (enableReturnData ? 2 * returned.length : 0));
    this.#logs.push(log);
    this.#current = log;
  }

  stepped(cost: number, error: string | undefined): void {
    if (this.#current === undefined) return;
    this.#current.gasCost = cost;
    // A revert is no fault of the instruction.
    if (error === undefined || error === REVERTED) return;
    this.#budget.take(error.length);
    this.#current.error = error;
  }

  result({ gasUsed, failure, output }: Outcome): unknown {
    const returned = failure === undefined || failure.kind === 'revert' ? output : new Uint8Array();
    return {
      gas: Number(gasUsed),
      failed: failure !== undefined,
      returnValue: bytesToHex(returned),
      structLogs: this.#logs,
    };
  }

  #stack(step: Step): readonly Data[] {
    const stack = step.stack().map(quantity);
    this.#budget.take(stack.reduce((sum, { length }) => sum + length + 3, 0));
    return stack;
  }

  #memory(step: Step): Pick<StructLog, 'memory'> {
    const memory = this.#options.enableMemory === true ? step.memory() : NOTHING;
    if (memory.length === 0) return {};
    this.#budget.take((memory.length / 32) * WORD_LENGTH);
    const words: Data[] = [];
    for (let at = 0; at < memory.length; at += 32) words.push(bytesToHex(memory.subarray(at, at + 32)));
    return { memory: words };
  }

  /** All slots that the contract has touched so far, on opcodes that touch one. */
  #storageOf(step: Step): ReadonlyMap<Hash, Hash> | undefined {
    const { opcode, stackSize, address } = step;
    if (this.#options.disableStorage === true) return undefined;
    const loads = opcode === OPCODE.sload && stackSize >= 1;
    if (!loads && !(opcode === OPCODE.sstore && stackSize >= 2)) return undefined;
    const storage = this.#storage.get(address) ?? new Map<Hash, Hash>();
    this.#storage.set(address, storage);
    const slot = toWord(step.peek(0));
    storage.set(slot, toWord(loads ? (this.#state?.storage(address, slot) ?? 0n) : step.peek(1)));
    this.#budget.take(2 * storage.size * WORD_LENGTH);
    return storage;
  }
}

const NOTHING = new Uint8Array();
const REVERTED = 'execution reverted';
