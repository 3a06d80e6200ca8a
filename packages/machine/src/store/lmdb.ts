import { open, type RootDatabase } from 'lmdb';
import type { Backend, Batch } from './backend.ts';
import { HotValues } from './hot.ts';
import { createStore } from './layers.ts';
import { type Changes, DELETED } from './overlay.ts';
import { EMPTY_ROOT, type RangeOptions, type Store } from './store.ts';

export interface LmdbOptions {
  /**
   * About how many bytes of the database file may stay in the process's resident memory (default 64 MiB).
   * The page cache of the system is not limited by it.
   */
  readonly residentBytes?: number;
}

/**
 * A store in a directory, which is made if it is not there. One process at a time.
 *
 * @throws {Error} when the directory holds something else, or a store of another format.
 */
export function openLmdbStore(path: string, { residentBytes = 64 * 1024 * 1024 }: LmdbOptions = {}): Store {
  return createStore(new LmdbBackend(path, residentBytes));
}

/** Raised when the layout on disk changes. */
const FORMAT = 'switchyard-store-1';

/** The one database holds four kinds of keys, told apart by their first letters. */
const FORMAT_KEY = 'm:format';
const HEIGHT_KEY = 'm:height';
const ROOT_KEY = 'm:root';
const STATE = 's:';
const PAGE = 't:';

/** Address space, neither memory nor disk. The file may outgrow it, at the price of mapping it anew. */
const MAP_SIZE = 2 ** 36;

/** What an access to a random place can add to resident memory: the kernel also maps what it has cached around it. */
const BYTES_PER_TOUCH = 64 * 1024;

class LmdbBackend implements Backend {
  height: bigint | undefined;
  root = EMPTY_ROOT;
  readonly #path: string;
  readonly #residentBytes: number;
  readonly #hot = new HotValues();
  #db: RootDatabase<Uint8Array, string>;
  /** Accesses since the file was mapped. */
  #touches = 0;

  constructor(path: string, residentBytes: number) {
    this.#path = path;
    this.#residentBytes = residentBytes;
    this.#db = openFile(path);
    if (!isOurs(this.#db)) {
      void this.#db.close();
      throw new Error(`${path} holds something else than a store of format ${FORMAT}`);
    }
    this.height = heightOf(this.#db);
    this.root = this.#read(ROOT_KEY) ?? EMPTY_ROOT;
  }

  get(key: string): Uint8Array | undefined {
    return this.#hot.get(key, () => this.#read(STATE + key));
  }

  page(path: string): Uint8Array | undefined {
    return this.#read(PAGE + path);
  }

  range({ prefix, after, before, reverse = false, limit }: RangeOptions): Array<readonly [string, Uint8Array]> {
    // Bounds are exclusive. No key of ours reaches the character after the last of ASCII.
    const low = STATE + (after !== undefined && after >= prefix ? after : prefix);
    const high = STATE + (before !== undefined && before <= `${prefix}\x7f` ? before : `${prefix}\x7f`);
    if (low >= high) return [];
    const found: Array<readonly [string, Uint8Array]> = [];
    const entries = this.#db.getRange({ start: reverse ? high : low, end: reverse ? low : high, reverse });
    for (const { key, value } of entries) {
      const stateKey = key.slice(STATE.length);
      if (stateKey === after || stateKey === before) continue;
      found.push([stateKey, Uint8Array.from(value)]);
      if (found.length >= limit) break;
    }
    this.#touch(found.length);
    return found;
  }

  write({ from, height, root, state, pages }: Batch): void {
    this.#db.transactionSync(() => {
      const found = heightOf(this.#db);
      if (found !== from) {
        throw new Error(`store ${this.#path} is at height ${found}, expected ${from}: changed by another process`);
      }
      this.#put(STATE, state);
      this.#put(PAGE, pages);
      this.#db.putSync(FORMAT_KEY, fromText(FORMAT));
      this.#db.putSync(HEIGHT_KEY, fromText(height.toString()));
      this.#db.putSync(ROOT_KEY, root);
    });
    this.height = height;
    this.root = root;
    this.#hot.changed(state);
    this.#touch(state.size + pages.size);
  }

  async close(): Promise<void> {
    await this.#db.close();
  }

  #put(kind: string, changes: Changes): void {
    for (const [key, value] of changes) {
      if (value === DELETED) this.#db.removeSync(kind + key);
      else this.#db.putSync(kind + key, value);
    }
  }

  #read(key: string): Uint8Array | undefined {
    this.#touch(1);
    const shared = this.#db.getBinaryFast(key);
    return shared === undefined ? undefined : copyOf(shared);
  }

  /**
   * Never called inside a transaction.
   *
   * Every page of the file that was ever looked at stays in resident memory until the file is mapped anew,
   * and on a chain that is in the end the whole file. So it is mapped anew now and then; the pages are still
   * in the system's cache, and no more than a millisecond is lost.
   */
  #touch(count: number): void {
    this.#touches += count;
    if (this.#touches * BYTES_PER_TOUCH <= this.#residentBytes) return;
    this.#touches = 0;
    if (fileSize(this.#db) <= this.#residentBytes) return;
    // Nothing is written asynchronously here, so this has closed when it returns.
    void this.#db.close();
    this.#db = openFile(this.#path);
  }
}

/**
 * How many free pages of the file the library keeps in memory. Its search among them is linear, so that with its
 * own 50,000 a small commit after some large ones took ten times as long. The file grew no larger with these.
 */
const FREE_PAGES = { maxFreeSpaceToLoad: 2000, maxFreeSpaceToRetain: 4000 };

function openFile(path: string): RootDatabase<Uint8Array, string> {
  try {
    return open<Uint8Array, string>({
      path,
      // A directory even if its name looks like that of a file.
      noSubdir: false,
      encoding: 'binary',
      // A commit returns when it is durable.
      overlappingSync: false,
      mapSize: MAP_SIZE,
      noMemInit: true,
      // Spread, since the library reads them but does not declare them.
      ...FREE_PAGES,
    });
  } catch (error) {
    throw new Error(`cannot open the store at ${path}: ${String(error)}`, { cause: error });
  }
}

/** New and empty, or written by this format. */
function isOurs(db: RootDatabase<Uint8Array, string>): boolean {
  const format = db.get(FORMAT_KEY);
  return format === undefined ? db.getKeysCount({ limit: 1 }) === 0 : toText(format) === FORMAT;
}

function heightOf(db: RootDatabase<Uint8Array, string>): bigint | undefined {
  const height = db.get(HEIGHT_KEY);
  return height === undefined ? undefined : BigInt(toText(height));
}

/**
 * A copy of the bytes of a read, which sit at the front of a buffer that the next read fills anew.
 *
 * `length` is set by the library and tells them from the rest; everything else about the buffer ignores it.
 */
function copyOf(shared: Uint8Array): Uint8Array {
  const { length } = shared;
  const copy = new Uint8Array(length);
  // Most values are a number or an id, and for those a loop beats a view of the buffer.
  if (length > 64) copy.set(new Uint8Array(shared.buffer, shared.byteOffset, length));
  else for (let i = 0; i < length; i++) copy[i] = shared[i] as number;
  return copy;
}

function fileSize(db: RootDatabase<Uint8Array, string>): number {
  // The library declares no members.
  const { lastPageNumber, pageSize } = db.getStats() as { lastPageNumber: number; pageSize: number };
  return (lastPageNumber + 1) * pageSize;
}

function fromText(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}

function toText(bytes: Uint8Array): string {
  return new TextDecoder().decode(bytes);
}
