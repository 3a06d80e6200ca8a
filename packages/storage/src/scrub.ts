import { existsSync } from 'node:fs';
import { problemText, StoreDamaged } from './damaged.ts';
import { dataFile, findNewest, sealCheck } from './examine.ts';
import type { StoreKindName } from './kinds.ts';
import { readLabel } from './label.ts';
import { buildTree, tableName } from './pages/find.ts';
import type { Problem } from './pages/inspect.ts';
import { type Meta, PageDamage } from './pages/meta.ts';
import { type PageFile, readPages } from './pages/page-file.ts';
import { walkTree } from './pages/walk.ts';

/** Amount that one step of a scrubber has read. */
export interface ScrubStep {
  readonly bytes: number;
  readonly records: number;
  /** The last step of a pass over everything. The next step begins a new pass. */
  readonly done: boolean;
}

/** Something whose data can be read again, a part at a time. */
export interface ScrubSource {
  readonly directory: string;
  /** Reads about `maxBytes` more. Synchronous, so keep them few. @throws {StoreDamaged} */
  step(maxBytes: number): ScrubStep;
}

/** While others write, a page may be written again under the reader; then the part is read once more. */
const MAX_ATTEMPTS = 50;

/** Reads a store by its pages while its process writes to it: structure on the way, and checksums of all records. */
export class StoreScrub implements ScrubSource {
  readonly directory: string;
  readonly #kind: StoreKindName;
  /** Tables of this pass that are still to be read, the one under way first. */
  #tables: string[] = [''];
  #after: Buffer | undefined;

  constructor(directory: string, kind: StoreKindName) {
    this.directory = directory;
    this.#kind = kind;
  }

  step(maxBytes: number): ScrubStep {
    const path = dataFile(this.directory);
    // Its process has not opened it yet.
    if (!existsSync(path) && readLabel(this.directory) === undefined) return { bytes: 0, records: 0, done: true };
    try {
      return readPages(path, (file) => this.#settled(file, maxBytes));
    } catch (error) {
      if (error instanceof PageDamage) throw new StoreDamaged(this.directory, path, error.message);
      if (!(error instanceof Error && 'syscall' in error)) throw error;
      throw new StoreDamaged(this.directory, path, `the file of the ${this.#kind} cannot be read: ${String(error)}`);
    }
  }

  #settled(file: PageFile, maxBytes: number): ScrubStep {
    for (let attempt = 1; ; attempt += 1) {
      const transaction = findNewest(file);
      try {
        return this.#readPart(file, file.meta(), maxBytes);
      } catch (error) {
        if (!(error instanceof PageDamage) || attempt === MAX_ATTEMPTS || transaction === findNewest(file)) throw error;
      }
    }
  }

  #readPart(file: PageFile, meta: Meta, maxBytes: number): ScrubStep {
    const [table = ''] = this.#tables;
    const tree = buildTree(file, meta, table);
    let records = 0;
    const below: string[] = [];
    const walked =
      tree &&
      walkTree(file, meta, tree, {
        ...(this.#after && { after: this.#after }),
        maxBytes,
        onRecord(key, value) {
          records += 1;
          const what = sealCheck(table, key, value);
          const range: Problem['range'] = { after: key, before: key };
          if (what !== undefined) throw new PageDamage(problemText({ table, range, what }));
        },
        onTree: (name) => void below.push(tableName(name)),
      });
    // Nothing is kept of a part that could not be read to its end.
    this.#tables.push(...below);
    this.#after = walked?.last;
    if (this.#after === undefined) this.#tables.shift();
    const done = this.#tables.length === 0;
    if (done) this.#tables = [''];
    return { bytes: walked?.bytes ?? 0, records, done };
  }
}
