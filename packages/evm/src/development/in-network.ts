import { errorLine, sleep, systemClock, wallClock } from '@switchyard/service';
import type { RpcContext } from '@switchyard/service/json-rpc';
import type { ChainReader } from '../chain/chain.ts';
import { DEV_ACCOUNTS } from '../genesis/development-accounts.ts';
import { serverError } from '../json/errors.ts';
import { latestHeader } from '../json/resolve.ts';
import { type AccountDeps, toKeys } from '../rpc/accounts/account-methods.ts';
import type { RpcMethods } from '../rpc/deps.ts';
import {
  checkCount,
  checkLater,
  checkTime,
  type Development,
  developmentMethods,
  developmentVersion,
} from './methods.ts';
import { ImpersonatedSenders } from './senders.ts';
import { sendingMethods } from './sending.ts';

/** A network of a test, for an EVM rollup in it. */
export interface NetworkControls<Snapshot = unknown> {
  /** Whether the sequencer makes only the blocks of `mine`. */
  readonly isManual: boolean;
  /** Milliseconds that its clocks are ahead of the machine's. */
  readonly aheadMs: number;
  /** Whether anything has this node execute blocks. */
  readonly isDriven: boolean;
  /** Sets all clocks forward. */
  advance(ms: number): Promise<void>;
  /** Gives the next block this time, if blocks are manual. Clocks that are behind are set forward when it is made. */
  nextBlockAt(unixMs: number): void;
  /** @returns the height of the sequencer afterwards. */
  mine(count: number): Promise<bigint>;
  snapshot(): Snapshot;
  /** Ends every part and starts it again, this node too. */
  revert(snapshot: Snapshot): Promise<void>;
}

interface NodeParts extends Omit<AccountDeps, 'keys'> {
  /** Height of the sequencer block that block 1 was made from. */
  readonly startHeight: bigint;
  /** Methods of every node. */
  readonly plain: RpcMethods;
}

/** The last second of the year 9999, up to which blocks of the sequencer have a time. */
const MAX_TIME = 253_402_300_799n;
const EXECUTED_WITHIN_MS = 10_000;
const POLL_MS = 2;

/**
 * An EVM rollup in a network of a test: blocks, time and past are those of the whole network. Outlives the node, which is started again
 * by `revert`.
 */
export class DevelopmentInNetwork implements Development {
  readonly senders = new ImpersonatedSenders();
  readonly keys = toKeys(DEV_ACCOUNTS);
  readonly clientVersion = developmentVersion();
  readonly #network: NetworkControls;
  readonly #snapshots = new Map<bigint, unknown>();
  #lastSnapshot = 0n;
  #last: Promise<unknown> = Promise.resolve();
  #node: Pick<NodeParts, 'chain' | 'startHeight'> | undefined;

  constructor(network: NetworkControls) {
    this.#network = network;
  }

  /** Methods of a node that has been started. */
  methods({ plain, startHeight, ...deps }: NodeParts): RpcMethods {
    const { senders, keys, clientVersion } = this;
    const { chain } = deps;
    this.#node = { chain, startHeight };
    return {
      ...sendingMethods(plain, { ...deps, keys, senders }),
      ...developmentMethods({ node: this, chain, clientVersion }),
    };
  }

  get automine(): boolean {
    return !this.#network.isManual;
  }

  get now(): bigint {
    return BigInt(Math.floor(wallClock.unixMs() / 1_000));
  }

  get ahead(): bigint {
    return BigInt(Math.floor(this.#network.aheadMs / 1_000));
  }

  exclusive<T>(work: () => T | Promise<T>): Promise<T> {
    const begin = async (): Promise<T> => {
      try {
        return await work();
      } catch (error) {
        // Errors of the network are for the test that calls.
        throw error instanceof Error && error.name === 'BadOptions' ? serverError(errorLine(error)) : error;
      }
    };
    const mine = this.#last.then(begin);
    this.#last = mine.catch(() => undefined);
    return mine;
  }

  async mine(count = 1n, interval = 0n): Promise<void> {
    checkCount(count);
    if (interval === 0n) return this.#mine(count);
    this.#requireManual('an interval between blocks');
    for (let made = 0n; made < count; made += 1n) {
      if (made > 0n) this.setNextTimestamp(latestHeader(this.#chain).header.timestamp + interval);
      await this.#mine(1n);
    }
  }

  async moveTime(seconds: bigint): Promise<void> {
    if (seconds < 0n) throw serverError(`the time of a network runs forward only: it is ${this.now}`);
    checkTime(this.now + seconds, MAX_TIME, 'the time');
    await this.#network.advance(Number(seconds) * 1_000);
  }

  setNextTimestamp(seconds: bigint): void {
    this.#requireManual('the time of a block');
    checkLater(seconds, this.#chain);
    checkTime(seconds, MAX_TIME, 'the time of the next block');
    this.#network.nextBlockAt(Number(seconds) * 1_000);
  }

  snapshot(): bigint {
    this.#lastSnapshot += 1n;
    this.#snapshots.set(this.#lastSnapshot, this.#network.snapshot());
    return this.#lastSnapshot;
  }

  async revert(id: bigint, { from, subscriber }: RpcContext): Promise<boolean> {
    if (!this.#snapshots.has(id)) return false;
    if (subscriber !== undefined || from.outlast === undefined)
      throw serverError(
        'this call ends every other connection to the node: make it over HTTP, not over WebSocket or network.fetch',
      );
    from.outlast();
    const snapshot = this.#snapshots.get(id);
    for (const other of this.#snapshots.keys()) if (other >= id) this.#snapshots.delete(other);
    await this.#network.revert(snapshot);
    return true;
  }

  get #chain(): ChainReader {
    if (this.#node === undefined) throw new Error('the node has not been started');
    return this.#node.chain;
  }

  #requireManual(what: string): void {
    if (this.#network.isManual) return;
    throw serverError(
      `${what} cannot be chosen, since blocks are automatic: start the network with blocks: 'manual', or use evm_increaseTime`,
    );
  }

  /** Resolves when this chain has them too. */
  async #mine(count: bigint): Promise<void> {
    if (count === 0n) return;
    const height = await this.#network.mine(Number(count));
    const target = height - (this.#node?.startHeight ?? 0n) + 1n;
    for (const since = systemClock.now(); this.#chain.heads.latest < target; await sleep(POLL_MS)) {
      if (this.#network.isDriven && systemClock.now() - since < EXECUTED_WITHIN_MS) continue;
      throw serverError(
        `the sequencer has made block ${target}, and this node has not executed it: does its conductor run?`,
      );
    }
  }
}
