import { EMPTY_ROOT } from '@switchyard/protocol';
import type { Backend, Batch } from './backend.ts';
import { createStore } from './layers.ts';
import { type Changes, DELETED } from './overlay.ts';
import type { RangeOptions, Store } from './store.ts';

/** A store for tests and simulations. Behaves as the one on disk, and forgets everything in the end. */
export function createMemoryStore(): Store {
  return createStore(new MemoryBackend());
}

class MemoryBackend implements Backend {
  height: bigint | undefined;
  root = EMPTY_ROOT;
  readonly #state = new Map<string, Uint8Array>();
  readonly #pages = new Map<string, Uint8Array>();

  get(key: string): Uint8Array | undefined {
    return this.#state.get(key);
  }

  page(path: string): Uint8Array | undefined {
    return this.#pages.get(path);
  }

  range({ prefix, after, before, reverse = false, limit }: RangeOptions): Array<readonly [string, Uint8Array]> {
    const found = [...this.#state].filter(
      ([key]) =>
        key.startsWith(prefix) && (after === undefined || key > after) && (before === undefined || key < before),
    );
    found.sort(([a], [b]) => (a < b ? -1 : 1));
    if (reverse) found.reverse();
    return found.slice(0, limit);
  }

  write({ from, height, root, state, pages }: Batch): void {
    if (from !== this.height) throw new Error(`store is at height ${this.height}, expected ${from}`);
    apply(this.#state, state);
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
