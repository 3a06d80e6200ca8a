import type { StoreEngine } from '../store-engine.ts';
import type { StoreKey, StoreTable } from '../store-table.ts';
import { Group } from './group.ts';
import { keyTexts } from './keys.ts';
import type { OpenOptions } from './mounts.ts';
import type { MemoryStore, StoreUse, Tables } from './store.ts';
import { MemoryTable, PAGE_BYTES } from './table.ts';
import { Tree } from './tree.ts';

/** How a disk takes its time. */
export interface DiskTime {
  nextTurn(then: () => void): void;
  /** A flush of what has been written. */
  flush(then: () => void): void;
}

const NEVER: Promise<never> = new Promise(() => undefined);
const DONE = Promise.resolve(true);

/**
 * A store that one process has open. It commits as LMDB does: a synchronous transaction at once, and then asynchronous writes in the
 * order of the calls, all those together that were made before the commit began. Until then no read sees them.
 */
export class MemoryEngine<K extends StoreKey> implements StoreEngine<K>, StoreUse {
  readonly isNew: boolean;
  readonly #store: MemoryStore;
  readonly #options: OpenOptions;
  readonly #time: DiskTime;
  readonly #failure: () => Error | undefined;
  #state: 'open' | 'closed' | 'killed' = 'open';
  /** Tables that the synchronous transaction under way has written to. */
  #edited: Map<string, Tree> | undefined;
  #waiting: Group | undefined;
  #underWay: Group | undefined;
  #isInBatch = false;

  /** @param failure Why the system does not write, while it does not. */
  constructor(store: MemoryStore, options: OpenOptions, time: DiskTime, failure: () => Error | undefined) {
    this.isNew = store.committed.size === 0;
    this.#store = store;
    this.#options = options;
    this.#time = time;
    this.#failure = failure;
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

  writeSync(table: string, key: string, value: Uint8Array | undefined): void {
    if (this.#edited === undefined) this.transactionSync(() => this.#edit(table, key, value));
    else this.#edit(table, key, value);
  }

  write(table: string, key: string, value: Uint8Array | undefined): Promise<boolean> {
    if (this.#state === 'killed') return NEVER;
    this.#requireOpen();
    if (this.#edited !== undefined) {
      this.#edit(table, key, value);
      return DONE;
    }
    const group = this.#group();
    group.writes.push({ table, key, value });
    return this.#isInBatch ? DONE : group.done;
  }

  transactionSync(work: () => void): void {
    this.#requireOpen();
    if (this.#edited !== undefined) {
      this.#nested(work, this.#edited);
      return;
    }
    // LMDB has one writer at a time: a commit that has begun is waited for.
    for (const group = this.#underWay; group !== undefined && group === this.#underWay; ) this.#advance(group);
    this.#edited = new Map();
    try {
      work();
      this.#requireOpen();
      this.#commit(this.#edited);
    } finally {
      this.#edited = undefined;
    }
    if (this.#options.isReplayed !== true) this.#store.flush();
  }

  /** The library runs the work at once. Where that throws, the writes before are made all the same. */
  batch(work: () => void): Promise<boolean> {
    if (this.#state === 'killed') return NEVER;
    this.#requireOpen();
    if (this.#edited !== undefined) {
      work();
      return DONE;
    }
    const [group, isInBatch] = [this.#group(), this.#isInBatch];
    this.#isInBatch = true;
    try {
      work();
    } finally {
      this.#isInBatch = isInBatch;
    }
    return group.done;
  }

  clear(): void {
    this.transactionSync(() => void this.#edited?.set('', new Tree()));
  }

  remap(): void {
    this.#requireOpen();
  }

  size(): number {
    this.#requireOpen();
    const pages = Array.from(this.#store.committed.values(), ({ bytes }) => Math.ceil(bytes / PAGE_BYTES));
    return PAGE_BYTES * pages.reduce((sum, each) => sum + each, 2);
  }

  label(): void {}

  async close(): Promise<void> {
    if (this.#state === 'killed') return NEVER;
    this.#state = 'closed';
    for (let group = this.#last(); group !== undefined; group = this.#last()) await group.done.catch(() => undefined);
    this.#store.uses.delete(this);
  }

  kill(): void {
    this.#state = 'killed';
    this.drop();
  }

  drop(): void {
    this.#waiting = undefined;
    this.#underWay = undefined;
  }

  #last(): Group | undefined {
    return this.#waiting ?? this.#underWay;
  }

  #requireOpen(): void {
    if (this.#state !== 'open') throw new Error(`the store at ${this.#store.directory} is ${this.#state}`);
  }

  #edit(table: string, key: string, value: Uint8Array | undefined): void {
    const tree = this.#editable(table);
    if (value === undefined) tree.delete(key);
    else tree.set(key, value);
  }

  #editable(table: string): Tree {
    const edited = this.#edited?.get(table);
    if (edited !== undefined) return edited;
    const tree = (this.#store.committed.get(table) ?? EMPTY).copy();
    this.#edited?.set(table, tree);
    return tree;
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

  #commit(changed: Tables): void {
    if (changed.size === 0) return;
    const failure = this.#failure();
    if (failure !== undefined) throw failure;
    this.#store.commit(changed);
  }

  /** Takes the writes of this moment. */
  #group(): Group {
    if (this.#waiting === undefined) {
      this.#waiting = new Group();
      this.#time.nextTurn(() => this.#begin());
    }
    return this.#waiting;
  }

  #begin(): void {
    const group = this.#waiting;
    if (this.#underWay !== undefined || group === undefined) return;
    this.#underWay = group;
    this.#waiting = undefined;
    this.#time.flush(() => this.#advance(group));
  }

  /** After each flush, and from a transaction that does not wait for it: makes the data the current ones, then ends. */
  #advance(group: Group): void {
    if (group !== this.#underWay) return;
    try {
      if (group.isCommitted) this.#store.flush();
      else if (!this.#commitGroup(group)) return;
      group.resolve();
    } catch (error) {
      group.reject(error);
    }
    this.#underWay = undefined;
    if (this.#waiting !== undefined) this.#time.nextTurn(() => this.#begin());
  }

  /** @returns Whether it is done with that. */
  #commitGroup(group: Group): boolean {
    this.#edited = new Map();
    try {
      for (const { table, key, value } of group.writes) this.#edit(table, key, value);
      this.#commit(this.#edited);
    } finally {
      this.#edited = undefined;
    }
    group.isCommitted = true;
    if (this.#options.isReplayed === true) return true;
    this.#time.flush(() => this.#advance(group));
    return false;
  }
}

const EMPTY = new Tree();
