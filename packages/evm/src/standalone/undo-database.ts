import type { Database, Table } from '../database.ts';

/** Old values of rows, by keys as text of one character for each byte; undefined where there was no row. */
type Replaced = Map<Table, Map<string, Uint8Array | undefined>>;

/**
 * A database that can go back to earlier moments of this process. What was first replaced after each of them is kept in
 * memory, so this is for chains of tests only.
 */
export class UndoDatabase implements Database {
  readonly #base: Database;
  /** Since the beginning, and since each moment that was marked. */
  readonly #replaced: Replaced[] = [new Map()];

  constructor(base: Database) {
    this.#base = base;
  }

  /** @returns this moment, for `rollback`. */
  mark(): number {
    if (this.#replaced.at(-1)?.size !== 0) this.#replaced.push(new Map());
    return this.#replaced.length - 1;
  }

  /** Takes back all writes since a moment. What was read before and kept elsewhere may be wrong then. */
  rollback(moment: number): void {
    const undone = this.#replaced.slice(moment).reverse();
    this.#base.write((writer) => {
      for (const replaced of undone) {
        for (const [table, rows] of replaced) {
          for (const [text, before] of rows) {
            const key = Uint8Array.from(Buffer.from(text, 'latin1'));
            if (before === undefined) writer.remove(table, key);
            else writer.put(table, key, before);
          }
        }
      }
    });
    this.#replaced.length = moment;
    this.#replaced.push(new Map());
  }

  table(name: string): Table {
    return this.#base.table(name);
  }

  write(work: Parameters<Database['write']>[0]): void {
    const known = this.#replaced.at(-1) ?? new Map();
    const found: Replaced = new Map();
    const note = (table: Table, key: Uint8Array): void => {
      const text = Buffer.from(key.buffer, key.byteOffset, key.length).toString('latin1');
      if (known.get(table)?.has(text)) return;
      const rows = rowsOf(found, table);
      if (rows.has(text)) return;
      const before = table.get(key);
      rows.set(text, before && Uint8Array.from(before));
    };
    this.#base.write((writer) =>
      work({
        put(table, key, value) {
          note(table, key);
          writer.put(table, key, value);
        },
        remove(table, key) {
          note(table, key);
          writer.remove(table, key);
        },
        afterCommit: (then) => writer.afterCommit(then),
      }),
    );
    for (const [table, rows] of found) for (const [text, before] of rows) rowsOf(known, table).set(text, before);
  }

  size(): number {
    return this.#base.size();
  }

  close(): Promise<void> {
    return this.#base.close();
  }
}

function rowsOf(replaced: Replaced, table: Table): Map<string, Uint8Array | undefined> {
  const rows = replaced.get(table) ?? new Map<string, Uint8Array | undefined>();
  replaced.set(table, rows);
  return rows;
}
