import { type EVM, EVMError } from '@ethereumjs/evm';
import type { Pause } from '../pause.ts';
import { librarySample } from './internals.ts';
import { makeCallsLight } from './patched-calls.ts';
import { makeFramesLight } from './patched-frames.ts';
import { usePatchedJournal } from './patched-journal.ts';
import { usePatchedMemory } from './patched-memory.ts';
import { makeSlotsLight } from './patched-slots.ts';
import { type Turns, takeTurns, turnsOf, UNITS_AT_ONCE, UNITS_OF_DYNAMIC } from './turns.ts';

/*
 * EthereumJS awaits a promise for every step of a contract and looks for the jump targets of the code in every call
 * anew. Here is the loop over the steps again, for Cancun machines without a tracer: what the library does in
 * one go stays in one go, and code is searched when it jumps for the first time. The handlers of the operations, which
 * are where the rules are, are the library's, but for a few (`own-handlers.ts`).
 *
 * It is put into the library's class, because the library makes its objects itself; machines that did not ask for it
 * run as before.
 */

/** Makes this machine, which must have Cancun's rules, no operations of its own and no listener to steps, fast. */
export async function patchMachine(evm: EVM, pause: Pause): Promise<void> {
  await takeTurns(evm, pause);
  fast.add(evm);
  const interpreter = await librarySample();
  // Of the members below, some are not public; a test compares with the library's own loop.
  const prototype = Object.getPrototypeOf(interpreter) as InterpreterClass;
  if (prototype.run !== fastOr) {
    original = prototype.run;
    prototype.run = fastOr;
  }
  makeFramesLight(evm, interpreter);
  usePatchedJournal(evm);
  makeCallsLight(evm);
  usePatchedMemory(evm);
  makeSlotsLight(evm);
}

const fast = new WeakSet<object>();
const STOP = 0;
let original: InterpreterClass['run'] | undefined;

/** What is used of an operation. */
interface Operation {
  readonly opcodeInfo: {
    readonly code: number;
    readonly feeBigInt: bigint;
    readonly dynamicGas: boolean;
    readonly isInvalid: boolean;
    readonly isAsync: boolean;
  };
  readonly opHandler: (state: RunState, common: unknown) => void | Promise<void>;
  readonly gasHandler: (state: RunState, gas: bigint, common: unknown) => Promise<bigint>;
}

interface RunState {
  code: Uint8Array;
  programCounter: number;
  opCode: number;
}

interface Interpreter {
  readonly _evm: { readonly _opcodeMap: Record<number, Operation> };
  readonly _runState: RunState;
  readonly common: unknown;
  useGas(gas: bigint): void;
}

interface RunOptions {
  readonly pc?: number;
}

interface InterpreterClass {
  run(this: Interpreter, code: Uint8Array, options?: RunOptions): Promise<RunResult>;
}

interface RunResult {
  readonly runState: RunState;
  readonly exceptionError: EVMError | undefined;
}

function fastOr(this: Interpreter, code: Uint8Array, options: RunOptions = {}): Promise<RunResult> {
  const turns = fast.has(this._evm) ? turnsOf(this._evm) : undefined;
  if (turns !== undefined) return run(this, turns, code, options);
  if (original === undefined) throw new Error('the library has no loop of its own');
  return original.call(this, code, options);
}

async function run(interpreter: Interpreter, turns: Turns, code: Uint8Array, { pc }: RunOptions): Promise<RunResult> {
  const { _runState: state, common } = interpreter;
  const { _opcodeMap: operations } = interpreter._evm;
  state.code = code;
  if (pc !== undefined) state.programCounter = pc;
  try {
    while (state.programCounter < code.length) {
      const operation = operations[code[state.programCounter] ?? STOP];
      if (operation === undefined) throw new Error(`no operation at ${state.programCounter}`);
      const { opcodeInfo } = operation;
      state.opCode = opcodeInfo.code;
      let gas = opcodeInfo.feeBigInt;
      turns.made += 1;
      if (opcodeInfo.dynamicGas) {
        turns.made += UNITS_OF_DYNAMIC;
        gas = await operation.gasHandler(state, gas, common);
      }
      if (opcodeInfo.isInvalid) throw new EVMError(EVMError.errorMessages.INVALID_OPCODE);
      interpreter.useGas(gas);
      state.programCounter += 1;
      const working = operation.opHandler(state, common);
      if (opcodeInfo.isAsync) await working;
      if (turns.made >= UNITS_AT_ONCE) {
        turns.made = 0;
        const pausing = turns.pause();
        if (pausing !== undefined) await pausing;
      }
    }
  } catch (error) {
    if (!(error instanceof EVMError)) throw error;
    const isEnd = error.error === EVMError.errorMessages.STOP;
    return { runState: state, exceptionError: isEnd ? undefined : error };
  }
  return { runState: state, exceptionError: undefined };
}
