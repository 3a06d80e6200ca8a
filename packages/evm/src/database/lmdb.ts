import { type RangeOptions as LibraryRange, type Database as LmdbTable, open, type RootDatabase } from 'lmdb';
import type { Database, DbWriter, RangeOptions, Row, Table } from '../database.ts';

/** Raised when the layout on disk changes. */
const FORMAT = 'switchyard-evm-1';
/** Address space, neither memory nor disk. The file may outgrow it, at the price of mapping it anew. */
const MAP_SIZE = 2 ** 36;
const MOST_TABLES = 64;

/**
 * How much the process may grow before the file is mapped anew. Every page of the file that was ever looked at stays in
 * resident memory until then, and on a chain that is in the end the whole file; in the system's cache it stays anyway.
 */
const RESIDENT_BYTES = 256 * 1_048_576;

/**
 * A database in a directory, which is made if it is not there.
 *
 * @param residentBytes About how much of the file may be in the process's resident memory.
 * @throws {Error} with one line when it cannot be opened, or is of another format.
 */
export function openDatabase(directory: string, residentBytes = RESIDENT_BYTES): Database {
  return new LmdbDatabase(directory, residentBytes);
}

type Rows = LmdbTable<Uint8Array, Uint8Array>;
const ROWS = { encoding: 'binary', keyEncoding: 'binary' } as const;

class LmdbDatabase implements Database {
  readonly #directory: string;
  readonly #residentBytes: number;
  readonly #tables = new Map<string, LmdbRows>();
  #root: RootDatabase<Uint8Array, Uint8Array>;
  /** Of the process, when the file was mapped. */
  #residentThen: number;
  #writing = false;

  constructor(directory: string, residentBytes: number) {
    this.#directory = directory;
    this.#residentBytes = residentBytes;
    this.#residentThen = process.memoryUsage.rss();
    this.#root = openFile(directory);
    const meta = this.#root.openDB<Uint8Array, Uint8Array>('meta', ROWS);
    const key = Buffer.from('format');
    const found = meta.get(key);
    if (found === undefined) meta.putSync(key, Buffer.from(FORMAT));
    else if (Buffer.from(found).toString() !== FORMAT) {
      void this.#root.close();
      const got = Buffer.from(found).toString().slice(0, 40);
      throw new Error(`${directory} holds a database of format ${got}, expected ${FORMAT}: choose another directory`);
    }
  }

  table(name: string): Table {
    return this.#table(name);
  }

  write(work: (writer: DbWriter) => void): void {
    if (this.#writing) throw new Error('a write inside a write');
    this.#writing = true;
    const after: (() => void)[] = [];
    const writer: DbWriter = {
      put: ({ name }, key, value) => this.#table(name).rows.putSync(key, value),
      remove: ({ name }, key) => void this.#table(name).rows.removeSync(key),
      afterCommit: (then) => after.push(then),
    };
    try {
      this.#root.transactionSync(() => work(writer));
    } finally {
      this.#writing = false;
    }
    for (const then of after) then();
    this.#boundResident();
  }

  /** Nothing is read or written asynchronously here, so the file is closed when `close` returns. */
  #boundResident(): void {
    const resident = process.memoryUsage.rss();
    if (resident - this.#residentThen <= this.#residentBytes || this.size() <= this.#residentBytes) return;
    void this.#root.close();
    this.#root = openFile(this.#directory);
    for (const table of this.#tables.values()) table.rows = this.#root.openDB(table.name, ROWS);
    this.#residentThen = process.memoryUsage.rss();
  }

  size(): number {
    // The library declares no members.
    const { lastPageNumber, pageSize } = this.#root.getStats() as { lastPageNumber: number; pageSize: number };
    return (lastPageNumber + 1) * pageSize;
  }

  async close(): Promise<void> {
    await this.#root.close();
  }

  #table(name: string): LmdbRows {
    let table = this.#tables.get(name);
    if (table === undefined) {
      if (this.#writing) throw new Error(`table ${name} is opened inside a write`);
      table = new LmdbRows(name, this.#root.openDB(name, ROWS));
      this.#tables.set(name, table);
    }
    return table;
  }
}

class LmdbRows implements Table {
  readonly name: string;
  /** Another one when the file was mapped anew. */
  rows: Rows;

  constructor(name: string, rows: Rows) {
    this.name = name;
    this.rows = rows;
  }

  get(key: Uint8Array): Uint8Array | undefined {
    const shared = this.rows.getBinaryFast(key);
    return shared === undefined ? undefined : copyOf(shared);
  }

  range({ from, to, reverse = false, limit }: RangeOptions = {}): Row[] {
    const found: Row[] = [];
    if (limit === 0) return found;
    // The library includes `start` and excludes `end`; backwards, that is the other way about.
    const options: LmdbRange = reverse
      ? { start: to, exclusiveStart: to !== undefined, end: from, inclusiveEnd: true, reverse }
      : { start: from, end: to };
    if (limit !== undefined) options.limit = limit;
    for (const { key, value } of this.rows.getRange(opened(options)))
      found.push([Uint8Array.from(key), Uint8Array.from(value)]);
    return found;
  }

  atOrBefore(key: Uint8Array): Row | undefined {
    for (const row of this.rows.getRange(opened({ start: key, end: undefined, reverse: true, limit: 1 })))
      return ownRow(row);
    return undefined;
  }

  atOrAfter(key: Uint8Array): Row | undefined {
    for (const row of this.rows.getRange(opened({ start: key, end: undefined, limit: 1 }))) return ownRow(row);
    return undefined;
  }
}

/** Bounds of the library. One that is there and undefined is open; one that is not there is a key of its own choice. */
interface LmdbRange {
  start: Uint8Array | undefined;
  end: Uint8Array | undefined;
  exclusiveStart?: boolean;
  inclusiveEnd?: boolean;
  reverse?: boolean;
  limit?: number;
}

function opened(range: LmdbRange): LibraryRange {
  // The library's declaration does not tell a member that is undefined from one that is not there; its code does.
  return range as LibraryRange;
}

function ownRow({ key, value }: { readonly key: Uint8Array; readonly value: Uint8Array }): Row {
  return [Uint8Array.from(key), Uint8Array.from(value)];
}

function openFile(path: string): RootDatabase<Uint8Array, Uint8Array> {
  try {
    return open<Uint8Array, Uint8Array>({
      path,
      // A directory even if its name looks like that of a file.
      noSubdir: false,
      encoding: 'binary',
      keyEncoding: 'binary',
      // A commit returns when it is durable.
      overlappingSync: false,
      maxDbs: MOST_TABLES,
      mapSize: MAP_SIZE,
      noMemInit: true,
      // Undeclared options of the library: with its own numbers a small commit after large ones searches long for a
      // free page.
      ...{ maxFreeSpaceToLoad: 2000, maxFreeSpaceToRetain: 4000 },
    });
  } catch (error) {
    throw new Error(`cannot open the database at ${path}: ${String(error)}`, { cause: error });
  }
}

/**
 * A copy of the bytes of a read, which sit at the front of a buffer that the next read fills anew. `length` is set by
 * the library and tells them from the rest; everything else about the buffer ignores it.
 */
function copyOf(shared: Uint8Array): Uint8Array {
  const { length } = shared;
  const copy = new Uint8Array(length);
  // A loop beats a view of the buffer where there is little to copy.
  if (length > 64) copy.set(new Uint8Array(shared.buffer, shared.byteOffset, length));
  else for (let index = 0; index < length; index++) copy[index] = shared[index] ?? 0;
  return copy;
}
