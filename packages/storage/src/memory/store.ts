import type { StoreKindName } from '../kinds.ts';
import type { Tree } from './tree.ts';

/** One version of a store: its tables by name. Neither the map nor a tree in it changes any more. */
export type Tables = ReadonlyMap<string, Tree>;

export interface StoreVersions {
  readonly kind: StoreKindName;
  /** The version that is read, and that a killed process leaves behind. */
  readonly committed: Tables;
  /** The version that a loss of power leaves behind: the last, or the one before it. */
  readonly flushed: Tables;
}

export interface StoreUse {
  /** Its process ends, without another step. */
  kill(): void;
  /** Forgets the writes that are not committed. Their promises never settle. */
  drop(): void;
}

/** A store on a disk, whether a process has it open or not. */
export class MemoryStore {
  readonly directory: string;
  readonly uses = new Set<StoreUse>();
  versions: StoreVersions;

  constructor(directory: string, kind: StoreKindName) {
    this.directory = directory;
    const none: Tables = new Map();
    this.versions = { kind, committed: none, flushed: none };
  }

  get committed(): Tables {
    return this.versions.committed;
  }

  /** The data are flushed with all that was written before, and made the current ones then. */
  commit(changed: Tables): void {
    const { kind, committed } = this.versions;
    this.versions = { kind, committed: new Map([...committed, ...changed]), flushed: committed };
  }

  flush(): void {
    const { kind, committed } = this.versions;
    this.versions = { kind, committed, flushed: committed };
  }

  kill(): void {
    for (const use of this.uses) use.kill();
    this.uses.clear();
  }

  /** @param keeps How many of the commits that were not flushed survive. */
  losePower(keeps: (unflushed: number) => number): void {
    this.kill();
    const { kind, committed, flushed } = this.versions;
    const left = committed !== flushed && keeps(1) < 1 ? flushed : committed;
    this.versions = { kind, committed: left, flushed: left };
  }

  restore(versions: StoreVersions): void {
    for (const use of this.uses) use.drop();
    this.versions = versions;
  }
}
