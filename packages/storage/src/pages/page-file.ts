import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { type Meta, newestMeta, PageDamage } from './meta.ts';

/** A data file read by its pages, without mapping it: damage in it can mislead nothing but this reader. */
export class PageFile {
  readonly path: string;
  readonly #fd: number;

  constructor(path: string) {
    this.path = path;
    this.#fd = openSync(path, 'r');
  }

  get size(): number {
    return fstatSync(this.#fd).size;
  }

  /** The newest version. @throws {PageDamage} */
  meta(): Meta {
    const meta = newestMeta((offset, length) => {
      const bytes = Buffer.allocUnsafe(length);
      return bytes.subarray(0, readSync(this.#fd, bytes, 0, length, offset));
    });
    const needed = 2 * meta.pageSize;
    if (meta.lastPage < 1 || this.size < needed) {
      throw new PageDamage(`the file has ${this.size} bytes and names as its last page ${meta.lastPage}`);
    }
    if (meta.mapSize % meta.pageSize !== 0 || meta.mapSize > 2 ** 46) {
      throw new PageDamage(`the meta page has a map of ${meta.mapSize} bytes`);
    }
    return meta;
  }

  /** Fills `into` from the beginning of a page. @throws {PageDamage} when the file ends before. */
  read(page: number, pageSize: number, into: Buffer): void {
    if (readSync(this.#fd, into, 0, into.length, page * pageSize) === into.length) return;
    throw new PageDamage(`the file ends at byte ${this.size}, in or before page ${page}`);
  }

  close(): void {
    closeSync(this.#fd);
  }
}

/** Reads a data file as long as `work` takes. */
export function readPages<T>(path: string, work: (file: PageFile) => T): T {
  const file = new PageFile(path);
  try {
    return work(file);
  } finally {
    file.close();
  }
}
