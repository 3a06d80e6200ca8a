import { EMPTY_ROOT } from '@switchyard/protocol';
import type { Backend, Batch } from './backend.ts';
import { DELETED } from './changes.ts';
import { createStore } from './layers.ts';
import { MemoryRows } from './memory-rows.ts';
import type { RangeOptions, Row } from './state.ts';
import type { Store } from './store.ts';

/** A store for tests and simulations. Behaves as the one on disk, and forgets everything in the end. */
export function createMemoryStore(): Store {
  return createStore(new MemoryBackend());
}

class MemoryBackend implements Backend {
  height: bigint | undefined;
  root = EMPTY_ROOT;
  readonly #state = new MemoryRows();
  readonly #pages = new Map<string, Uint8Array>();

  get(key: string): Uint8Array | undefined {
    return this.#state.get(key);
  }

  page(path: string): Uint8Array | undefined {
    return this.#pages.get(path);
  }

  range(options: RangeOptions): readonly Row[] {
    return this.#state.range(options);
  }

  write({ from, height, root, state, pages }: Batch): void {
    if (from !== this.height) throw new Error(`store is at height ${this.height}, expected ${from}`);
    this.#state.apply(state);
    for (const [path, page] of pages) {
      if (page === DELETED) this.#pages.delete(path);
      else this.#pages.set(path, page);
    }
    this.height = height;
    this.root = root;
  }

  async close(): Promise<void> {}
}
