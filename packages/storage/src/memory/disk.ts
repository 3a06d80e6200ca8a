import { constants } from 'node:os';
import { resolve, sep } from 'node:path';
import { getSystemErrorMap } from 'node:util';
import { WrongFormat } from '../examine.ts';
import type { StoreKindName } from '../kinds.ts';
import type { EngineOptions, StoreEngine } from '../store-engine.ts';
import type { StoreKey } from '../store-table.ts';
import { type EngineDisk, MemoryEngine } from './engine.ts';
import { type MountedDisk, mountDisk } from './mounts.ts';
import { MemoryStore, type StoreVersions } from './store.ts';
import type { DiskTime } from './write-queue.ts';

export interface MemoryDiskOptions {
  /** Without one, asynchronous writes are on the disk in the next turn of the process. */
  readonly clock?: { after(ms: number, fire: () => void): unknown };
  /** Duration of a flush on the clock. A commit takes two: of its data, and of the page that makes them current. */
  readonly flushMs?: () => number;
  /** Called after each commit, before its flush: a place to end the process, in the middle of a turn too. */
  readonly onCommit?: (directory: string) => void;
}

/** All stores of a disk, by directory. */
export type DiskSnapshot = ReadonlyMap<string, StoreVersions>;

/** Stores of one process in memory instead of in files, with the failures of a disk and of its users. */
export class MemoryDisk implements MountedDisk {
  readonly #stores = new Map<string, MemoryStore>();
  /** Why writes fail, by the directories at or below which they do. */
  readonly #failing = new Map<string, Error>();
  readonly #disk: EngineDisk;

  constructor({ clock, flushMs = () => 0, onCommit = () => undefined }: MemoryDiskOptions = {}) {
    const time: DiskTime =
      clock === undefined
        ? { nextTurn: (then) => void setImmediate(then), flush: (then) => then() }
        : { nextTurn: (then) => void clock.after(0, then), flush: (then) => void clock.after(flushMs(), then) };
    this.#disk = { time, failureAt: (directory) => this.#failureAt(directory), committed: onCommit };
  }

  /** From now on stores are here whose directory is at or below this one. The returned function takes that back. */
  mount(prefix: string): () => void {
    return mountDisk(prefix, this);
  }

  /** For `StoreFile`. */
  open<K extends StoreKey>(directory: string, kind: StoreKindName, options: EngineOptions): StoreEngine<K> {
    const path = resolve(directory);
    const store = this.#stores.get(path) ?? new MemoryStore(path, kind);
    if (store.versions.kind !== kind)
      throw new WrongFormat(`${path} holds a store of kind ${store.versions.kind}, expected ${kind}`);
    this.#stores.set(path, store);
    return new MemoryEngine<K>(store, options, this.#disk);
  }

  /** Takes no copies. @param prefix Only the stores at or below this directory. */
  snapshot(prefix: string = sep): DiskSnapshot {
    return new Map(this.#below(prefix).map(({ directory, versions }) => [directory, versions]));
  }

  /**
   * Undoes all that was written since, in open stores too. Writes that are not committed yet are dropped, and their promises never
   * settle. A store that is not in the snapshot is gone; for the process that has it open, that is as by `kill`.
   *
   * @param prefix Directory of which the snapshot is.
   */
  restore(snapshot: DiskSnapshot, prefix: string = sep): void {
    for (const store of this.#below(prefix)) {
      const { directory } = store;
      if (snapshot.has(directory)) continue;
      store.kill();
      this.#stores.delete(directory);
    }
    for (const [directory, versions] of snapshot) {
      const store = this.#stores.get(directory) ?? new MemoryStore(directory, versions.kind);
      this.#stores.set(directory, store);
      store.restore(versions);
    }
  }

  /**
   * The process that has the stores at or below a directory open ends: what it has not committed is lost. Its code may run on: its
   * synchronous calls throw, its asynchronous ones never settle, and none of them has an effect.
   */
  kill(prefix: string): void {
    for (const store of this.#below(prefix)) store.kill();
  }

  /**
   * The computer of that process loses its power: commits that were not flushed are lost, too, from the last one on. One whose
   * promise has resolved is among them only if `isReplayed` allows it.
   *
   * @param keeps How many survive of those of a store.
   */
  losePower(prefix: string, keeps: (unflushed: number) => number): void {
    for (const store of this.#below(prefix)) store.losePower(keeps);
  }

  /** From now on commits at or below a directory fail with this error of the system; with none, they do not. */
  failWrites(prefix: string, code: 'ENOSPC' | 'EIO' | undefined): void {
    if (code === undefined) this.#failing.delete(resolve(prefix));
    else this.#failing.set(resolve(prefix), systemError(code));
  }

  #below(prefix: string): MemoryStore[] {
    return Array.from(this.#stores.values()).filter(({ directory }) => isBelow(directory, resolve(prefix)));
  }

  #failureAt(directory: string): Error | undefined {
    for (const [prefix, error] of this.#failing) if (isBelow(directory, prefix)) return error;
    return undefined;
  }
}

/** Opens something in a directory of a disk of its own, which is gone with it. */
export function inMemory<T>(open: (directory: string) => T): T {
  const directory = resolve(sep, 'in-memory');
  const unmount = new MemoryDisk().mount(directory);
  try {
    return open(directory);
  } finally {
    unmount();
  }
}

function isBelow(directory: string, prefix: string): boolean {
  return directory === prefix || directory.startsWith(prefix.endsWith(sep) ? prefix : prefix + sep);
}

/** The library gives such errors. */
function systemError(name: 'ENOSPC' | 'EIO'): Error {
  const code = constants.errno[name];
  return Object.assign(new Error(getSystemErrorMap().get(-code)?.[1] ?? name), { code });
}
