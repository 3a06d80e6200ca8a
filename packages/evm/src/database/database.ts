/** A row of a table: key and value. Both may be kept. */
export type Row = readonly [key: Uint8Array, value: Uint8Array];

export interface RangeOptions {
  /** Smallest key, itself included. */
  readonly from?: Uint8Array;
  /** Key before which it ends. */
  readonly to?: Uint8Array;
  /** From the greatest down. */
  readonly reverse?: boolean;
  readonly limit?: number;
}

/** Rows by key, ordered as unsigned bytes. Keys have 1 to 500 bytes. Values may be empty. */
export interface Table {
  readonly name: string;
  get(key: Uint8Array): Uint8Array | undefined;
  /** Collected before it returns: bound it with `limit` or bounds. */
  range(options?: RangeOptions): Row[];
  /** The row with the greatest key that is not above this one. */
  atOrBefore(key: Uint8Array): Row | undefined;
  /** The row with the smallest key that is not below this one. */
  atOrAfter(key: Uint8Array): Row | undefined;
}

/** Valid inside `write` only. Reads of tables see earlier writes. */
export interface DbWriter {
  put(table: Table, key: Uint8Array, value: Uint8Array): void;
  remove(table: Table, key: Uint8Array): void;
  /** Runs when everything is on disk, in the order of the calls; never when the write failed. */
  afterCommit(work: () => void): void;
}

/** A writer that reports each row before it changes it. @param value Undefined if the row is removed. */
export const reporting = (
  writer: DbWriter,
  report: (table: Table, key: Uint8Array, value: Uint8Array | undefined) => void,
): DbWriter => ({
  put(table, key, value) {
    report(table, key, value);
    writer.put(table, key, value);
  },
  remove(table, key) {
    report(table, key, undefined);
    writer.remove(table, key);
  },
  afterCommit: (work) => writer.afterCommit(work),
});

/** Named tables in one place, changed together. One process at a time. */
export interface Database {
  /** Makes it when it is not there. Always the same object for a name. Not inside `write`. */
  table(name: string): Table;
  /**
   * All or nothing, and on disk when it returns. Not nested.
   *
   * @throws errors of `work`, with nothing changed.
   */
  write(work: (writer: DbWriter) => void): void;
  /** Bytes on disk, or of keys and values in memory. */
  size(): number;
  close(): Promise<void>;
}
