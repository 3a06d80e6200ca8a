import { problemText, StoreDamaged } from './damaged.ts';
import { dataFile } from './examine.ts';
import { STORE_KINDS, type StoreKindName } from './kinds.ts';
import { LmdbEngine, type LmdbEngineOptions } from './lmdb-engine.ts';
import { mountedAt } from './memory/mounts.ts';
import { commitError, EXIT_HALF_WRITTEN, isSystemError, StoreNotWritten } from './not-written.ts';
import type { StoreEngine } from './store-engine.ts';
import type { StoreKey, StoreTable } from './store-table.ts';

export interface StoreFileOptions extends LmdbEngineOptions {
  /** Called once, when damage is found while the store is in use, before the read throws: the process should stop. */
  readonly onDamage?: ((error: StoreDamaged) => void) | undefined;
}

/** One store of a known kind: a file of LMDB, or its twin on a mounted `MemoryDisk`. One process at a time writes. */
export class StoreFile<K extends StoreKey> {
  readonly directory: string;
  readonly kindName: StoreKindName;
  readonly main: StoreTable<K>;
  readonly #options: StoreFileOptions;
  readonly #tables = new Map<string, StoreTable<K>>();
  readonly #engine: StoreEngine<K>;
  #isDamaged = false;

  /** Opens the store in a directory, which is made if it is not there. @throws {StoreDamaged} @throws {WrongFormat} */
  constructor(directory: string, kindName: StoreKindName, options: StoreFileOptions) {
    this.directory = directory;
    this.kindName = kindName;
    this.#options = options;
    this.#engine =
      mountedAt(directory)?.open<K>(directory, kindName, options) ??
      new LmdbEngine<K>(directory, kindName, options, this.#onWrong);
    this.main = this.table('');
    if (this.#engine.isNew) this.#writeFormat();
    this.#engine.label(false);
  }

  /** A table under a name. Always the same object. Not to be called first inside a transaction. */
  table(name: string): StoreTable<K> {
    let table = this.#tables.get(name);
    if (table === undefined) {
      table = this.#engine.table(name);
      this.#tables.set(name, table);
    }
    return table;
  }

  /** All or nothing, and on disk when it returns. @throws {StoreNotWritten} */
  transactionSync(work: () => void): void {
    try {
      this.#engine.transactionSync(work);
    } catch (error) {
      throw isSystemError(error) ? new StoreNotWritten(this.directory, error, EXIT_HALF_WRITTEN) : error;
    }
  }

  /**
   * The writes of `work` are made together, and on disk when it resolves. Transactions of one moment share a flush to the disk. Where
   * `work` throws, its earlier writes are made all the same.
   *
   * @throws {StoreNotWritten}
   */
  async batch(work: () => void): Promise<void> {
    try {
      await this.#engine.batch(work);
    } catch (error) {
      const reason = await commitError(error);
      throw isSystemError(reason) ? new StoreNotWritten(this.directory, reason, EXIT_HALF_WRITTEN) : reason;
    }
  }

  /** Removes every record of the main table. */
  clear(): void {
    this.#engine.clear();
    this.#writeFormat();
  }

  /**
   * Maps the file again, so that none of it is in resident memory. Not with asynchronous writes, nor inside a transaction.
   *
   * @param whileClosed Runs in between. A mapping stays until every thread that has the file open has closed it.
   */
  remap(whileClosed?: () => void): void {
    this.#engine.remap(whileClosed);
  }

  /** Later reads see all commits of other threads until now; otherwise one turn of the event loop sees one version. */
  refresh(): void {
    this.#engine.refresh();
  }

  /** Bytes of the file. */
  size(): number {
    return this.#engine.size();
  }

  /** Bytes of the pages that the main table and the opened ones use: less than the file, which does not shrink. */
  usedBytes(): number {
    return Array.from(this.#tables.values()).reduce((sum, table) => sum + table.usedBytes(), 0);
  }

  async close(): Promise<void> {
    await this.#engine.close();
    if (!this.#isDamaged) this.#engine.label(true);
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

  #writeFormat(): void {
    const { table, formatKey, format, integerKeys } = STORE_KINDS[this.kindName];
    const key = integerKeys ? 0 : this.#options.keys === 'text' ? formatKey.toString('latin1') : formatKey;
    // The kind and the caller's type of key belong together.
    this.table(table).putSync(key as K, Buffer.from(format, 'latin1'));
  }

  readonly #onWrong = (table: string, key: Uint8Array): never => {
    const what = 'the checksum of the record is wrong';
    return this.damaged(problemText({ table, range: { after: Buffer.from(key), before: Buffer.from(key) }, what }));
  };
}
