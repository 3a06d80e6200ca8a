import type { EVM, EVMRunCallOpts, ExecResult, Message } from '@ethereumjs/evm';
import type { LightJournal } from './light-journal.ts';

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
  /** Once `useLightJournal` has put it there. */
  readonly journal: LightJournal;
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
