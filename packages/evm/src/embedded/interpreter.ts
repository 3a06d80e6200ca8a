import { createBlock } from '@ethereumjs/block';
import { type Common, createCustomCommon, Hardfork, Mainnet } from '@ethereumjs/common';
import type { EVM, EVMOpts, EVMResult } from '@ethereumjs/evm';
import { createAddressFromString } from '@ethereumjs/util';
import { type ForkSchedule, forkAt } from '../forks.ts';
import { bytesOf, hexOf, ZERO_HASH } from '../hex.ts';
import { type Fork, includes } from '../interpreter/fork.ts';
import { type Pause, pauseEvery, TURN_MS } from '../pause.ts';
import { evmWithFastContracts } from '../precompiles/evm.ts';
import { pointEvaluation } from '../precompiles/kzg.ts';
import { type Refusal, refusal } from '../refusals.ts';
import { rememberEips } from '../remember-eips.ts';
import { floorGas, intrinsicGas } from '../rules.ts';
import { authorize, warmDelegate } from '../simulate/authorizations.ts';
import { OverlayStateManager } from '../state/ethereumjs.ts';
import type { StateWriter } from '../state/state.ts';
import type { Transaction } from '../transaction.ts';
import type { Address, Log } from '../types.ts';
import { credit, NEW_ACCOUNT } from './accounts.ts';
import { shareEffects } from './effects.ts';
import type { BlockEnvironment } from './environment.ts';
import { patchMachine } from './fast-run.ts';
import { InternalCalls } from './internal-calls.ts';
import { nativeCrypto } from './native-crypto.ts';
import type { Outcome } from './outcome.ts';
import { takeTurns } from './turns.ts';

/** Share of the used gas that may be given back (EIP-3529). */
const MAX_REFUND_QUOTIENT = 5n;

/** EthereumJS's rules for blocks of the forks that chains of this node can have. */
export function rulesOf(chainId: bigint): (fork: Fork) => Common {
  const made = new Map<Fork, Common>();
  return (fork) => {
    const known = made.get(fork);
    if (known !== undefined) return known;
    const rules = createCustomCommon({ chainId: Number(chainId) }, Mainnet, {
      hardfork: includes(fork, 'osaka') ? Hardfork.Osaka : includes(fork, 'prague') ? Hardfork.Prague : Hardfork.Cancun,
      customCrypto: { ...nativeCrypto, kzg: pointEvaluation },
    });
    made.set(fork, rules);
    return rules;
  };
}

/** The same for blocks by number and time in seconds. */
export function rulesAt(chainId: bigint, forks: ForkSchedule): (number: bigint, timestamp: bigint) => Common {
  const rules = rulesOf(chainId);
  return (_, timestamp) => rules(forkAt(forks, timestamp));
}

/** Those of Cancun. */
export function cancunRules(chainId: bigint): Common {
  return rulesOf(chainId)('cancun');
}

/** Runs the transactions of one block in EthereumJS. It is made when the first of them needs it. */
export class Interpreter {
  readonly #rules: Common;
  readonly #state: StateWriter;
  readonly #block: BlockEnvironment;
  readonly #managerOf: ManagerOf;
  readonly #pause: Pause;
  #machine: Promise<Machine> | undefined;

  constructor(
    rules: Common,
    state: StateWriter,
    block: BlockEnvironment,
    { managerOf = inPlace, pause = pauseEvery(TURN_MS) }: InterpreterOptions = {},
  ) {
    this.#rules = rules;
    this.#state = state;
    this.#block = block;
    this.#managerOf = managerOf;
    this.#pause = pause;
  }

  /** Applies a transaction that can be applied, and pays for it. A refusal leaves nothing behind. */
  async run(tx: Transaction, from: Address, price: bigint): Promise<Outcome | Refusal> {
    this.#machine ??= this.#create();
    const machine = await this.#machine;
    this.#state.checkpoint();
    let result: Called;
    try {
      result = await this.#call(machine, tx, from, price);
    } catch (error) {
      machine.evm.journal.cleanJournal();
      this.#state.revert();
      if (isOwnError(error)) return refusal('not-applicable', error.message.slice(0, 200));
      throw error;
    }
    const outcome = await this.#settle(machine, tx, from, price, result);
    this.#state.commit();
    return outcome;
  }

  /**
   * A call of the protocol itself: no sender to pay, no gas of the block (EIP-4788).
   *
   * @returns what the contract returned; undefined where it failed.
   */
  async system(from: Address, to: Address, data: Uint8Array, gasLimit: bigint): Promise<Uint8Array | undefined> {
    this.#machine ??= this.#create();
    const { evm, block, manager } = await this.#machine;
    evm.journal.addAlwaysWarmAddress(to);
    const { execResult } = await evm.runCall({
      block,
      caller: createAddressFromString(from),
      to: createAddressFromString(to),
      data,
      gasLimit,
      gasPrice: 0n,
      skipNonceIncrement: true,
    });
    await evm.journal.cleanup();
    manager.originalStorageCache.clear();
    return execResult.exceptionError === undefined ? execResult.returnValue : undefined;
  }

  #create(): Promise<Machine> {
    return createMachine(this.#rules, this.#state, this.#block, this.#managerOf(this.#state), this.#pause);
  }

  async #call({ evm, block, calls }: Machine, tx: Transaction, from: Address, price: bigint): Promise<Called> {
    const state = this.#state;
    const sender = state.account(from) ?? NEW_ACCOUNT;
    const balance = sender.balance - tx.gasLimit * price;
    state.putAccount(from, { ...sender, nonce: sender.nonce + 1n, balance });
    const { journal } = evm;
    // EIP-2929. The journal of patched machines has them of itself.
    for (const precompile of evm.precompiles.keys()) journal.addAlwaysWarmAddress(`0x${precompile}`);
    journal.addAlwaysWarmAddress(from);
    if (tx.to !== undefined) journal.addAlwaysWarmAddress(tx.to);
    journal.addAlwaysWarmAddress(this.#block.coinbase);
    for (const { address, storageKeys } of tx.accessList) {
      journal.addAlwaysWarmAddress(address);
      for (const slot of storageKeys) journal.addAlwaysWarmSlot(address, slot);
    }
    const authorized = authorize({ state, rules: this.#rules, evm }, tx.authorizations ?? []);
    warmDelegate({ state, evm }, tx.to);
    calls.begin();
    const { execResult } = await evm.runCall({
      block,
      gasPrice: price,
      caller: createAddressFromString(from),
      gasLimit: tx.gasLimit - intrinsicGas(tx),
      ...(tx.to === undefined ? {} : { to: createAddressFromString(tx.to) }),
      value: tx.value,
      data: tx.data,
      skipNonceIncrement: true,
    });
    return { execResult, authorized };
  }

  async #settle(
    { evm, manager, calls }: Machine,
    tx: Transaction,
    from: Address,
    price: bigint,
    { execResult, authorized }: Called,
  ): Promise<Outcome> {
    const spent = intrinsicGas(tx) + execResult.executionGasUsed;
    const refund = (execResult.gasRefund ?? 0n) + authorized;
    const most = spent / MAX_REFUND_QUOTIENT;
    const afterRefund = spent - (refund < most ? refund : most);
    const floor = floorGas(tx, this.#block.fork);
    const gasUsed = afterRefund < floor ? floor : afterRefund;
    credit(this.#state, from, (tx.gasLimit - gasUsed) * price);
    credit(this.#state, this.#block.coinbase, gasUsed * (price - this.#block.baseFee));
    for (const address of execResult.selfdestruct?.keys() ?? []) {
      // EIP-6780: only what the same transaction created goes away.
      if (execResult.createdAddresses?.has(address) === true) this.#state.putAccount(address, undefined);
    }
    await evm.journal.cleanup();
    manager.originalStorageCache.clear();
    return {
      status: execResult.exceptionError === undefined ? 1 : 0,
      gasUsed,
      effectiveGasPrice: price,
      logs: (execResult.logs ?? []).map(logOf),
      internal: calls.end(),
    };
  }
}

interface Called extends Pick<EVMResult, 'execResult'> {
  /** Gas to give back for authorizations. */
  readonly authorized: bigint;
}

/** How the interpreter reaches the state; another one is for a state that has to be fetched first. */
export type ManagerOf = (state: StateWriter) => OverlayStateManager;

const inPlace: ManagerOf = (state) => new OverlayStateManager(state);

export interface InterpreterOptions {
  readonly managerOf?: ManagerOf;
  /** Lets others of the process have their turn while code runs. */
  readonly pause?: Pause;
}

interface Machine {
  readonly evm: EVM;
  readonly manager: OverlayStateManager;
  readonly block: NonNullable<Parameters<EVM['runCall']>[0]['block']>;
  readonly calls: InternalCalls;
}

async function createMachine(
  rules: Common,
  state: StateWriter,
  env: BlockEnvironment,
  manager: OverlayStateManager,
  pause: Pause,
): Promise<Machine> {
  // An interpreter listens to its rules for ever, so they are its own.
  const common = rememberEips(rules.copy());
  const parts = { common, stateManager: manager, blockchain: ancestors(env) };
  const evm = await evmWithFastContracts(parts, pause);
  if (common.hardfork() === Hardfork.Cancun) await patchMachine(evm, pause);
  else await takeTurns(evm, pause);
  await shareEffects(evm);
  const calls = new InternalCalls(state);
  evm.events.on('beforeMessage', (message, go) => {
    calls.enter(message);
    go?.();
  });
  evm.events.on('afterMessage', (result, go) => {
    calls.leave(result);
    go?.();
  });
  const { number, timestamp, baseFee, gasLimit, coinbase, parentBeaconBlockRoot } = env;
  const header = {
    number,
    timestamp,
    gasLimit,
    coinbase,
    baseFeePerGas: baseFee,
    mixHash: ZERO_HASH,
    difficulty: 0n,
    excessBlobGas: 0n,
    blobGasUsed: 0n,
    parentBeaconBlockRoot,
  };
  return { evm, manager, calls, block: createBlock({ header }, { common, skipConsensusFormatValidation: true }) };
}

/** For BLOCKHASH, which asks for at most 256 blocks back. */
function ancestors(env: BlockEnvironment): NonNullable<EVMOpts['blockchain']> {
  const chain = {
    async getBlock(number: number) {
      const hash = env.blockHash(BigInt(number));
      if (hash === undefined) throw new Error(`block ${number} is no ancestor of block ${env.number}`);
      return { hash: () => bytesOf(hash) };
    },
    async putBlock() {},
    shallowCopy: () => chain,
  };
  return chain;
}

/** A log as the interpreter has it. */
type MachineLog = NonNullable<EVMResult['execResult']['logs']>[number];

function logOf([address, topics, data]: MachineLog): Log {
  return { address: hexOf(address), topics: topics.map(hexOf), data: hexOf(data) };
}

/** An error with which the library refuses a call, as against one of our own store or of the machine. */
function isOwnError(error: unknown): error is Error {
  return error instanceof Error && error.constructor.name === 'EthereumJSError';
}
