import type { EVM, ExecResult } from '@ethereumjs/evm';
import type { Address } from '../types.ts';
import { type Internals, internalsOf, type LibraryFrame, libraryFrames } from './internals.ts';

/*
 * What a transaction does besides changing the state: contracts it creates and destroys, and its logs. EthereumJS hands
 * every call a copy of the first two and joins two arrays of logs after it, so that a transaction with n of them and m
 * calls costs n times m. Here a transaction has one of each; a call that fails takes back what came after it began.
 */

type Logs = NonNullable<ExecResult['logs']>;
type Undo = () => void;

/**
 * The library copies by iterating, lets the call write into the copy, and merges that into the original. With one
 * collection for all calls there is nothing to copy or to merge, so iterating over it yields nothing.
 */
class Destroyed extends Map<Address, Address> {
  readonly #undo: Undo[];

  constructor(undo: Undo[]) {
    super();
    this.#undo = undo;
  }

  override set(address: Address, beneficiary: Address): this {
    const before = this.get(address);
    this.#undo.push(() => {
      if (before === undefined) this.delete(address);
      else super.set(address, before);
    });
    return super.set(address, beneficiary);
  }

  override [Symbol.iterator](): MapIterator<[Address, Address]> {
    return new Map<Address, Address>().entries();
  }
}

/** See `Destroyed`. */
class Created extends Set<Address> {
  readonly #undo: Undo[];

  constructor(undo: Undo[]) {
    super();
    this.#undo = undo;
  }

  override add(address: Address): this {
    if (this.has(address)) return this;
    this.#undo.push(() => this.delete(address));
    return super.add(address);
  }

  override [Symbol.iterator](): SetIterator<Address> {
    return new Set<Address>().values();
  }
}

/** Of one transaction. */
class Effects {
  readonly logs: Logs = [];
  readonly undo: Undo[] = [];
  readonly destroyed = new Destroyed(this.undo);
  readonly created = new Created(this.undo);

  /** What is left of them in the end, in collections that can be iterated over. */
  result(): Pick<ExecResult, 'selfdestruct' | 'createdAddresses' | 'logs'> {
    const { destroyed, created, logs } = this;
    return { selfdestruct: new Map(destroyed.entries()), createdAddresses: new Set(created.values()), logs };
  }

  /** Takes back what came after there were so many entries to undo, and so many logs. */
  revert(undo: number, logs: number): void {
    while (this.undo.length > undo) this.undo.pop()?.();
    this.logs.length = logs;
  }
}

const running = new WeakMap<object, Effects>();

/**
 * Gives each transaction of this machine one set of effects. Wraps what the machine's calls are at this moment, so it
 * comes after whatever else replaces them.
 */
export async function shareEffects(evm: EVM): Promise<void> {
  logInto(await libraryFrames());
  const machine = internalsOf(evm);
  const runCall = machine.runCall.bind(machine);
  machine.runCall = async (options) => {
    const { message } = options;
    const isTop = message === undefined;
    const effects = (isTop ? undefined : running.get(machine)) ?? new Effects();
    const { destroyed: selfdestruct, created: createdAddresses } = effects;
    if (isTop) running.set(machine, effects);
    else Object.assign(message, { selfdestruct, createdAddresses });
    const [undo, logs] = [effects.undo.length, effects.logs.length];
    const result = await runCall(isTop ? { ...options, selfdestruct, createdAddresses } : options);
    const { execResult } = result;
    if (isFailure(machine, execResult)) effects.revert(undo, logs);
    if (isTop) Object.assign(execResult, effects.result());
    return result;
  };
}

/** In the first fork, one whose code cannot be paid for leaves an empty contract and is no failure. */
function isFailure({ common }: Internals, { exceptionError }: ExecResult): boolean {
  if (exceptionError === undefined) return false;
  return !(common.hardfork() === 'chainstart' && exceptionError.error === 'code store out of gas');
}

const replaced = new WeakSet<object>();

/** Logs go to those of the transaction; frames of other machines keep their own. */
function logInto(frames: LibraryFrame): void {
  if (replaced.has(frames)) return;
  replaced.add(frames);
  const { log } = frames;
  frames.log = function (this: LibraryFrame, data, count, topics) {
    const effects = running.get(this._evm);
    if (effects === undefined) log.call(this, data, count, topics);
    else effects.logs.push([this._env.address.bytes, topics, data]);
  };
}
