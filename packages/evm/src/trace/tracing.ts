import type { Watch } from '@switchyard/evm-machine/interface';
import type { StateOverlay } from '@switchyard/evm-machine/overlay';
import type { Hash } from '@switchyard/evm-machine/types';
import type { StoredBlock } from '../chain/chain.ts';
import { locate } from '../json/resolve.ts';
import type { EvmMessage } from '../simulate/evm-message.ts';
import type { EvmSimulator } from '../simulate/evm-simulator.ts';
import type { CallTerms } from '../simulate/simulator.ts';
import { type Replayed, replay, replayOnState } from './replay.ts';
import type { Tracer } from './tracer.ts';

export type TracerOf<T> = (message: EvmMessage) => Tracer<T>;

/** A transaction in its block, run again. */
export interface TracedTransaction<T> {
  readonly block: StoredBlock;
  readonly index: number;
  readonly replayed: Replayed<T>;
}

/** How much longer a block may take than a call: it was cut to the bound of a block when it was made. */
const MORE_TIME = 6;

/** Runs transactions of the chain again, under a tracer. */
export class Tracing {
  readonly #simulator: EvmSimulator;

  constructor(simulator: EvmSimulator) {
    this.#simulator = simulator;
  }

  /** Undefined if there is no such transaction in a block. */
  async transaction<T>(
    hash: Hash,
    getTracer: TracerOf<T>,
    terms: CallTerms = {},
  ): Promise<TracedTransaction<T> | undefined> {
    const found = locate(this.#simulator.deps.chain, hash);
    if (found === undefined) return undefined;
    const { block, index } = found;
    const [replayed] = await this.#replay(block, index, index, getTracer, terms);
    if (replayed === undefined) throw new Error(`transaction ${index} of block ${block.header.number} was not run`);
    return { block, index, replayed };
  }

  /** All transactions of a block, in order. */
  async block<T>(block: StoredBlock, getTracer: TracerOf<T>, terms: CallTerms = {}): Promise<readonly Replayed<T>[]> {
    return this.#replay(block, 0, block.transactions.length - 1, getTracer, terms);
  }

  /**
   * Blocks after each other, each with the result of `done`, until that answers true. For all of them together there is
   * as much time as for one.
   */
  async blocks<T>(
    from: bigint,
    to: bigint,
    getTracer: () => Tracer<T>,
    done: (block: StoredBlock, replayed: readonly Replayed<T>[]) => boolean,
  ): Promise<void> {
    const { deps, rules } = this.#simulator;
    const { chain } = deps;
    await this.#bounded((watch) => {
      for (let number = from; number <= to; number += 1n) {
        watch(0);
        if (chain.header(number)?.transactions === 0) continue;
        const block = chain.block(number);
        if (block === undefined || number === 0n) continue;
        const last = block.transactions.length - 1;
        if (done(block, replay({ chain, rules }, block, { watch, last, getTracer }))) return;
      }
    });
  }

  /** The state in which a transaction of a block is executed; after the last, that before the end of the block. */
  async stateBefore<T>(
    block: StoredBlock,
    position: number,
    read: (state: StateOverlay, watch: Watch) => T,
  ): Promise<T> {
    const { deps, rules } = this.#simulator;
    return this.#bounded((watch) => {
      const options = { watch, last: position - 1, getTracer: () => undefined };
      return read(replayOnState({ chain: deps.chain, rules }, block, options).state, watch);
    });
  }

  async #replay<T>(block: StoredBlock, first: number, last: number, getTracer: TracerOf<T>, terms: CallTerms) {
    const { deps, rules } = this.#simulator;
    const wanted = (index: number, message: EvmMessage) => (index < first ? undefined : getTracer(message));
    return this.#bounded(
      (watch) => replay({ chain: deps.chain, rules }, block, { watch, last, getTracer: wanted }),
      terms,
    );
  }

  #bounded<T>(work: (watch: Watch) => T, { timeoutMs = MORE_TIME * this.#simulator.config.timeoutMs }: CallTerms = {}) {
    return this.#simulator.bounded(work, { timeoutMs });
  }
}
