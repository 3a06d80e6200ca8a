import { closeSync, openSync, statfsSync, statSync, writeSync } from 'node:fs';
import { dataFile } from './examine.ts';
import { StoreNotWritten } from './not-written.ts';

const PAGE = 4096;
/** Branches of the trees, and records of free pages, which a commit writes besides. */
const BESIDES = 131_072;
/** The file grows in steps. */
const STEP = 262_144;
/** Left free on the disk, for logs, labels and all else that is written while stores refuse. */
const KEPT_FREE = 1_048_576;

type Commit = () => Promise<boolean>;

/**
 * Space at the end of a store's file, taken before each commit, which then never meets a full disk. If the system refuses a write of
 * a commit, the library formats its message into a buffer that is too short, which damages the heap of the process.
 */
export class Room {
  readonly #directory: string;
  /** Bytes up to the last page of the newest commit. */
  readonly #usedNow: () => number;
  #used = 0;
  #spare = 0;
  /** Bytes of pages that the writes under way copy at most, and the pages that they add. */
  #copied = 0;
  #added = 0;
  #depth = 0;
  /** Writes of the batch whose work runs: none is made before there is room for all. */
  #batch: { readonly length: number; readonly write: Commit }[] | undefined;

  constructor(directory: string, usedNow: () => number) {
    this.#directory = directory;
    this.#usedNow = usedNow;
  }

  /** All writes of `work` are committed, or undone, when it returns. */
  transaction(work: () => void): void {
    const [copied, added] = [this.#copied, this.#added];
    this.#depth += 1;
    try {
      work();
    } finally {
      this.#depth -= 1;
      if (this.#depth === 0) this.#settle(copied, added);
    }
  }

  /** @param length Bytes of the value. @throws {StoreNotWritten} with nothing written. */
  writeSync(length: number, write: () => void): void {
    this.transaction(() => {
      this.#take(length);
      write();
    });
  }

  /** Rejects with nothing written if there is no room. */
  write(length: number, write: Commit): Promise<boolean> {
    if (this.#batch === undefined) return this.#commit([length], write);
    this.#batch.push({ length, write });
    return Promise.resolve(true);
  }

  /** Rejects with nothing written if there is no room. Throws the error of `work`, and makes the writes before it. */
  batch(work: () => void, commit: (writes: () => void) => Promise<boolean>): Promise<boolean> {
    if (this.#batch !== undefined) {
      work();
      return Promise.resolve(true);
    }
    const writes: { readonly length: number; readonly write: Commit }[] = [];
    this.#batch = writes;
    let done: Promise<boolean> | undefined;
    try {
      work();
    } finally {
      this.#batch = undefined;
      done = this.#commit(
        writes.map(({ length }) => length),
        () => commit(() => writes.forEach(({ write }) => void write())),
      );
      done.catch(() => undefined);
    }
    return done;
  }

  /** Takes the space that the writes under way and a small commit need. @throws {StoreNotWritten} */
  make(): void {
    const path = dataFile(this.#directory);
    this.#used = this.#usedNow();
    this.#spare = statSync(path).size - this.#used;
    const missing = this.#needed() - this.#spare;
    if (missing <= 0) return;
    const bytes = Math.ceil(missing / STEP) * STEP;
    const { bavail, bsize } = statfsSync(this.#directory);
    const free = bavail * bsize;
    if (free < bytes + KEPT_FREE)
      throw new StoreNotWritten(this.#directory, new Error(`it needs ${bytes + KEPT_FREE} bytes, ${free} are free`));
    try {
      append(path, bytes);
    } catch (error) {
      throw new StoreNotWritten(this.#directory, error instanceof Error ? error : new Error(String(error)));
    }
    this.#spare += bytes;
  }

  #commit(lengths: readonly number[], commit: Commit): Promise<boolean> {
    const [copied, added] = [this.#copied, this.#added];
    try {
      for (const length of lengths) this.#take(length);
    } catch (error) {
      this.#settle(copied, added);
      return Promise.reject(error);
    }
    const promise = commit();
    if (this.#depth > 0) return promise;
    const [own, theirs] = [this.#copied - copied, this.#added - added];
    const settle = () => this.#settle(this.#copied - own, this.#added - theirs);
    promise.then(settle, settle);
    return promise;
  }

  #take(length: number): void {
    this.#copied += PAGE;
    // A long value has pages of its own; short ones may leave the halves of a page that was split.
    this.#added += length > PAGE / 2 ? length + PAGE : 2 * length;
    if (this.#needed() > this.#spare) this.make();
  }

  /** Back to these writes under way: the others may have used their share. */
  #settle(copied: number, added: number): void {
    this.#spare -= Math.min(this.#copied - copied, this.#used) + this.#added - added;
    this.#copied = copied;
    this.#added = added;
  }

  /** One transaction copies each page once at most. */
  #needed(): number {
    return Math.min(this.#copied, this.#used) + this.#added + BESIDES;
  }
}

/** Zeros at the end of the file, wherever that is by then: a thread of the library may be writing to it. */
function append(path: string, bytes: number): void {
  const file = openSync(path, 'a');
  try {
    const zeros = new Uint8Array(STEP);
    for (let left = bytes; left > 0; ) left -= writeSync(file, zeros, 0, Math.min(left, zeros.length));
  } finally {
    closeSync(file);
  }
}
