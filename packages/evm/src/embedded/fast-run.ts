import { type EVM, EVMError } from '@ethereumjs/evm';
import { Recent } from '../chain/recent.ts';
import { makeFramesLight } from './light-frames.ts';
import { useLightJournal } from './light-journal.ts';

/*
 * EthereumJS awaits a promise for every step of a contract and looks for the jump targets of the code in every call
 * anew. Here is the loop over the steps again, for machines of Cancun that nobody traces: what the library does in
 * one go stays in one go, and code that was seen before is not searched again. The handlers of the operations, which
 * are where the rules are, are the library's.
 *
 * It is put into the library's class, because the library makes its objects itself; machines that did not ask for it
 * go on as before.
 */

/** Makes this machine, which must have Cancun's rules, no operations of its own and no listener to steps, fast. */
export async function makeFast(evm: EVM): Promise<void> {
  fast.add(evm);
  const { runState } = await evm.runCode({ code: Uint8Array.of(STOP), gasLimit: 1n });
  const { interpreter } = runState ?? {};
  if (interpreter === undefined) throw new Error('the EVM library shows no interpreter: another version is installed');
  // Of the members below, some are not public; a test compares with the library's own loop.
  const prototype = Object.getPrototypeOf(interpreter) as InterpreterClass;
  if (prototype.run !== fastOr) {
    original = prototype.run;
    prototype.run = fastOr;
  }
  makeFramesLight(evm, interpreter);
  useLightJournal(evm);
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
  shouldDoJumpAnalysis: boolean;
  validJumps: Uint8Array;
  cachedPushes: object;
}

interface Analysis {
  readonly jumps: Uint8Array;
  readonly pushes: object;
  /** By position in the code; not inside of what is pushed. */
  readonly opcodesCached: readonly Operation[];
}

interface Interpreter {
  readonly _evm: object;
  readonly _runState: RunState;
  readonly common: unknown;
  useGas(gas: bigint): void;
  _getValidJumpDestinations(code: Uint8Array): Analysis;
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

/** Bytes of code whose analysis is kept; it takes up to forty times as much. */
const KNOWN_BYTES = 1_048_576;
const known = new Recent<Uint8Array, Analysis>(KNOWN_BYTES, ({ jumps }) => jumps.length + 64);

function analysisOf(interpreter: Interpreter, code: Uint8Array): Analysis {
  const found = known.get(code);
  if (found !== undefined) return found;
  const analysis = interpreter._getValidJumpDestinations(code);
  known.put(code, analysis);
  return analysis;
}

/** After so many steps others get a turn: a block may hold seconds of work. A call is as much work as many steps. */
const TURN = 50_000;
const CALL_STEPS = 200;
let untilTurn = TURN;

function fastOr(this: Interpreter, code: Uint8Array, options: RunOptions = {}): Promise<RunResult> {
  if (fast.has(this._evm)) return run(this, code, options);
  if (original === undefined) throw new Error('the library has no loop of its own');
  return original.call(this, code, options);
}

async function run(interpreter: Interpreter, code: Uint8Array, { pc }: RunOptions): Promise<RunResult> {
  const { _runState: state, common } = interpreter;
  const { jumps, pushes, opcodesCached } = analysisOf(interpreter, code);
  state.code = code;
  state.validJumps = jumps;
  state.cachedPushes = pushes;
  state.shouldDoJumpAnalysis = false;
  if (pc !== undefined) state.programCounter = pc;
  untilTurn -= CALL_STEPS;
  try {
    while (state.programCounter < code.length) {
      const operation = opcodesCached[state.programCounter];
      if (operation === undefined) throw new Error(`step into the middle of a push at ${state.programCounter}`);
      const { opcodeInfo } = operation;
      state.opCode = opcodeInfo.code;
      let gas = opcodeInfo.feeBigInt;
      if (opcodeInfo.dynamicGas) gas = await operation.gasHandler(state, gas, common);
      if (opcodeInfo.isInvalid) throw new EVMError(EVMError.errorMessages.INVALID_OPCODE);
      interpreter.useGas(gas);
      state.programCounter += 1;
      const working = operation.opHandler(state, common);
      if (opcodeInfo.isAsync) await working;
      untilTurn -= 1;
      if (untilTurn <= 0) {
        untilTurn = TURN;
        await new Promise(setImmediate);
      }
    }
  } catch (error) {
    if (!(error instanceof EVMError)) throw error;
    const isEnd = error.error === EVMError.errorMessages.STOP;
    return { runState: state, exceptionError: isEnd ? undefined : error };
  }
  return { runState: state, exceptionError: undefined };
}
