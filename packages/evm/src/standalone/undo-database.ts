import type { Database, Table } from '../database.ts';

interface Step {
  readonly table: Table;
  readonly key: Uint8Array;
  /** Undefined where there was no row. */
  readonly before: Uint8Array | undefined;
}

/**
 * A database that can go back to an earlier moment of this process. What every write replaced is kept in memory, so this
 * is for chains of tests only.
 */
export class UndoDatabase implements Database {
  readonly #base: Database;
  readonly #steps: Step[] = [];

  constructor(base: Database) {
    this.#base = base;
  }

  /** This moment, for `rollback`. */
  get moment(): number {
    return this.#steps.length;
  }

  /** Takes back all writes since a moment. What was read before and kept elsewhere may be wrong then. */
  rollback(moment: number): void {
    const undone = this.#steps.slice(moment).reverse();
    this.#base.write((writer) => {
      for (const { table, key, before } of undone) {
        if (before === undefined) writer.remove(table, key);
        else writer.put(table, key, before);
      }
    });
    this.#steps.length = moment;
  }

  table(name: string): Table {
    return this.#base.table(name);
  }

  write(work: Parameters<Database['write']>[0]): void {
    const steps: Step[] = [];
    const note = (table: Table, key: Uint8Array): void => {
      const before = table.get(key);
      steps.push({ table, key: Uint8Array.from(key), before: before && Uint8Array.from(before) });
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
    for (const step of steps) this.#steps.push(step);
  }

  size(): number {
    return this.#base.size();
  }

  close(): Promise<void> {
    return this.#base.close();
  }
}
