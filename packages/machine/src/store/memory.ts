import type { Backend, BackendView, Batch } from './backend.ts';
import { createStore } from './layers.ts';
import { type Changes, DELETED } from './overlay.ts';
import { EMPTY_ROOT, type RangeOptions, type Store } from './store.ts';

/** A store for tests and simulations. Behaves as the one on disk and forgets everything in the end. */
export function createMemoryStore(): Store {
  return createStore(new MemoryBackend());
}

/** One commit with what it replaced. Links run from old to new, so versions nobody reads are collected. */
interface Version {
  readonly height: bigint | undefined;
  readonly root: Uint8Array;
  next: { readonly version: Version; readonly state: Changes; readonly pages: Changes } | undefined;
}

class MemoryBackend implements Backend {
  readonly #state = new Map<string, Uint8Array>();
  readonly #pages = new Map<string, Uint8Array>();
  #version: Version = { height: undefined, root: EMPTY_ROOT, next: undefined };

  view(): BackendView {
    return new MemoryView(this.#version, this.#state, this.#pages);
  }

  async write({ from, height, root, state, pages }: Batch): Promise<void> {
    if (from !== this.#version.height) throw new Error(`store is at height ${this.#version.height}, expected ${from}`);
    const version: Version = { height, root, next: undefined };
    this.#version.next = { version, state: replace(this.#state, state), pages: replace(this.#pages, pages) };
    this.#version = version;
  }

  async close(): Promise<void> {}
}

/** Applies changes and returns those that would undo them. */
function replace(target: Map<string, Uint8Array>, changes: Changes): Changes {
  const undo = new Map<string, Uint8Array>();
  for (const [key, value] of changes) {
    undo.set(key, target.get(key) ?? DELETED);
    if (value === DELETED) target.delete(key);
    else target.set(key, value);
  }
  return undo;
}

class MemoryView implements BackendView {
  readonly height: bigint | undefined;
  readonly root: Uint8Array;
  #released = false;

  constructor(
    private readonly version: Version,
    private readonly state: ReadonlyMap<string, Uint8Array>,
    private readonly pages: ReadonlyMap<string, Uint8Array>,
  ) {
    this.height = version.height;
    this.root = version.root;
  }

  get(key: string): Uint8Array | undefined {
    return this.#read('state', key);
  }

  page(path: string): Uint8Array | undefined {
    return this.#read('pages', path);
  }

  range({ prefix, after, before, reverse = false, limit }: RangeOptions): Array<readonly [string, Uint8Array]> {
    const keys = new Set(this.state.keys());
    for (let next = this.version.next; next !== undefined; next = next.version.next) {
      for (const key of next.state.keys()) keys.add(key);
    }
    const sorted = [...keys]
      .filter((key) => key.startsWith(prefix))
      .filter((key) => (after === undefined || key > after) && (before === undefined || key < before))
      .sort();
    const found: Array<readonly [string, Uint8Array]> = [];
    for (const key of reverse ? sorted.reverse() : sorted) {
      if (found.length >= limit) break;
      const value = this.get(key);
      if (value !== undefined) found.push([key, value]);
    }
    return found;
  }

  release(): void {
    this.#released = true;
  }

  #read(part: 'state' | 'pages', key: string): Uint8Array | undefined {
    if (this.#released) throw new Error(`snapshot of height ${this.height} is no longer held`);
    for (let next = this.version.next; next !== undefined; next = next.version.next) {
      const replaced = next[part].get(key);
      if (replaced !== undefined) return replaced === DELETED ? undefined : replaced;
    }
    return this[part].get(key);
  }
}
