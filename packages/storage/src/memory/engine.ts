import type { EngineOptions, StoreEngine } from '../store-engine.ts';
import type { StoreKey, StoreTable } from '../store-table.ts';
import { keyTexts } from './keys.ts';
import type { MemoryStore, StoreUse, Tables } from './store.ts';
import { MemoryTable, PAGE_BYTES } from './table.ts';
import { Tree } from './tree.ts';
import { type DiskTime, type Write, WriteQueue } from './write-queue.ts';

/** The disk under a store. */
export interface EngineDisk {
  readonly time: DiskTime;
  /** Why the system does not write, while it does not. */
  failureAt(directory: string): Error | undefined;
  committed(directory: string): void;
}

/** One for each call: its waiters are forgotten with it. */
const never = (): Promise<never> => new Promise(() => undefined);
const DONE = Promise.resolve(true);
const EMPTY = new Tree();

/**
 * A store that one process has open. A synchronous transaction is committed when it returns, before the asynchronous writes of the
 * same moment, which no read sees until then: LMDB does it in this order.
 */
export class MemoryEngine<K extends StoreKey> implements StoreEngine<K>, StoreUse {
  readonly isNew: boolean;
  readonly #store: MemoryStore;
  readonly #options: EngineOptions;
  readonly #disk: EngineDisk;
  readonly #queue: WriteQueue;
  readonly #flush: (() => void) | undefined;
  #state: 'open' | 'closed' | 'killed' = 'open';
  /** Tables that the transaction under way has written to. */
  #edited: Map<string, Tree> | undefined;
  #isInBatch = false;

  constructor(store: MemoryStore, options: EngineOptions, disk: EngineDisk) {
    this.isNew = store.committed.size === 0;
    this.#store = store;
    this.#options = options;
    this.#disk = disk;
    this.#flush = options.isReplayed === true ? undefined : () => store.flush();
    const commit = (writes: readonly Write[]) => this.#transaction(() => this.#apply(writes));
    this.#queue = new WriteQueue({ commit, flush: this.#flush }, disk.time);
    store.uses.add(this);
  }

  table(name: string): StoreTable<K> {
    return new MemoryTable<K>(name, keyTexts<K>(this.#options.keys), this);
  }

  /** The version of a table that is to be read. */
  read(table: string): Tree {
    this.#requireOpen();
    return this.#edited?.get(table) ?? this.#store.committed.get(table) ?? EMPTY;
  }

  writeSync(write: Write): void {
    if (this.#edited === undefined) this.transactionSync(() => this.#apply([write]));
    else this.#apply([write]);
  }

  write(write: Write): Promise<boolean> {
    if (this.#state === 'killed') return never();
    this.#requireOpen();
    if (this.#edited === undefined) {
      const done = this.#queue.add(write);
      return this.#isInBatch ? DONE : done;
    }
    this.#apply([write]);
    return DONE;
  }

  transactionSync(work: () => void): void {
    this.#requireOpen();
    if (this.#edited !== undefined) {
      this.#nested(work, this.#edited);
      return;
    }
    // There is one writer at a time.
    this.#queue.finish();
    this.#transaction(() => {
      work();
      this.#requireOpen();
    });
    this.#requireOpen();
    this.#flush?.();
  }

  /** The work is run at once. If it throws, the writes before that are made all the same, as by LMDB. */
  batch(work: () => void): Promise<boolean> {
    if (this.#state === 'killed') return never();
    this.#requireOpen();
    if (this.#edited !== undefined) {
      work();
      return DONE;
    }
    const isInBatch = this.#isInBatch;
    this.#isInBatch = true;
    try {
      work();
    } finally {
      this.#isInBatch = isInBatch;
    }
    return this.#queue.add();
  }

  clear(): void {
    this.transactionSync(() => void this.#edited?.set('', new Tree()));
  }

  remap(whileClosed?: () => void): void {
    this.#requireOpen();
    whileClosed?.();
  }

  refresh(): void {
    this.#requireOpen();
  }

  size(): number {
    this.#requireOpen();
    const pages = Array.from(this.#store.committed.values(), ({ bytes }) => Math.ceil(bytes / PAGE_BYTES));
    return PAGE_BYTES * pages.reduce((sum, each) => sum + each, 2);
  }

  label(): void {}

  async close(): Promise<void> {
    if (this.#state === 'killed') return never();
    this.#state = 'closed';
    await this.#queue.drained();
    this.#store.uses.delete(this);
  }

  kill(): void {
    this.#state = 'killed';
    this.drop();
  }

  drop(): void {
    this.#queue.drop();
  }

  #requireOpen(): void {
    if (this.#state !== 'open') throw new Error(`the store at ${this.#store.directory} is ${this.#state}`);
  }

  #transaction(work: () => void): void {
    this.#edited = new Map();
    try {
      work();
      if (this.#edited.size === 0) return;
      const failure = this.#disk.failureAt(this.#store.directory);
      if (failure !== undefined) throw failure;
      this.#store.commit(this.#edited);
      this.#disk.committed(this.#store.directory);
    } finally {
      this.#edited = undefined;
    }
  }

  #nested(work: () => void, edited: Tables): void {
    const before = new Map(Array.from(edited, ([name, tree]) => [name, tree.copy()]));
    try {
      work();
    } catch (error) {
      this.#edited = before;
      throw error;
    }
  }

  #apply(writes: readonly Write[]): void {
    for (const { table, key, value } of writes) {
      const tree = this.#editable(table);
      if (value === undefined) tree.delete(key);
      else tree.set(key, value);
    }
  }

  #editable(table: string): Tree {
    const edited = this.#edited?.get(table);
    if (edited !== undefined) return edited;
    const tree = (this.#store.committed.get(table) ?? EMPTY).copy();
    this.#edited?.set(table, tree);
    return tree;
  }
}
