import { existsSync, mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { type Database, type Key, open, type RootDatabase } from 'lmdb';
import { dataFile, examineStore } from './examine.ts';
import { STORE_KINDS, type StoreKindName } from './kinds.ts';
import { writeLabel } from './label.ts';
import { LmdbTable, type OnWrongRecord } from './lmdb-table.ts';
import { Room } from './room.ts';
import type { EngineOptions, StoreEngine } from './store-engine.ts';
import type { StoreKey, StoreTable } from './store-table.ts';

/** Address space, neither memory nor disk. The file may outgrow it, at the price of mapping it again. */
const MAP_SIZE = 2 ** 36;
const MAX_TABLES = 64;

/**
 * How many free pages of the file the library keeps in memory. Its search among them is linear, so that with its
 * own 50,000 a small commit after some large ones took ten times as long. The file grew no larger with these.
 */
const FREE_PAGES = { maxFreeSpaceToLoad: 2000, maxFreeSpaceToRetain: 4000 };

export interface LmdbEngineOptions extends EngineOptions {
  /** Another thread of this process has it open, all tables with it: it is neither checked nor labelled again. */
  readonly isOpenElsewhere?: boolean;
  /** Another process may write to it. It is neither checked, labelled nor changed, and tables that it lacks are empty. */
  readonly isReadOnly?: boolean;
}

/** A file with its label next to it: checked before it is mapped, its records sealed. */
export class LmdbEngine<K extends StoreKey> implements StoreEngine<K> {
  readonly isNew: boolean = false;
  readonly #directory: string;
  readonly #kindName: StoreKindName;
  readonly #options: LmdbEngineOptions;
  /** Nothing else has it open, so that its checks and its label are up to this. */
  readonly #isOurs: boolean;
  readonly #onWrong: OnWrongRecord;
  readonly #tables: LmdbTable<K & Key>[] = [];
  readonly #room: Room;
  #db: RootDatabase<Uint8Array, K & Key>;

  /** @throws {StoreDamaged} @throws {WrongFormat} */
  constructor(directory: string, kindName: StoreKindName, options: LmdbEngineOptions, onWrong: OnWrongRecord) {
    this.#directory = directory;
    this.#kindName = kindName;
    this.#options = options;
    this.#isOurs = options.isOpenElsewhere !== true && options.isReadOnly !== true;
    this.#onWrong = onWrong;
    if (this.#isOurs) {
      makeDirectory(directory);
      // A rewrite that was cut short leaves this behind.
      rmSync(join(directory, 'rewrite'), { recursive: true, force: true });
      this.isNew = examineStore(directory, kindName);
    }
    // The library would make one.
    else if (!existsSync(dataFile(directory)))
      throw new Error(`cannot open the store at ${directory}: there is no file`);
    this.#db = this.#open();
    this.#room = new Room(directory, () => this.size());
    if (this.#isOurs) this.#room.make();
  }

  table(name: string): StoreTable<K> {
    const table = new LmdbTable<K & Key>(name, this.#openTable(name), this.#room, this.#onWrong);
    this.#tables.push(table);
    return table;
  }

  transactionSync(work: () => void): void {
    this.#room.transaction(() => this.#db.transactionSync(work));
  }

  batch(work: () => void): Promise<boolean> {
    return this.#room.batch(work, (writes) => this.#db.batch(writes));
  }

  clear(): void {
    this.#db.clearSync();
  }

  remap(whileClosed?: () => void): void {
    void this.#db.close();
    whileClosed?.();
    this.#db = this.#open();
    for (const table of this.#tables) table.remapped(this.#openTable(table.name));
  }

  refresh(): void {
    this.#db.resetReadTxn();
  }

  size(): number {
    // The library declares no members.
    const { lastPageNumber, pageSize } = this.#db.getStats() as { lastPageNumber: number; pageSize: number };
    return (lastPageNumber + 1) * pageSize;
  }

  label(closed: boolean): void {
    if (!this.#isOurs) return;
    const { format } = STORE_KINDS[this.#kindName];
    writeLabel(this.#directory, { kind: this.#kindName, format, closed });
  }

  close(): Promise<void> {
    return this.#db.close();
  }

  #open(): RootDatabase<Uint8Array, K & Key> {
    const { keys, isReplayed = false, isReadOnly = false } = this.#options;
    try {
      return open<Uint8Array, K & Key>({
        path: this.#directory,
        // A directory even if its name looks like that of a file.
        noSubdir: false,
        encoding: 'binary',
        ...(keys === 'text' ? {} : { keyEncoding: keys }),
        readOnly: isReadOnly,
        cache: false,
        compression: false,
        // A commit is done when data and then meta page are on disk; otherwise it would be before the flush.
        overlappingSync: false,
        noMetaSync: isReplayed,
        maxDbs: MAX_TABLES,
        mapSize: MAP_SIZE,
        noMemInit: true,
        // Spread, since the library reads them but does not declare them.
        ...FREE_PAGES,
      });
    } catch (error) {
      throw new Error(`cannot open the store at ${this.#directory}: ${String(error)}`, { cause: error });
    }
  }

  #openTable(name: string): Database<Uint8Array, K & Key> | undefined {
    if (name === '') return this.#db;
    const { keys } = this.#options;
    return this.#db.openDB<Uint8Array, K & Key>(name, {
      encoding: 'binary',
      ...(keys === 'text' ? {} : { keyEncoding: keys }),
      // Spread, as above.
      ...{ create: this.#isOurs },
    });
  }
}

function makeDirectory(directory: string): void {
  try {
    mkdirSync(directory, { recursive: true });
  } catch (error) {
    throw new Error(`cannot open the store at ${directory}: ${String(error)}`, { cause: error });
  }
}
