import { type EVM, EVMError, type ExecResult, type Message } from '@ethereumjs/evm';
import { Account, createZeroAddress } from '@ethereumjs/util';
import { type Internals, internalsOf } from './internals.ts';
import { PatchedMemory } from './patched-memory.ts';

/*
 * For every call EthereumJS sets aside 8 KB of memory, which most calls do not use, and copies all it knows of the
 * frame into the result, where they are not read. A contract that only calls spends its gas mostly on that, so that a block
 * of such calls would take minutes. Here a frame begins with no memory, and its result is what the caller needs.
 */

interface RunState {
  readonly gasLeft: bigint;
  readonly gasRefund: bigint;
}

interface Frame {
  run(code: Uint8Array): Promise<{ readonly runState: RunState; readonly exceptionError: EVMError | undefined }>;
}

const NO_BYTES = new Uint8Array();

/** @param sample An interpreter that the library made. */
export function makeFramesLight(evm: EVM, sample: object): void {
  const machine = internalsOf(evm);
  const { _runState: state } = sample as { readonly _runState: { readonly stack: object } };
  const classes = {
    frame: Object.getPrototypeOf(sample),
    Stack: state.stack.constructor as new () => object,
  };
  const heavy = machine.runInterpreter.bind(machine);
  // What is not a plain call or creation within a transaction, the library does itself.
  machine.runInterpreter = (message, options = {}) =>
    options.pc !== undefined || options.initialLogs !== undefined || machine._tx === undefined
      ? heavy(message, options)
      : runFrame(machine, classes, message);
}

interface Classes {
  readonly frame: object;
  readonly Stack: new () => object;
}

async function runFrame(machine: Internals, classes: Classes, message: Message): Promise<ExecResult> {
  const { stateManager, blockchain, common, journal, _tx: tx, _block: block } = machine;
  const address = message.to ?? createZeroAddress();
  const env = {
    address,
    caller: message.caller,
    callData: message.data,
    callValue: message.value,
    code: message.code,
    isStatic: message.isStatic,
    isCreate: message.isCreate ?? false,
    depth: message.depth,
    gasPrice: tx?.gasPrice,
    origin: tx?.origin,
    block,
    contract: (await stateManager.getAccount(address)) ?? new Account(),
    codeAddress: message.codeAddress,
    gasRefund: message.gasRefund,
    blobVersionedHashes: message.blobVersionedHashes ?? [],
    createdAddresses: message.createdAddresses,
  };
  const result: Result = {
    logs: [],
    returnValue: undefined,
    selfdestruct: message.selfdestruct ?? new Map(),
    createdAddresses: message.createdAddresses,
  };
  const frame: Frame & object = Object.create(classes.frame);
  const runState = {
    programCounter: 0,
    opCode: 0xfe,
    memory: new PatchedMemory(),
    memoryWordCount: 0n,
    highestMemCost: 0n,
    stack: new classes.Stack(),
    code: NO_BYTES,
    known: undefined,
    stateManager,
    blockchain,
    env,
    interpreter: frame,
    gasRefund: message.gasRefund,
    gasLeft: message.gasLimit,
    stateGasSpilled: 0n,
    returnBytes: NO_BYTES,
  };
  Object.assign(frame, {
    _evm: machine,
    _stateManager: stateManager,
    common,
    journal,
    performanceLogger: machine.performanceLogger,
    profilerOpts: undefined,
    opDebuggers: {},
    _env: env,
    _runState: runState,
    _result: result,
  });
  // A frame of the machine runs code, never a precompiled contract.
  const { runState: end, exceptionError } = await frame.run(message.code as Uint8Array);
  return resultOf(message, result, end, exceptionError);
}

interface Result {
  logs: NonNullable<ExecResult['logs']>;
  returnValue: Uint8Array | undefined;
  selfdestruct: NonNullable<ExecResult['selfdestruct']>;
  createdAddresses: ExecResult['createdAddresses'];
}

function resultOf(
  { gasLimit }: Message,
  { logs, returnValue, selfdestruct, createdAddresses }: Result,
  { gasLeft, gasRefund }: RunState,
  exceptionError: EVMError | undefined,
): ExecResult {
  const isFailure = exceptionError !== undefined;
  const keepsGas = !isFailure || exceptionError.error === EVMError.errorMessages.REVERT;
  // Field by field: copies of objects into others are slow, and this is once for each call. The library's type wants
  // fields left out that are undefined here.
  return {
    gas: gasLeft,
    gasRefund: isFailure ? 0n : gasRefund,
    stateGasSpilled: 0n,
    returnValue: returnValue ?? NO_BYTES,
    executionGasUsed: keepsGas ? gasLimit - gasLeft : gasLimit,
    logs: isFailure ? [] : logs,
    selfdestruct: isFailure ? new Map() : selfdestruct,
    createdAddresses: isFailure ? new Set() : createdAddresses,
    exceptionError,
  } as ExecResult;
}
