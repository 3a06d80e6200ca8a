import type { BlockRef, ChainReader, Committed, Dropped, LogQuery } from '../chain/chain.ts';
import type { ChainStore } from '../chain/store.ts';
import type { Watch } from '../interpreter/interface.ts';
import { StateOverlay } from '../state/overlay.ts';
import type { StateReader } from '../state/state.ts';
import type { Address, Hash } from '../types.ts';
import type { Edit, Situation } from './situation.ts';

interface Source {
  readonly chain: ChainStore;
  readonly situation: Situation;
}

/** A chain that can go back, with what was edited on top of its blocks. Proofs are without edits. */
export class StandaloneChain implements ChainReader {
  readonly chainId: bigint;
  readonly #source: () => Source;
  /** Cached because the edits may be many, and their state is asked for often. */
  #last: { readonly chain: ChainStore; readonly edits: readonly Edit[]; readonly state: StateReader } | undefined;
  readonly #listeners = new Set<(committed: Committed) => void>();

  readonly #dropListeners = new Set<(dropped: Dropped) => void>();

  constructor(chainId: bigint, source: () => Source) {
    this.chainId = chainId;
    this.#source = source;
  }

  get heads() {
    return this.#chain.heads;
  }

  hashOf(number: bigint): Hash | undefined {
    return this.#chain.hashOf(number);
  }

  header(ref: BlockRef) {
    return this.#chain.header(ref);
  }

  block(ref: BlockRef) {
    return this.#chain.block(ref);
  }

  receipts(ref: BlockRef) {
    return this.#chain.receipts(ref);
  }

  transaction(hash: Hash) {
    return this.#chain.transaction(hash);
  }

  refusal(hash: Hash) {
    return this.#chain.refusal(hash);
  }

  refusedIn(block: bigint) {
    return this.#chain.refusedIn(block);
  }

  accessListIn(block: bigint) {
    return this.#chain.accessListIn(block);
  }

  state(block: bigint): StateReader {
    const { chain, situation } = this.#source();
    const base = chain.state(block);
    const edits = situation.edits.get(block);
    if (edits === undefined) return base;
    const last = this.#last;
    if (last?.edits === edits && last.chain === chain) return last.state;
    const state = new StateOverlay(base);
    for (const edit of edits) edit(state);
    this.#last = { chain, edits, state };
    return state;
  }

  proof(block: bigint, address: Address, slots: readonly Hash[]) {
    return this.#chain.proof(block, address, slots);
  }

  logs(query: LogQuery, limit: number, watch?: Watch) {
    return this.#chain.logs(query, limit, watch);
  }

  onCommit(listener: (committed: Committed) => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  onDrop(listener: (dropped: Dropped) => void): void {
    this.#dropListeners.add(listener);
  }

  /** Notifies the listeners of blocks that are gone. */
  publishDropped(dropped: Dropped): void {
    for (const listener of this.#dropListeners) listener(dropped);
  }

  /** Notifies the listeners of blocks that are stored. */
  publish(committed: Committed): void {
    for (const listener of this.#listeners) listener(committed);
  }

  get #chain(): ChainStore {
    return this.#source().chain;
  }
}
