import { createCustomCommon, Hardfork, Mainnet } from '@ethereumjs/common';
import { createTx, createTxFromRLP } from '@ethereumjs/tx';
import { privateToAddress } from '@ethereumjs/util';
import type { Address, Hash } from '@switchyard/evm-machine/types';
import { bytesToHex, hexToBytes, keccakHex } from '@switchyard/protocol/ethereum';
import { FakeComposer } from '@switchyard/rollup/testing';
import { silentLogger } from '@switchyard/service';
import { type ManualClock, manualClock } from '@switchyard/service/testing';
import { openMemoryDatabase } from '../../database/memory.ts';
import { DEV_ACCOUNTS, type DevAccount } from '../../genesis/development-accounts.ts';
import { statefulRefusal } from '../../rules/rules.ts';
import type { RefusalCode } from '../../transactions/refusals.ts';
import { transactionCheck } from '../check.ts';
import { createPool } from '../create-pool.ts';
import type { ChainOutcome, PoolAccount, PoolBounds, PoolChain, PoolCommit, PoolStore, RunningPool } from '../deps.ts';
import { openPoolStore } from '../store.ts';

export const CHAIN_ID = 1337n;
export const BLOCK_GAS = 1_000_000n;
export const GWEI = 1_000_000_000n;
export const ETHER = 1_000_000_000_000_000_000n;

export function account(index: number): DevAccount {
  const found = DEV_ACCOUNTS[index];
  if (found === undefined) throw new Error(`no development account ${index}`);
  return found;
}
/** An account that has nothing. */
export function stranger(index: number): DevAccount {
  const privateKey: Hash = `0x${String(index + 1).padStart(64, '0')}`;
  return { address: bytesToHex(privateToAddress(hexToBytes(privateKey))), privateKey };
}
export const alice = account(0);
export const bob = account(1);

const common = createCustomCommon({ chainId: Number(CHAIN_ID) }, Mainnet, { hardfork: Hardfork.Prague });

export interface Fields {
  readonly nonce?: bigint;
  readonly value?: bigint;
  readonly gasLimit?: bigint;
  readonly maxFeePerGas?: bigint;
  readonly maxPriorityFeePerGas?: bigint;
  readonly to?: Address;
  readonly data?: Uint8Array;
}

/** A value transfer of type 2 for this chain, signed. */
export function signed(from: DevAccount, fields: Fields = {}): Uint8Array {
  const { to = bob.address, nonce = 0n, value = 1n, gasLimit = 21_000n } = fields;
  const { maxFeePerGas = 2n * GWEI, maxPriorityFeePerGas = 1n * GWEI, data = new Uint8Array() } = fields;
  const tx = { type: 2, to, nonce, value, gasLimit, maxFeePerGas, maxPriorityFeePerGas, data };
  return createTx(tx, { common }).sign(hexToBytes(from.privateKey)).serialize();
}

export const getHash = keccakHex;

/** Recovers the signer, by another implementation than the node's. */
function findSender({ raw }: { readonly raw: Uint8Array }): Address | undefined {
  try {
    return bytesToHex(createTxFromRLP(raw, { common }).getSenderAddress().bytes);
  } catch {
    return undefined;
  }
}

export const check = transactionCheck(() => ({ chainId: CHAIN_ID, gasLimit: BLOCK_GAS, fork: 'prague' }), findSender);

type ModelAccount = { -readonly [K in keyof PoolAccount]: PoolAccount[K] };

/** A chain that knows nonces, balances and how full a block is. */
export class ModelChain implements PoolChain {
  nextBaseFee = GWEI;
  sequencerHeight = 9n;
  firm = 0n;
  /** Gas of a block; a test may make it small. */
  blockGas = BLOCK_GAS;
  /** Answers as a back end behind a wire does. */
  readonly isRemote: boolean;
  readonly #accounts = new Map<Address, ModelAccount>();
  readonly #included = new Map<Hash, { block: bigint; index: number }>();
  readonly #refused = new Map<Hash, { block: bigint; code: RefusalCode; reason: string }>();
  readonly #listeners = new Set<(commit: PoolCommit) => void>();

  constructor(isRemote = false) {
    this.isRemote = isRemote;
    for (const { address } of DEV_ACCOUNTS) this.setBalance(address, 10n * ETHER);
  }

  sequencerHash(height: bigint): string {
    return `block ${height}`;
  }

  account(address: Address): PoolAccount | Promise<PoolAccount> {
    const account = { ...this.#of(address) };
    return this.isRemote ? new Promise((resolve) => setImmediate(() => resolve(account))) : account;
  }

  outcome(hash: Hash): ChainOutcome | undefined {
    const place = this.#included.get(hash);
    if (place !== undefined) return { kind: 'included', ...place, success: true, firm: place.block <= this.firm };
    const refused = this.#refused.get(hash);
    return refused && { kind: 'refused', ...refused };
  }

  onCommit(listener: (commit: PoolCommit) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  setBalance(address: Address, balance: bigint): void {
    this.#of(address).balance = balance;
  }

  setCode(address: Address): void {
    this.#of(address).hasCode = true;
  }

  delegate(address: Address): void {
    this.#of(address).isDelegated = true;
  }

  isIncluded(raw: Uint8Array): boolean {
    return this.#included.has(getHash(raw));
  }

  /** Executes the entries of the next sequencer block. */
  block(entries: readonly Uint8Array[]): void {
    this.sequencerHeight += 1n;
    const block = this.sequencerHeight - 9n;
    const included: { hash: Hash; from: Address; raw: Uint8Array }[] = [];
    const refused: { hash: Hash; code: string }[] = [];
    let gasLeft = this.blockGas;
    for (const raw of entries) {
      const tx = check(raw);
      const sender = this.#of(tx.from);
      const refusal = statefulRefusal(tx, sender, { baseFee: this.nextBaseFee, gasLeft });
      if (refusal !== undefined) {
        this.#refused.set(tx.hash, { block, ...refusal });
        refused.push({ hash: tx.hash, code: refusal.code });
        continue;
      }
      sender.nonce += 1n;
      for (const authority of tx.authorities()) this.delegate(authority);
      sender.balance -= tx.value + tx.gasLimit * tx.maxFeePerGas;
      gasLeft -= tx.gasLimit;
      this.#included.set(tx.hash, { block, index: included.length });
      included.push({ hash: tx.hash, from: tx.from, raw });
    }
    for (const listener of [...this.#listeners]) listener({ included, refused });
  }

  /** The process of the node ends. */
  forgetListeners(): void {
    this.#listeners.clear();
  }

  #of(address: Address): ModelAccount {
    const known = this.#accounts.get(address) ?? { nonce: 0n, balance: 0n, hasCode: false, isDelegated: false };
    this.#accounts.set(address, known);
    return known;
  }
}

export interface WorldOptions {
  readonly isRemote?: boolean;
  readonly bounds?: Partial<PoolBounds>;
  readonly store?: PoolStore;
}

/** A pool between a composer and a chain, all in memory; node and composer restart on demand. */
export class World {
  readonly composer = new FakeComposer();
  readonly chain: ModelChain;
  readonly clock: ManualClock = manualClock(1_000_000);
  readonly #store: PoolStore;
  readonly #options: WorldOptions;
  #node: { pool: RunningPool; stop: AbortController; kill: () => void; done: Promise<void> };

  constructor(options: WorldOptions = {}) {
    this.#options = options;
    this.chain = new ModelChain(options.isRemote);
    this.#store = options.store ?? openPoolStore(openMemoryDatabase());
    this.#node = this.#start();
  }

  get pool() {
    return this.#node.pool;
  }

  /** Lets time pass, and all that is ready run. */
  run(ms = 20): Promise<void> {
    return this.clock.advance(ms);
  }

  /** Lets time pass until a promise settles. @returns its value, or the message of its error. */
  async outcome<T>(promise: Promise<T>, ms = 60_000): Promise<T | string> {
    const seen: { value?: T | string } = {};
    promise.then(
      (value) => Object.assign(seen, { value }),
      (error: unknown) => Object.assign(seen, { value: error instanceof Error ? error.message : String(error) }),
    );
    for (let passed = 0; !('value' in seen) && passed < ms; passed += 20) await this.run();
    return seen.value ?? 'no answer';
  }

  send(raw: Uint8Array): Promise<string> {
    return this.outcome(this.pool.send(raw));
  }

  /** All that the composer holds goes into a block. */
  async block(): Promise<void> {
    this.chain.block(this.composer.sequence(this.chain.sequencerHeight + 1n));
    await this.run();
  }

  /** The node's process comes back after its end, or after it was killed: then nothing is written at the end. */
  async restart(how: 'stopped' | 'killed' = 'killed'): Promise<void> {
    const { kill, stop, done } = this.#node;
    if (how === 'killed') kill();
    stop.abort(new Error('over'));
    await done;
    kill();
    this.chain.forgetListeners();
    this.#node = this.#start();
    await this.run();
  }

  async close(): Promise<void> {
    this.#node.stop.abort(new Error('over'));
    await this.#node.done;
  }

  #start() {
    const { chain, clock, composer } = this;
    const { bounds } = this.#options;
    let isAlive = true;
    const store: PoolStore = {
      ...this.#store,
      change: (changes) => {
        if (isAlive) this.#store.change(changes);
      },
    };
    const pool = createPool({
      ...{
        chain,
        check,
        findHash: getHash,
        collector: composer,
        store,
        log: silentLogger,
        clock,
        wall: clock,
        random: () => 0.5,
      },
      ...(bounds && { bounds }),
    });
    const kill = (): void => {
      isAlive = false;
    };
    const stop = new AbortController();
    return { pool, stop, kill, done: pool.work(stop.signal) };
  }
}
