import Database from 'libsql';
import { type Row, type Statement, Superseded, storable, type Value } from './store.ts';

/** Prepared statements that are kept; there are fewer kinds. */
const MAX_PREPARED = 256;

/** A connection to a file of SQLite. It does everything at once, in the thread that asks. */
export class Connection {
  readonly #database: Database.Database;
  readonly #prepared = new Map<string, Database.Statement>();

  constructor(path: string) {
    this.#database = new Database(path);
    this.exec('PRAGMA busy_timeout = 5000');
  }

  exec(sql: string): void {
    this.#database.exec(sql);
  }

  all(sql: string, params: readonly Value[]): Row[] {
    return this.#statement(sql).all(params.map(storable)) as Row[];
  }

  /** Runs all statements or none, one with each step. */
  *transaction(batch: Iterable<Statement>): Generator<void> {
    this.#database.exec('BEGIN IMMEDIATE');
    try {
      for (const { sql, params, changes } of batch) {
        const changed = this.#statement(sql).run(params.map(storable)).changes;
        if (changes !== undefined && changed !== changes) throw new Superseded(sql, changes, changed);
        yield;
      }
      this.#database.exec('COMMIT');
    } catch (error) {
      if (this.#database.open && this.#database.inTransaction) this.#database.exec('ROLLBACK');
      throw error;
    }
  }

  /** Moves the write-ahead log into the file. */
  checkpoint(): void {
    try {
      this.#database.exec('PRAGMA wal_checkpoint(TRUNCATE)');
    } catch {
      // This fails for a damaged file, which is closed to be set aside, and for a file that another process reads.
    }
  }

  close(): void {
    this.#prepared.clear();
    this.#database.close();
  }

  #statement(sql: string): Database.Statement {
    const known = this.#prepared.get(sql);
    if (known !== undefined) return known;
    if (this.#prepared.size >= MAX_PREPARED) this.#prepared.clear();
    const statement = this.#database.prepare(sql);
    this.#prepared.set(sql, statement);
    return statement;
  }
}

/** @param isDerived Whether the contents can be made again. */
export function connectToWrite(path: string, isDerived: boolean): Connection {
  const connection = new Connection(path);
  try {
    connection.exec('PRAGMA journal_mode = WAL');
    // A batch of derived rows may be lost with the machine's power, and is then made again; the file stays whole.
    connection.exec(`PRAGMA synchronous = ${isDerived ? 'NORMAL' : 'FULL'}`);
    connection.exec('PRAGMA cache_size = -16000');
    return connection;
  } catch (error) {
    connection.close();
    throw error;
  }
}

/** Runs all steps without a pause. */
export function atOnce(steps: Generator<void>): void {
  while (steps.next().done !== true);
}
