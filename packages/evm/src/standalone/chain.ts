import { StateOverlay } from '@switchyard/evm-machine/overlay';
import type { StateReader } from '@switchyard/evm-machine/state';
import type { Dropped } from '../chain/chain.ts';
import { ChainStore } from '../chain/store.ts';
import type { Edit } from './situation.ts';

/** A chain that can go back, with edits on top of its blocks. Proofs are without edits. */
export class StandaloneChain extends ChainStore {
  readonly #editsAfter: (block: bigint) => readonly Edit[] | undefined;
  /** Cached because the edits may be many, and their state is read often. */
  #last: { readonly edits: readonly Edit[]; readonly state: StateReader } | undefined;
  readonly #dropListeners = new Set<(dropped: Dropped) => void>();

  constructor(
    editsAfter: (block: bigint) => readonly Edit[] | undefined,
    ...parameters: ConstructorParameters<typeof ChainStore>
  ) {
    super(...parameters);
    this.#editsAfter = editsAfter;
  }

  override state(block: bigint): StateReader {
    const base = super.state(block);
    const edits = this.#editsAfter(block);
    if (edits === undefined) return base;
    if (this.#last?.edits === edits) return this.#last.state;
    const state = new StateOverlay(base);
    for (const edit of edits) edit(state);
    this.#last = { edits, state };
    return state;
  }

  override reload(): void {
    super.reload();
    this.#last = undefined;
  }

  onDrop(listener: (dropped: Dropped) => void): void {
    this.#dropListeners.add(listener);
  }

  /** Notifies the listeners of blocks that are gone. */
  publishDropped(dropped: Dropped): void {
    for (const listener of this.#dropListeners) listener(dropped);
  }
}
