import { type StoreDamaged, StoreFile, type StoreTable } from '@switchyard/storage';
import type { Database, DbWriter, RangeOptions, Row, Table } from './database.ts';

/**
 * How much the process may grow before the file is mapped again. Every page of the file that was ever looked at stays in
 * resident memory until then, and on a chain that is in the end the whole file; in the system's cache it stays anyway.
 */
const RESIDENT_BYTES = 256 * 1_048_576;

/**
 * A database in a directory, which is made if it is not there.
 *
 * @throws {StoreDamaged} when its file is damaged.
 * @throws {Error} with one line when it cannot be opened, or is of another format.
 */
export function openDatabase(directory: string, options: DatabaseOptions = {}): LmdbDatabase {
  return new LmdbDatabase(directory, options);
}

/**
 * Opens it in another thread of the process that has it open, with all tables: each turn sees earlier commits. One
 * thread writes.
 */
export function openDatabaseInThread(directory: string, options: DatabaseOptions = {}): LmdbDatabase {
  return new LmdbDatabase(directory, options, true);
}

export interface DatabaseOptions {
  /** About how much of the file may be in the process's resident memory. */
  readonly residentBytes?: number;
  /** Called once when a damaged record is read, before the read throws: the process should stop. */
  readonly onDamage?: (error: StoreDamaged) => void;
  /** In place of mapping the file again, if other threads have it open too. */
  readonly remap?: ((database: Pick<LmdbDatabase, 'remap'>) => void) | undefined;
}

export class LmdbDatabase implements Database {
  readonly #residentBytes: number;
  readonly #remap: DatabaseOptions['remap'];
  readonly #tables = new Map<string, LmdbRows>();
  readonly #file: StoreFile<Uint8Array>;
  /** Resident memory of the process when the file was mapped, in bytes. */
  #residentThen: number;
  #writing = false;

  constructor(
    directory: string,
    { residentBytes = RESIDENT_BYTES, remap, onDamage }: DatabaseOptions,
    isOpenElsewhere = false,
  ) {
    this.#residentBytes = residentBytes;
    this.#remap = remap;
    this.#residentThen = process.memoryUsage.rss();
    this.#file = new StoreFile<Uint8Array>(directory, 'evm', { keys: 'binary', onDamage, isOpenElsewhere });
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
      remove: ({ name }, key) => this.#table(name).rows.removeSync(key),
      afterCommit: (then) => after.push(then),
    };
    try {
      this.#file.transactionSync(() => work(writer));
    } finally {
      this.#writing = false;
    }
    for (const then of after) then();
    this.#boundResident();
  }

  /** Nothing is read or written asynchronously here, so the file is closed when it is mapped again. */
  remap(whileClosed?: () => void): void {
    this.#file.remap(whileClosed);
  }

  /** Later reads see all commits of the other thread until now. */
  refresh(): void {
    this.#file.refresh();
  }

  #boundResident(): void {
    const resident = process.memoryUsage.rss();
    if (resident - this.#residentThen <= this.#residentBytes || this.size() <= this.#residentBytes) return;
    if (this.#remap === undefined) this.remap();
    else this.#remap(this);
    this.#residentThen = process.memoryUsage.rss();
  }

  size(): number {
    return this.#file.size();
  }

  async close(): Promise<void> {
    await this.#file.close();
  }

  #table(name: string): LmdbRows {
    let table = this.#tables.get(name);
    if (table === undefined) {
      if (this.#writing) throw new Error(`table ${name} is opened inside a write`);
      table = new LmdbRows(name, this.#file.table(name));
      this.#tables.set(name, table);
    }
    return table;
  }
}

class LmdbRows implements Table {
  readonly name: string;
  readonly rows: StoreTable<Uint8Array>;

  constructor(name: string, rows: StoreTable<Uint8Array>) {
    this.name = name;
    this.rows = rows;
  }

  get(key: Uint8Array): Uint8Array | undefined {
    return this.rows.get(key);
  }

  range({ from, to, reverse = false, limit }: RangeOptions = {}): Row[] {
    const found: Row[] = [];
    if (limit === 0) return found;
    // A store includes `start` and excludes `end`; backwards, that is the other way about.
    const bounds = reverse
      ? { start: to, exclusiveStart: true, end: from, inclusiveEnd: true, reverse }
      : { start: from, end: to };
    for (const [key, value] of this.rows.entries({ ...bounds, limit })) found.push([Uint8Array.from(key), value]);
    return found;
  }

  atOrBefore(key: Uint8Array): Row | undefined {
    for (const row of this.rows.entries({ start: key, reverse: true, limit: 1 })) return ownRow(row);
    return undefined;
  }

  atOrAfter(key: Uint8Array): Row | undefined {
    for (const row of this.rows.entries({ start: key, limit: 1 })) return ownRow(row);
    return undefined;
  }
}

function ownRow([key, value]: readonly [Uint8Array, Uint8Array]): Row {
  return [Uint8Array.from(key), value];
}
