import { type Database, type DbWriter, reporting, type Table } from '../database/database.ts';

/** Old values of rows, by keys as text of one character for each byte; undefined if there was no row. */
type Replaced = Map<Table, Map<string, Uint8Array | undefined>>;

/**
 * A database that can go back to earlier moments of this process. The first replaced values after each of them are kept in
 * memory, so this is for chains of tests only.
 */
export class UndoDatabase implements Database {
  readonly #base: Database;
  /** Since the beginning, and since each moment that was marked and not forgotten. */
  readonly #levels: { readonly moment: number; readonly replaced: Replaced }[] = [{ moment: 0, replaced: new Map() }];
  #lastMoment = 0;

  constructor(base: Database) {
    this.#base = base;
  }

  /** @returns this moment, for `rollback` and `rewind`. */
  mark(): number {
    const { moment, replaced } = this.#newest;
    if (replaced.size === 0) return moment;
    this.#lastMoment += 1;
    this.#levels.push({ moment: this.#lastMoment, replaced: new Map() });
    return this.#lastMoment;
  }

  /** Takes back all writes since a moment, and forgets the later ones. Values read before and kept elsewhere may be wrong then. */
  rollback(moment: number): void {
    const before = this.#valuesAt(moment);
    this.#base.write((writer) => putAll(writer, before));
    this.#levels.length = this.#indexOf(moment);
    this.#levels.push({ moment, replaced: new Map() });
  }

  /** Like `rollback`, but as one more write: all moments stay, also those between then and now. */
  rewind(moment: number): void {
    const before = this.#valuesAt(moment);
    this.write((writer) => putAll(writer, before));
  }

  /** Forgets the moments between two others, so that values are no longer kept for each of them. */
  forgetBetween(first: number, last: number): void {
    const from = this.#indexOf(first);
    const into = this.#levels[from]?.replaced ?? new Map();
    const forgotten = this.#levels.splice(from + 1, this.#indexOf(last) - from - 1);
    for (const { replaced } of forgotten) {
      for (const [table, rows] of replaced) {
        const older = findRows(into, table);
        for (const [text, before] of rows) if (!older.has(text)) older.set(text, before);
      }
    }
  }

  get #newest() {
    const newest = this.#levels.at(-1);
    if (newest === undefined) throw new Error('the first moment is never forgotten');
    return newest;
  }

  #indexOf(moment: number): number {
    const index = this.#levels.findIndex((level) => level.moment === moment);
    if (index === -1) throw new Error(`moment ${moment} is forgotten`);
    return index;
  }

  /** Values that rows had then, for rows written since. */
  #valuesAt(moment: number): Replaced {
    const values: Replaced = new Map();
    for (const { replaced } of this.#levels.slice(this.#indexOf(moment)).reverse())
      for (const [table, rows] of replaced)
        for (const [text, before] of rows) findRows(values, table).set(text, before);
    return values;
  }

  table(name: string): Table {
    return this.#base.table(name);
  }

  write(work: Parameters<Database['write']>[0]): void {
    const known = this.#newest.replaced;
    const found: Replaced = new Map();
    const note = (table: Table, key: Uint8Array): void => {
      const text = Buffer.from(key.buffer, key.byteOffset, key.length).toString('latin1');
      if (known.get(table)?.has(text)) return;
      const rows = findRows(found, table);
      if (rows.has(text)) return;
      const before = table.get(key);
      rows.set(text, before && Uint8Array.from(before));
    };
    this.#base.write((writer) => work(reporting(writer, note)));
    for (const [table, rows] of found) for (const [text, before] of rows) findRows(known, table).set(text, before);
  }

  size(): number {
    return this.#base.size();
  }

  close(): Promise<void> {
    return this.#base.close();
  }
}

function putAll(writer: DbWriter, values: Replaced): void {
  for (const [table, rows] of values) {
    for (const [text, value] of rows) {
      const key = Uint8Array.from(Buffer.from(text, 'latin1'));
      if (value === undefined) writer.remove(table, key);
      else writer.put(table, key, value);
    }
  }
}

function findRows(replaced: Replaced, table: Table): Map<string, Uint8Array | undefined> {
  const rows = replaced.get(table) ?? new Map<string, Uint8Array | undefined>();
  replaced.set(table, rows);
  return rows;
}
