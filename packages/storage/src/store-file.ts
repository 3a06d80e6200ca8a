import { type Key, open, type RootDatabase } from 'lmdb';
import { keyText, StoreDamaged } from './damaged.ts';
import { dataFile } from './examine.ts';
import { STORE_KINDS, type StoreKind, type StoreKindName } from './kinds.ts';
import { writeLabel } from './label.ts';
import { commitError, isSystemError, StoreNotWritten } from './not-written.ts';
import { type PrepareOptions, prepareStore } from './prepare.ts';
import { type StoreKey, StoreTable } from './store-table.ts';

/** Address space, neither memory nor disk. The file may outgrow it, at the price of mapping it anew. */
const MAP_SIZE = 2 ** 36;
const MAX_TABLES = 64;

/**
 * How many free pages of the file the library keeps in memory. Its search among them is linear, so that with its
 * own 50,000 a small commit after some large ones took ten times as long. The file grew no larger with these.
 */
const FREE_PAGES = { maxFreeSpaceToLoad: 2000, maxFreeSpaceToRetain: 4000 };

export interface StoreFileOptions extends PrepareOptions {
  readonly keys: 'text' | 'binary' | 'uint32';
  /** Called once, when damage is found while the store is in use, before the read throws: the process should stop. */
  readonly onDamage?: ((error: StoreDamaged) => void) | undefined;
  /**
   * A loss of power may undo the last transaction, which costs one flush less. For what the process makes again at its next
   * start; a killed process loses nothing.
   */
  readonly isReplayed?: boolean | undefined;
  /** Another thread of this process has it open, all tables with it: it is not checked again, and only read here. */
  readonly isOpenElsewhere?: boolean;
}

/** One LMDB file of a known kind: checked before it is mapped, its records sealed. One process at a time writes. */
export class StoreFile<K extends StoreKey> {
  readonly directory: string;
  readonly kindName: StoreKindName;
  readonly main: StoreTable<K>;
  readonly #kind: StoreKind;
  readonly #options: StoreFileOptions;
  readonly #tables = new Map<string, StoreTable<K>>();
  #db: RootDatabase<Uint8Array, K & Key>;
  #isDamaged = false;

  /** Opens the store in a directory, which is made if it is not there. @throws {StoreDamaged} @throws {WrongFormat} */
  constructor(directory: string, kindName: StoreKindName, options: StoreFileOptions) {
    this.directory = directory;
    this.kindName = kindName;
    this.#kind = STORE_KINDS[kindName];
    this.#options = options;
    const format = options.isOpenElsewhere === true ? 'current' : prepareStore(directory, kindName, options).format;
    this.#db = this.#open();
    this.main = new StoreTable<K>('', this.#db, this.#onWrong);
    if (format === 'empty') this.writeFormat();
    this.#label(false);
  }

  /** A table under a name. Always the same object. Not to be called first inside a transaction. */
  table(name: string): StoreTable<K> {
    let table = this.#tables.get(name);
    if (table === undefined) {
      table = new StoreTable<K>(name, this.#openTable(name), this.#onWrong);
      this.#tables.set(name, table);
    }
    return table;
  }

  /** All or nothing, and on disk when it returns. @throws {StoreNotWritten} */
  transactionSync(work: () => void): void {
    try {
      this.#db.transactionSync(work);
    } catch (error) {
      throw isSystemError(error) ? new StoreNotWritten(this.directory, error) : error;
    }
  }

  /**
   * Like `transactionSync`, and on disk when it resolves. Transactions of one moment share a flush to the disk.
   *
   * @throws {StoreNotWritten}
   */
  async batch(work: () => void): Promise<void> {
    try {
      await this.#db.batch(work);
    } catch (error) {
      const reason = await commitError(error);
      throw isSystemError(reason) ? new StoreNotWritten(this.directory, reason) : reason;
    }
  }

  /** Removes every record of the main table. */
  clear(): void {
    this.#db.clearSync();
    this.writeFormat();
  }

  writeFormat(): void {
    const { table, formatKey, format, integerKeys } = this.#kind;
    const key = integerKeys ? 0 : this.#options.keys === 'text' ? formatKey.toString('latin1') : formatKey;
    const target = table === '' ? this.main : this.table(table);
    // The kind and the caller's type of key belong together.
    target.putSync(key as K, Buffer.from(format, 'latin1'));
  }

  /** Maps the file anew, so that none of it is in resident memory. Not with asynchronous writes, nor inside a transaction. */
  remap(): void {
    void this.#db.close();
    this.#db = this.#open();
    this.main.remapped(this.#db);
    for (const [name, table] of this.#tables) table.remapped(this.#openTable(name));
  }

  /** Bytes of the file. */
  size(): number {
    // The library declares no members.
    const { lastPageNumber, pageSize } = this.#db.getStats() as { lastPageNumber: number; pageSize: number };
    return (lastPageNumber + 1) * pageSize;
  }

  /** Bytes of the pages that the main table and the opened ones use: less than the file, which does not shrink. */
  usedBytes(): number {
    return [this.main, ...this.#tables.values()].reduce((sum, table) => sum + table.usedBytes(), 0);
  }

  async close(): Promise<void> {
    await this.#db.close();
    if (!this.#isDamaged) this.#label(true);
  }

  /** Reports damage that something else has found in this store. */
  damaged(what: string): never {
    const error = new StoreDamaged(this.directory, dataFile(this.directory), what);
    if (!this.#isDamaged) {
      this.#isDamaged = true;
      this.#options.onDamage?.(error);
    }
    throw error;
  }

  readonly #onWrong = (table: string, key: Uint8Array): never => {
    const where = table === '' ? '' : `table ${table}, `;
    return this.damaged(`${where}key ${keyText(key)}: the checksum of the record is wrong`);
  };

  #open(): RootDatabase<Uint8Array, K & Key> {
    const { keys, isReplayed = false } = this.#options;
    try {
      return open<Uint8Array, K & Key>({
        path: this.directory,
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
      throw new Error(`cannot open the store at ${this.directory}: ${String(error)}`, { cause: error });
    }
  }

  #openTable(name: string) {
    const { keys, isOpenElsewhere = false } = this.#options;
    return this.#db.openDB<Uint8Array, K & Key>(name, {
      encoding: 'binary',
      ...(keys === 'text' ? {} : { keyEncoding: keys }),
      // Spread, as above.
      ...{ create: !isOpenElsewhere },
    });
  }

  #label(closed: boolean): void {
    if (this.#options.isOpenElsewhere === true) return;
    writeLabel(this.directory, { kind: this.kindName, format: this.#kind.format, closed });
  }
}
