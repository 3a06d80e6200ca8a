import { EMPTY_ROOT, hashKey } from '@switchyard/protocol';
import { type StoreDamaged, StoreFile } from '@switchyard/storage';
import type { Backend, Batch } from './backend.ts';
import { type Changes, DELETED } from './changes.ts';
import { engineWork } from './engine-work.ts';
import { createStore } from './layers.ts';
import { findLeaf } from './proof.ts';
import { RecordCache } from './record-cache.ts';
import type { RangeOptions, Row } from './state.ts';
import { INDEX_PREFIX, type Store } from './store.ts';
import { MAX_PAGE_SIZE } from './tree.ts';
import { verifyTop } from './verify.ts';

export interface LmdbOptions {
  /**
   * About how many bytes of the database file may stay in the process's resident memory (default 64 MiB).
   * The page cache of the system is not limited by it.
   */
  readonly residentBytes?: number;
  /** Whether the caller executes a block again that a loss of power has undone. Saves one flush with each block. */
  readonly isReplayed?: boolean;
  /** Called once when a damaged record is read, before the read throws: the process should stop. */
  readonly onDamage?: (error: StoreDamaged) => void;
}

/**
 * A store in a directory, which is made if it is not there. One process at a time.
 *
 * @throws {StoreDamaged} when its file is damaged.
 * @throws {Error} when the directory holds something else, or a store of another format.
 */
export function openLmdbStore(path: string, options: LmdbOptions = {}): Store {
  return createStore(new LmdbBackend(path, options));
}

/** The one database holds four kinds of keys, distinguished by their first letters; the fourth is the format. */
const HEIGHT_KEY = 'm:height';
const ROOT_KEY = 'm:root';
const STATE = 's:';
const PAGE = 't:';

/** Nonces and balances of active accounts, and the look-ups of every transaction. Longer values are rows of lists and blocks. */
const CACHED_VALUES = { entries: 8_192, maxLength: 256 };
/** At most 8 MiB: the upper levels of the tree, and the paths of the keys in the last blocks. */
const CACHED_PAGES = { entries: 4_096, maxLength: MAX_PAGE_SIZE };

/** Resident memory that an access to a random place can add: the kernel also maps cached pages around it. */
const BYTES_PER_TOUCH = 64 * 1024;

class LmdbBackend implements Backend {
  height: bigint | undefined;
  root = EMPTY_ROOT;
  readonly #path: string;
  readonly #residentBytes: number;
  readonly #values = new RecordCache(CACHED_VALUES);
  readonly #pages = new RecordCache(CACHED_PAGES);
  readonly #file: StoreFile<string>;
  /** Accesses since the file was mapped. */
  #touches = 0;

  constructor(path: string, { residentBytes = 64 * 1024 * 1024, isReplayed, onDamage }: LmdbOptions) {
    this.#path = path;
    this.#residentBytes = residentBytes;
    this.#file = new StoreFile<string>(path, 'state', { keys: 'text', onDamage, isReplayed });
    this.height = this.#storedHeight();
    this.root = this.#read(ROOT_KEY) ?? EMPTY_ROOT;
    const wrong = verifyTop((page) => this.page(page), this.root);
    if (wrong !== undefined) this.#file.damaged(wrong);
  }

  get(key: string): Uint8Array | undefined {
    return this.#values.get(key, () => this.#read(STATE + key) ?? this.#verifyAbsent(key));
  }

  page(path: string): Uint8Array | undefined {
    return this.#pages.get(path, () => this.#read(PAGE + path));
  }

  range(options: RangeOptions): readonly Row[] {
    return engineWork(() => this.#range(options));
  }

  #range({ prefix, after, before, reverse = false, limit }: RangeOptions): readonly Row[] {
    // Bounds are exclusive. No key of ours reaches the character after the last of ASCII.
    const low = STATE + (after !== undefined && after >= prefix ? after : prefix);
    const high = STATE + (before !== undefined && before <= `${prefix}\x7f` ? before : `${prefix}\x7f`);
    if (low >= high) return [];
    const found: Row[] = [];
    const range = { start: reverse ? high : low, end: reverse ? low : high, reverse };
    for (const [key, value] of this.#file.main.entries(range)) {
      const stateKey = key.slice(STATE.length);
      if (stateKey === after || stateKey === before) continue;
      found.push([stateKey, value]);
      if (found.length >= limit) break;
    }
    this.#touch(found.length);
    return found;
  }

  write({ from, height, root, state, pages }: Batch): void {
    this.#file.transactionSync(() => {
      const found = this.#storedHeight();
      if (found !== from) {
        throw new Error(`store ${this.#path} is at height ${found}, expected ${from}: changed by another process`);
      }
      this.#put(STATE, state);
      this.#put(PAGE, pages);
      this.#file.main.putSync(HEIGHT_KEY, new TextEncoder().encode(height.toString()));
      this.#file.main.putSync(ROOT_KEY, root);
    });
    this.height = height;
    this.root = root;
    this.#values.changed(state);
    this.#pages.changed(pages);
    this.#touch(state.size + pages.size);
  }

  async close(): Promise<void> {
    await this.#file.close();
  }

  #put(kind: string, changes: Changes): void {
    for (const [key, value] of changes) {
      if (value === DELETED) this.#file.main.removeSync(kind + key);
      else this.#file.main.putSync(kind + key, value);
    }
  }

  #read(key: string): Uint8Array | undefined {
    return engineWork(() => {
      this.#touch(1);
      return this.#file.main.get(key);
    });
  }

  /**
   * A record lost to damage must not read as an empty balance: it has to be there if the tree has a leaf for it. The
   * pages this reads are cached, and the same ones are needed to seal a block that creates the key.
   */
  #verifyAbsent(key: string): undefined {
    if (key.startsWith(INDEX_PREFIX) || this.height === undefined) return undefined;
    if (findLeaf((path) => this.page(path), hashKey(key)) === undefined) return undefined;
    return this.#file.damaged(`key ${STATE}${key}: the record is missing`);
  }

  #storedHeight(): bigint | undefined {
    const height = this.#file.main.get(HEIGHT_KEY);
    return height === undefined ? undefined : BigInt(new TextDecoder().decode(height));
  }

  /**
   * Never called inside a transaction.
   *
   * Every page of the file that was ever looked at stays in resident memory until the file is mapped again,
   * and on a chain that is in the end the whole file. So it is mapped again now and then; the pages are still
   * in the system's cache, and no more than a millisecond is lost.
   */
  #touch(count: number): void {
    this.#touches += count;
    if (this.#touches * BYTES_PER_TOUCH <= this.#residentBytes) return;
    this.#touches = 0;
    if (this.#file.size() <= this.#residentBytes) return;
    // Nothing is written asynchronously here.
    this.#file.remap();
  }
}
