/** Value of one column in one row. Heights and counts are far below 2^53; amounts are text. */
export type Value = string | number | null;

export type Row = Readonly<Record<string, Value>>;

/** SQL that SQLite and Postgres both understand, with `?` for each parameter. */
export interface Statement {
  readonly sql: string;
  readonly params: readonly Value[];
  /** How many rows it must change; with another number, nothing of the batch is kept. */
  readonly changes?: number;
}

/** Storage of the index. Its contents can always be made again from the chain. */
export interface IndexStore {
  /** For people: a path, or an address without its password. */
  readonly place: string;
  /**
   * Runs all statements, or none: a batch is on disk as a whole or not at all.
   *
   * @throws {Superseded} if a statement changed another number of rows than it must.
   * @throws {IndexLost} if the index was damaged; the store is empty from then on.
   */
  write(batch: readonly Statement[]): Promise<void>;
  /** Reads committed rows. @throws {IndexLost} */
  read(sql: string, params?: readonly Value[]): Promise<Row[]>;
  close(): Promise<void>;
}

/** Another process has advanced the index since it was last read. */
export class Superseded extends Error {
  override readonly name = 'Superseded';

  constructor(
    readonly sql: string,
    readonly expected: number,
    readonly got: number,
  ) {
    super(`expected to change ${expected} rows, changed ${got}: ${sql.slice(0, 100)}`);
  }
}

/** The index was damaged, was set aside, and is filled again. */
export class IndexLost extends Error {
  override readonly name = 'IndexLost';
}

/** Postgres keeps no NUL in text, and users decide about much of the text. */
export const storable = (value: Value): Value =>
  typeof value === 'string' && value.includes('\0') ? value.replaceAll('\0', '\ufffd') : value;
