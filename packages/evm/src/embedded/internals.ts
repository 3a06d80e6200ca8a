import { createCustomCommon, Hardfork, Mainnet } from '@ethereumjs/common';
import { createEVM, type EVM, type EVMRunCallOpts, type ExecResult, type Message } from '@ethereumjs/evm';
import type { PatchedJournal } from './patched-journal.ts';

/**
 * What is used of EthereumJS's machine that is not, or not so, in its types. Tests compare the blocks with those of the
 * library as it is.
 */
export interface Internals {
  readonly stateManager: EVM['stateManager'];
  readonly blockchain: EVM['blockchain'];
  readonly common: EVM['common'];
  readonly events: EVM['events'];
  readonly transientStorage: EVM['transientStorage'];
  /** Once `usePatchedJournal` has put it there. */
  readonly journal: PatchedJournal;
  readonly performanceLogger: object;
  readonly _opcodeMap: Record<number, { readonly opHandler: unknown }>;
  /** Of the transaction that runs. */
  _block?: EVMRunCallOpts['block'];
  _tx?: { readonly gasPrice: bigint; readonly origin: Message['caller'] };
  runCall: EVM['runCall'];
  runInterpreter(
    message: Message,
    options?: { readonly pc?: number; readonly initialLogs?: unknown },
  ): Promise<ExecResult>;
  runPrecompile(code: unknown, data: Uint8Array, gasLimit: bigint): Promise<ExecResult>;
  postMessageCleanup(): void;
  _emit(topic: string, data: unknown): Promise<void>;
  _loadCode(message: Message): Promise<void>;
}

const OBJECTS = ['performanceLogger', '_opcodeMap'] as const satisfies readonly (keyof Internals)[];
const FUNCTIONS = [
  'runInterpreter',
  'runPrecompile',
  'postMessageCleanup',
  '_emit',
  '_loadCode',
] as const satisfies readonly (keyof Internals)[];

/** @throws {Error} where the library has not what is used of it: another version is installed. */
export function internalsOf(evm: EVM): Internals {
  const machine: object = evm;
  if (!hasInternals(machine)) throw new Error('the EVM library has other members than ours uses: another version?');
  return machine;
}

function hasInternals(machine: object): machine is Internals {
  const kindOf = (name: string) => typeof Reflect.get(machine, name);
  return OBJECTS.every((name) => kindOf(name) === 'object') && FUNCTIONS.every((name) => kindOf(name) === 'function');
}

/** What is used of the class whose objects run code: one for each call and creation. */
export interface LibraryFrame {
  readonly _evm: Pick<Internals, '_opcodeMap'>;
  readonly _env: { readonly address: { readonly bytes: Uint8Array } };
  log(data: Uint8Array, count: number, topics: Uint8Array[]): void;
  runStep(operation: unknown): Promise<void>;
  /** By position in the code: operations, what is pushed, and jump targets. */
  _getValidJumpDestinations(code: Uint8Array): {
    readonly opcodesCached: readonly unknown[];
    readonly pushes: object;
    readonly jumps: Uint8Array;
  };
}

/** A frame that the library made: it makes them when something runs, and does not name their class. */
export function librarySample(): Promise<object> {
  sample ??= makeSample();
  return sample;
}

/** What the frames of all machines inherit from. */
export async function libraryFrames(): Promise<LibraryFrame> {
  const frames: unknown = Object.getPrototypeOf(await librarySample());
  if (!isFrames(frames)) throw new Error('the EVM library has other frames than ours uses: another version?');
  return frames;
}

let sample: Promise<object> | undefined;
const STOP = 0;

async function makeSample(): Promise<object> {
  const common = createCustomCommon({ chainId: 1 }, Mainnet, { hardfork: Hardfork.Cancun });
  const evm = await createEVM({ common });
  const { runState } = await evm.runCode({ code: Uint8Array.of(STOP), gasLimit: 1n });
  if (runState === undefined) throw new Error('the EVM library shows no interpreter: another version is installed');
  return runState.interpreter;
}

function isFrames(frames: unknown): frames is LibraryFrame {
  if (typeof frames !== 'object' || frames === null) return false;
  const isFunction = (name: keyof LibraryFrame) => typeof Reflect.get(frames, name) === 'function';
  return isFunction('log') && isFunction('runStep') && isFunction('_getValidJumpDestinations');
}
