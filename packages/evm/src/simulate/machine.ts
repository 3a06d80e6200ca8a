import { type Common, Hardfork } from '@ethereumjs/common';
import { type EVM, type EVMOpts, getActivePrecompiles } from '@ethereumjs/evm';
import { createAddressFromString, Address as EvmAddress } from '@ethereumjs/util';
import { shareEffects } from '../embedded/effects.ts';
import { patchMachine } from '../embedded/fast-run.ts';
import { takeTurns } from '../embedded/turns.ts';
import { bytesOf } from '../hex.ts';
import { evmWithFastContracts } from '../precompiles/evm.ts';
import { rememberEips } from '../remember-eips.ts';
import { EMPTY_CODE_HASH, EMPTY_ROOT } from '../state/account.ts';
import { OverlayStateManager } from '../state/ethereumjs.ts';
import type { AccountState, StateReader, StateWriter } from '../state/state.ts';
import { Frames } from '../trace/frames.ts';
import { type Around, aroundOpcodes } from '../trace/opcodes.ts';
import type { FrameEnd, Tracer } from '../trace/tracer.ts';
import type { Address, Hash } from '../types.ts';
import type { Environment } from './environment.ts';
import type { EvmMessage } from './evm-message.ts';
import type { TimeBudget } from './time-budget.ts';

export interface MachineOptions {
  /** With the numbers of the interpreter: see `withNumbers`. */
  readonly rules: Common;
  /** Of a block before the environment's, at most 256 back. */
  readonly blockHash: (number: bigint) => Hash | undefined;
  readonly tracer?: Tracer;
  /** Precompiled contracts that are elsewhere than the rules have them; without a function: gone. */
  readonly precompiles?: EVMOpts['customPrecompiles'];
}

type EvmBlock = NonNullable<Parameters<EVM['runCall']>[0]['block']>;

export const EMPTY_ACCOUNT: AccountState = {
  nonce: 0n,
  balance: 0n,
  codeHash: EMPTY_CODE_HASH,
  storageRoot: EMPTY_ROOT,
};

/** An interpreter. It is made once for some rules and then put on one state after another. */
export class Machine {
  readonly evm: EVM;
  readonly rules: Common;
  readonly state: StateWriter;
  readonly #pointer: StatePointer;
  readonly #manager: OverlayStateManager;
  readonly #tracer: Tracer | undefined;
  readonly #precompiles: readonly Address[];
  readonly #budget: { current: TimeBudget | undefined };
  readonly #isFast: boolean;

  static async create({ rules, blockHash, tracer, precompiles }: MachineOptions): Promise<Machine> {
    const pointer = new StatePointer();
    const manager = new OverlayStateManager(pointer);
    const budget: { current: TimeBudget | undefined } = { current: undefined };
    const frames = tracer === undefined ? undefined : new Frames(tracer, pointer);
    // An interpreter listens to its rules for ever, so they are its own.
    const own = rememberEips(rules.copy());
    const isFast = tracer === undefined && precompiles === undefined && own.hardfork() === Hardfork.Cancun;
    const around = new Map<number, Around[]>(frames?.around);
    const pause = () => budget.current?.take();
    for (const [code, wrap] of tracer?.opcodes ?? []) around.set(code, [wrap, ...(around.get(code) ?? [])]);
    const parts = {
      common: own,
      stateManager: manager,
      blockchain: hashesOnly(blockHash),
      customOpcodes: aroundOpcodes(own, around, frames?.gasOf),
      ...(precompiles === undefined ? {} : { customPrecompiles: precompiles }),
    };
    const evm = await evmWithFastContracts(parts, pause);
    if (isFast) {
      await patchMachine(evm, pause);
      await shareEffects(evm);
      return new Machine(evm, own, pointer, manager, tracer, budget, isFast);
    }
    await takeTurns(evm, pause);
    await shareEffects(evm);
    if (frames !== undefined) {
      evm.events.on('beforeMessage', (message) => frames.before(message, (address) => isPrecompile(evm, address)));
    }
    if (frames !== undefined) evm.events.on('afterMessage', (result) => frames.after(result));
    if (tracer?.step !== undefined) evm.events.on('step', (event) => frames?.step(event));
    return new Machine(evm, own, pointer, manager, tracer, budget, isFast);
  }

  private constructor(
    evm: EVM,
    rules: Common,
    pointer: StatePointer,
    manager: OverlayStateManager,
    tracer: Tracer | undefined,
    budget: { current: TimeBudget | undefined },
    isFast: boolean,
  ) {
    this.evm = evm;
    this.rules = rules;
    this.state = pointer;
    this.#pointer = pointer;
    this.#manager = manager;
    this.#tracer = tracer;
    this.#precompiles = activePrecompiles(rules);
    this.#budget = budget;
    this.#isFast = isFast;
  }

  /** Puts it on a state. Nothing of what it did on another is left. */
  use(state: StateWriter, budget: TimeBudget): void {
    this.#pointer.target = state;
    this.#budget.current = budget;
    this.#manager.clearCaches();
    this.#manager.originalStorageCache.clear();
    this.evm.journal.cleanJournal();
    this.evm.transientStorage.clear();
  }

  isPrecompile(address: Address): boolean {
    return isPrecompile(this.evm, address);
  }

  /** EIP-2929 and its followers: what a transaction finds warm. */
  begin({ from, to, accessList }: EvmMessage, { coinbase }: Environment): void {
    const { journal } = this.evm;
    journal.cleanJournal();
    this.#tracer?.start?.({ from, to, coinbase, state: this.state });
    if (!this.rules.isActivatedEIP(2929)) return;
    // Also those that are elsewhere now, and not the places where they are: as go-ethereum has it. The journal of a
    // fast one knows them.
    if (!this.#isFast) for (const address of this.#precompiles) journal.addAlwaysWarmAddress(address);
    journal.addAlwaysWarmAddress(from);
    if (to !== undefined) journal.addAlwaysWarmAddress(to);
    if (this.rules.isActivatedEIP(3651)) journal.addAlwaysWarmAddress(coinbase);
    for (const { address, storageKeys } of accessList) {
      journal.addAlwaysWarmAddress(address);
      for (const slot of storageKeys) journal.addAlwaysWarmSlot(address, slot);
    }
  }

  /** Removes what is gone when a transaction ends: destroyed contracts, and touched accounts that are empty (EIP-161). */
  async end(destroyed: ReadonlySet<Address>): Promise<void> {
    for (const address of destroyed) await this.evm.journal.deleteAccount(createAddressFromString(address));
    await this.evm.journal.cleanup();
    this.#manager.originalStorageCache.clear();
  }

  /** Reports to the tracer the only frame of a transaction that interprets nothing. */
  enterTop({ from, value, data }: EvmMessage, to: Address, gas: bigint): void {
    this.#tracer?.enter?.({ kind: 'CALL', depth: 0, from, to, value, input: data, gas, precompile: false });
  }

  exitTop(end: FrameEnd): void {
    this.#tracer?.exit?.(end);
  }

  block(environment: Environment): EvmBlock {
    const { number, timestamp, gasLimit, difficulty, baseFeePerGas, blobBaseFee } = environment;
    return {
      header: {
        number,
        timestamp,
        gasLimit,
        difficulty,
        coinbase: new EvmAddress(bytesOf(environment.coinbase)),
        prevRandao: bytesOf(environment.prevRandao),
        ...(baseFeePerGas === undefined ? {} : { baseFeePerGas }),
        getBlobGasPrice: () => blobBaseFee,
      },
    };
  }
}

export function hasCode(state: StateReader, address: Address): boolean {
  const account = state.account(address);
  return account !== undefined && account.codeHash !== EMPTY_ACCOUNT.codeHash;
}

/** Addresses of precompiled contracts. */
export function activePrecompiles(rules: Common): Address[] {
  return [...getActivePrecompiles(rules).keys()].map((digits): Address => `0x${digits}`);
}

function isPrecompile(evm: EVM, address: Address): boolean {
  return evm.precompiles.has(address.slice(2));
}

/** All that the interpreter asks of a chain. */
function hashesOnly(blockHash: (number: bigint) => Hash | undefined): NonNullable<EVMOpts['blockchain']> {
  const chain: NonNullable<EVMOpts['blockchain']> = {
    getBlock: async (number) => ({ hash: () => bytesOf(blockHash(BigInt(number)) ?? ZERO) }),
    putBlock: async () => undefined,
    shallowCopy: () => chain,
  };
  return chain;
}

const ZERO: Hash = `0x${'00'.repeat(32)}`;

/** The state that an interpreter is on. */
export class StatePointer implements StateWriter {
  target: StateWriter | undefined;

  get #target(): StateWriter {
    if (this.target === undefined) throw new Error('the machine is on no state');
    return this.target;
  }

  account(address: Address): AccountState | undefined {
    return this.#target.account(address);
  }

  storage(address: Address, slot: Hash): bigint {
    return this.#target.storage(address, slot);
  }

  code(codeHash: Hash): Uint8Array {
    return this.#target.code(codeHash);
  }

  putAccount(address: Address, account: AccountState | undefined): void {
    this.#target.putAccount(address, account);
  }

  putStorage(address: Address, slot: Hash, value: bigint): void {
    this.#target.putStorage(address, slot, value);
  }

  clearStorage(address: Address): void {
    this.#target.clearStorage(address);
  }

  putCode(code: Uint8Array): Hash {
    return this.#target.putCode(code);
  }

  checkpoint(): void {
    this.#target.checkpoint();
  }

  commit(): void {
    this.#target.commit();
  }

  revert(): void {
    this.#target.revert();
  }
}
