import { EMPTY_ROOT } from '@switchyard/protocol';
import type { Backend, Batch } from './backend.ts';
import { type Changes, DELETED } from './changes.ts';
import { createStore } from './layers.ts';
import { SortedKeys } from './sorted-keys.ts';
import type { RangeOptions, Row } from './state.ts';
import type { Store } from './store.ts';

/** A store for tests and simulations. Behaves as the one on disk, and forgets everything in the end. */
export function createMemoryStore(): Store {
  return createStore(new MemoryBackend());
}

class MemoryBackend implements Backend {
  height: bigint | undefined;
  root = EMPTY_ROOT;
  readonly #state = new Map<string, Uint8Array>();
  readonly #keys = new SortedKeys();
  readonly #pages = new Map<string, Uint8Array>();

  get(key: string): Uint8Array | undefined {
    return this.#state.get(key);
  }

  page(path: string): Uint8Array | undefined {
    return this.#pages.get(path);
  }

  range({ limit, ...bounds }: RangeOptions): readonly Row[] {
    const found: Row[] = [];
    for (const key of this.#keys.within(bounds)) {
      // The keys are those of the state.
      found.push([key, this.#state.get(key) as Uint8Array]);
      if (found.length >= limit) break;
    }
    return found;
  }

  write({ from, height, root, state, pages }: Batch): void {
    if (from !== this.height) throw new Error(`store is at height ${this.height}, expected ${from}`);
    apply(this.#state, state);
    for (const [key, value] of state) {
      if (value === DELETED) this.#keys.delete(key);
      else this.#keys.add(key);
    }
    apply(this.#pages, pages);
    this.height = height;
    this.root = root;
  }

  async close(): Promise<void> {}
}

function apply(target: Map<string, Uint8Array>, changes: Changes): void {
  for (const [key, value] of changes) {
    if (value === DELETED) target.delete(key);
    else target.set(key, value);
  }
}
