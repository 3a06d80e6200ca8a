import type { Database, DbWriter, RangeOptions, Row, Table } from '../database.ts';

/** A row that was written; undefined where it was removed. */
export type Change = readonly [table: string, key: Uint8Array, value: Uint8Array | undefined];

/** Rows for a copy of a database. */
export interface Replica {
  /** All that was not taken before: first every row, then the newest of those that were written since. */
  take(): readonly Change[];
  end(): void;
}

/** Opens a database in memory, for tests and for data that is not kept. */
export function openMemoryDatabase(): Database {
  return new MemoryDatabase();
}

export class MemoryDatabase implements Database {
  readonly #tables = new Map<string, MemoryTable>();
  readonly #replicas = new Set<Map<string, Change>>();
  #writing = false;

  table(name: string): Table {
    return this.#table(name);
  }

  write(work: (writer: DbWriter) => void): void {
    if (this.#writing) throw new Error('a write inside a write');
    this.#writing = true;
    const undo: (() => void)[] = [];
    const after: (() => void)[] = [];
    const changes: Change[] = [];
    const set = ({ name }: Table, key: Uint8Array, value: Uint8Array | undefined): void => {
      undo.push(this.#table(name).set(key, value));
      if (this.#replicas.size > 0) changes.push([name, Uint8Array.from(key), value]);
    };
    try {
      work({
        put: (table, key, value) => set(table, key, Uint8Array.from(value)),
        remove: (table, key) => set(table, key, undefined),
        afterCommit: (then) => after.push(then),
      });
    } catch (error) {
      for (const step of undo.reverse()) step();
      throw error;
    } finally {
      this.#writing = false;
    }
    for (const waiting of this.#replicas) noteAll(waiting, changes);
    for (const then of after) then();
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
    let bytes = 0;
    for (const table of this.#tables.values()) bytes += table.bytes;
    return bytes;
  }

  async close(): Promise<void> {}

  #table(name: string): MemoryTable {
    const table = this.#tables.get(name) ?? new MemoryTable(name);
    this.#tables.set(name, table);
    return table;
  }
}

function noteAll(waiting: Map<string, Change>, changes: readonly Change[]): void {
  for (const change of changes) waiting.set(`${change[0]} ${textOf(change[1])}`, change);
}

/** Keys as text of one character for each byte, which sorts as the bytes do. */
class MemoryTable implements Table {
  readonly name: string;
  bytes = 0;
  readonly #values = new Map<string, Uint8Array>();
  readonly #keys: string[] = [];

  constructor(name: string) {
    this.name = name;
  }

  get(key: Uint8Array): Uint8Array | undefined {
    const value = this.#values.get(textOf(key));
    return value && Uint8Array.from(value);
  }

  range({ from, to, reverse = false, limit = Number.POSITIVE_INFINITY }: RangeOptions = {}): Row[] {
    const first = from === undefined ? 0 : this.#position(textOf(from));
    const end = to === undefined ? this.#keys.length : this.#position(textOf(to));
    const count = Math.max(0, Math.min(limit, end - first));
    const keys = reverse ? this.#keys.slice(end - count, end).reverse() : this.#keys.slice(first, first + count);
    return keys.map((key) => this.#row(key)).filter((row) => row !== undefined);
  }

  atOrBefore(key: Uint8Array): Row | undefined {
    const text = textOf(key);
    const position = this.#position(text);
    return this.#row(this.#keys[position] === text ? text : this.#keys[position - 1]);
  }

  atOrAfter(key: Uint8Array): Row | undefined {
    return this.#row(this.#keys[this.#position(textOf(key))]);
  }

  /** @returns what undoes it. */
  set(key: Uint8Array, value: Uint8Array | undefined): () => void {
    const text = textOf(key);
    const before = this.#values.get(text);
    this.#set(text, value);
    return () => this.#set(text, before);
  }

  #set(key: string, value: Uint8Array | undefined): void {
    const before = this.#values.get(key);
    if (before !== undefined) this.bytes -= key.length + before.length;
    if (value !== undefined) this.bytes += key.length + value.length;
    if (value === undefined) {
      if (this.#values.delete(key)) this.#keys.splice(this.#position(key), 1);
      return;
    }
    this.#values.set(key, value);
    if (before === undefined) this.#keys.splice(this.#position(key), 0, key);
  }

  #row(key: string | undefined): Row | undefined {
    const value = key === undefined ? undefined : this.#values.get(key);
    return key === undefined || value === undefined
      ? undefined
      : [Uint8Array.from(Buffer.from(key, 'latin1')), Uint8Array.from(value)];
  }

  /** Position of the first key that is not below this one. */
  #position(key: string): number {
    let low = 0;
    let high = this.#keys.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#keys[middle] ?? '') < key) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

function textOf(key: Uint8Array): string {
  return Buffer.from(key.buffer, key.byteOffset, key.byteLength).toString('latin1');
}
