import { type Database, type DbWriter, reporting, type Table } from '../database/database.ts';

/** A row that was written; undefined if it was removed. */
export type Change = readonly [table: string, key: Uint8Array, value: Uint8Array | undefined];

/** Rows for a copy of a database. */
interface Replica {
  /** All that was not taken before: first every row, then the newest of the rows written since. */
  take(): readonly Change[];
  end(): void;
}

/** A database that other threads cannot open, and have copies of. */
export class ReplicatedDatabase implements Database {
  readonly #base: Database;
  readonly #tables = new Map<string, Table>();
  readonly #replicas = new Set<Map<string, Change>>();

  constructor(base: Database) {
    this.#base = base;
  }

  table(name: string): Table {
    const table = this.#base.table(name);
    this.#tables.set(name, table);
    return table;
  }

  write(work: (writer: DbWriter) => void): void {
    const changes: Change[] = [];
    const note = ({ name }: Table, key: Uint8Array, value: Uint8Array | undefined): void => {
      if (this.#replicas.size > 0) changes.push([name, Uint8Array.from(key), value && Uint8Array.from(value)]);
    };
    this.#base.write((writer) => {
      writer.afterCommit(() => {
        for (const waiting of this.#replicas) noteAll(waiting, changes);
      });
      work(reporting(writer, note));
    });
  }

  replica(): Replica {
    const waiting = new Map<string, Change>();
    for (const [name, table] of this.#tables)
      noteAll(
        waiting,
        table.range().map(([key, value]) => [name, key, value]),
      );
    this.#replicas.add(waiting);
    return {
      take() {
        const changes = [...waiting.values()];
        waiting.clear();
        return changes;
      },
      end: () => void this.#replicas.delete(waiting),
    };
  }

  size(): number {
    return this.#base.size();
  }

  close(): Promise<void> {
    return this.#base.close();
  }
}

function noteAll(waiting: Map<string, Change>, changes: readonly Change[]): void {
  for (const change of changes) waiting.set(`${change[0]} ${Buffer.from(change[1]).toString('latin1')}`, change);
}
