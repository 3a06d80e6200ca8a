import { existsSync, mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { type Key, open, type RootDatabase } from 'lmdb';
import { StoreDamaged } from './damaged.ts';
import { dataFile, examineStore, type FoundFormat } from './examine.ts';
import { STORE_KINDS, type StoreKindName } from './kinds.ts';
import { writeLabel } from './label.ts';
import { LmdbTable, type OnWrongRecord } from './lmdb-table.ts';
import { Room } from './room.ts';
import type { EngineOptions, StoreEngine } from './store-engine.ts';
import type { StoreKey, StoreTable } from './store-table.ts';

/** Address space, neither memory nor disk. The file may outgrow it, at the price of mapping it anew. */
const MAP_SIZE = 2 ** 36;
const MAX_TABLES = 64;

/**
 * How many free pages of the file the library keeps in memory. Its search among them is linear, so that with its
 * own 50,000 a small commit after some large ones took ten times as long. The file grew no larger with these.
 */
const FREE_PAGES = { maxFreeSpaceToLoad: 2000, maxFreeSpaceToRetain: 4000 };

export interface LmdbEngineOptions extends EngineOptions, PrepareOptions {
  /** Another thread of this process has it open, all tables with it: it is neither checked nor labelled again. */
  readonly isOpenElsewhere?: boolean;
}

/** A file with its label beside it: checked before it is mapped, its records sealed. */
export class LmdbEngine<K extends StoreKey> implements StoreEngine<K> {
  readonly isNew: boolean = false;
  readonly #directory: string;
  readonly #kindName: StoreKindName;
  readonly #options: LmdbEngineOptions;
  readonly #onWrong: OnWrongRecord;
  readonly #tables: LmdbTable<K & Key>[] = [];
  readonly #room: Room;
  #db: RootDatabase<Uint8Array, K & Key>;

  /** @throws {StoreDamaged} @throws {WrongFormat} */
  constructor(directory: string, kindName: StoreKindName, options: LmdbEngineOptions, onWrong: OnWrongRecord) {
    this.#directory = directory;
    this.#kindName = kindName;
    this.#options = options;
    this.#onWrong = onWrong;
    if (options.isOpenElsewhere !== true) this.isNew = prepareStore(directory, kindName, options).format === 'empty';
    // The library would make one.
    else if (!existsSync(dataFile(directory)))
      throw new Error(`cannot open the store at ${directory}: there is no file`);
    this.#db = this.#open();
    this.#room = new Room(directory, () => this.size());
    if (options.isOpenElsewhere !== true) this.#room.make();
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
    if (this.#options.isOpenElsewhere === true) return;
    const { format } = STORE_KINDS[this.#kindName];
    writeLabel(this.#directory, { kind: this.#kindName, format, closed });
  }

  close(): Promise<void> {
    return this.#db.close();
  }

  #open(): RootDatabase<Uint8Array, K & Key> {
    const { keys, isReplayed = false } = this.#options;
    try {
      return open<Uint8Array, K & Key>({
        path: this.#directory,
        // A directory even if its name looks like that of a file.
        noSubdir: false,
        encoding: 'binary',
        ...(keys === 'text' ? {} : { keyEncoding: keys }),
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

  #openTable(name: string) {
    if (name === '') return this.#db;
    const { keys, isOpenElsewhere = false } = this.#options;
    return this.#db.openDB<Uint8Array, K & Key>(name, {
      encoding: 'binary',
      ...(keys === 'text' ? {} : { keyEncoding: keys }),
      // Spread, as above.
      ...{ create: !isOpenElsewhere },
    });
  }
}

/** Larger files are read whole only after an unclean end; otherwise the scrubber gets to them. */
export const FULL_CHECK_BYTES = 256 * 1_048_576;

interface PrepareOptions {
  readonly fullCheckBytes?: number;
}

/**
 * To be called before LMDB opens a store: checks the file.
 *
 * @throws {StoreDamaged} naming file, keys and the command that repairs it.
 * @throws {WrongFormat} for another format, or something else.
 */
function prepareStore(
  directory: string,
  kindName: StoreKindName,
  { fullCheckBytes = FULL_CHECK_BYTES }: PrepareOptions = {},
): { readonly format: FoundFormat } {
  const path = dataFile(directory);
  makeDirectory(directory);
  // A rewrite that was cut short leaves this behind.
  rmSync(join(directory, 'rewrite'), { recursive: true, force: true });
  const { format, label } = examineStore(directory, kindName, fullCheckBytes);
  if (format === 'empty' && label !== undefined) throw new StoreDamaged(directory, path, 'all records are missing');
  return { format };
}

function makeDirectory(directory: string): void {
  try {
    mkdirSync(directory, { recursive: true });
  } catch (error) {
    throw new Error(`cannot open the store at ${directory}: ${String(error)}`, { cause: error });
  }
}
