import type { GenesisFile } from '../engine.ts';
import type { ChainState } from './chain-state.ts';
import type { Produced } from './produce.ts';
import type { BlockStore } from './store/block-store.ts';

/**
 * The chain as others may see it: up to the last block that is on disk and committed by the application, although the
 * store may be one ahead.
 */
export class Chain {
  readonly store: BlockStore;
  readonly genesis: GenesisFile;
  #state: ChainState;
  #first: bigint;

  constructor(store: BlockStore, genesis: GenesisFile, state: ChainState) {
    this.store = store;
    this.genesis = genesis;
    this.#state = state;
    this.#first = store.first;
  }

  get state(): ChainState {
    return this.#state;
  }

  /** Height of the last block; 0 before the first. */
  get height(): bigint {
    return this.#first === 0n ? 0n : this.#state.height;
  }

  /** Height of the first block that is still there; 0 before there is one. */
  get first(): bigint {
    return this.#first === 0n ? 0n : this.store.first;
  }

  /** Lets everybody see a block that is on disk and committed. */
  publish({ state }: Produced): void {
    this.#state = state;
    if (this.#first === 0n) this.#first = state.height;
  }

  has(height: bigint): boolean {
    return this.#first !== 0n && height >= this.first && height <= this.#state.height;
  }

  /** Encoded `tendermint.types.SignedHeader`. */
  signedHeader(height: bigint): Uint8Array | undefined {
    return this.has(height) ? this.store.signedHeader(height) : undefined;
  }

  findHeight(blockHash: Uint8Array): bigint | undefined {
    const height = blockHash.length === 32 ? this.store.findHeight(blockHash) : undefined;
    return height !== undefined && this.has(height) ? height : undefined;
  }
}
