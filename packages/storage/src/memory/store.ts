import type { StoreKindName } from '../kinds.ts';
import type { Tree } from './tree.ts';

/** One version of a store: its tables by name. Neither the map nor a tree in it changes any more. */
export type Tables = ReadonlyMap<string, Tree>;

export interface StoreVersions {
  readonly kind: StoreKindName;
  /** The one that is read, which a killed process leaves behind. */
  readonly committed: Tables;
  /** The one that a loss of power leaves behind: the last, or the one before it. */
  readonly flushed: Tables;
}

/** Use of a store by one process. */
export interface StoreUse {
  /** Its process ends, without another step. */
  kill(): void;
  /** Forgets the writes that are not committed. Their promises never settle. */
  drop(): void;
}

export const NO_TABLES: Tables = new Map();

/** A store on a disk, whether a process has it open or not. */
export class MemoryStore {
  readonly directory: string;
  readonly uses = new Set<StoreUse>();
  #versions: StoreVersions;

  constructor(directory: string, kind: StoreKindName) {
    this.directory = directory;
    this.#versions = { kind, committed: NO_TABLES, flushed: NO_TABLES };
  }

  get versions(): StoreVersions {
    return this.#versions;
  }

  get committed(): Tables {
    return this.#versions.committed;
  }

  /** A commit writes its data, flushes them with all that was written before, and then makes them the current ones. */
  commit(changed: Tables): void {
    const { kind, committed } = this.#versions;
    this.#versions = { kind, committed: new Map([...committed, ...changed]), flushed: committed };
  }

  flush(): void {
    const { kind, committed } = this.#versions;
    this.#versions = { kind, committed, flushed: committed };
  }

  /** @param keeps How many of the commits that were not flushed survive. */
  losePower(keeps: (unflushed: number) => number): void {
    const { kind, committed, flushed } = this.#versions;
    const left = committed !== flushed && keeps(1) < 1 ? flushed : committed;
    this.restore({ kind, committed: left, flushed: left });
  }

  restore(versions: StoreVersions): void {
    this.#versions = versions;
  }

  kill(): void {
    for (const use of this.uses) use.kill();
    this.uses.clear();
  }
}
