import { closeSync, existsSync, mkdirSync, openSync, readSync, renameSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { errorLine, type Logger, type WallClock } from '@switchyard/service';
import Database from 'libsql';
import { createTables, dropTables, FORMAT } from './schema.ts';
import { IndexLost, type IndexStore, type Row, type Statement, Superseded, storable, type Value } from './store.ts';

export interface EmbeddedOptions {
  /** Made if it does not exist. */
  readonly directory: string;
  readonly log: Logger;
  readonly wall: WallClock;
}

const FILE = 'index.db';
/** Codes of SQLite for a file that is no index or not a whole one. */
const DAMAGED: readonly unknown[] = [
  'SQLITE_CORRUPT',
  'SQLITE_NOTADB',
  'SQLITE_CORRUPT_INDEX',
  'SQLITE_IOERR_SHORT_READ',
];
const HEADER_BYTES = 100;
/** Prepared statements that are kept; there are fewer kinds. */
const MAX_PREPARED = 256;

/** An index in one file. What is damaged is set aside, and the store begins again empty. */
export class EmbeddedStore implements IndexStore {
  readonly place: string;
  readonly #options: EmbeddedOptions;
  #open: Connections | undefined;

  constructor(options: EmbeddedOptions) {
    this.#options = options;
    this.place = join(options.directory, FILE);
    mkdirSync(options.directory, { recursive: true, mode: 0o700 });
    try {
      this.#open = connect(this.place);
    } catch (error) {
      if (!isDamage(error)) throw error;
      this.#setAside(error);
    }
  }

  async write(batch: readonly Statement[]): Promise<void> {
    this.#guarded(({ writer }) => writer.transaction(batch));
  }

  async read(sql: string, params: readonly Value[] = []): Promise<Row[]> {
    return this.#guarded(({ reader }) => reader.all(sql, params));
  }

  async close(): Promise<void> {
    this.#open?.close();
    this.#open = undefined;
  }

  #guarded<T>(work: (open: Connections) => T): T {
    if (this.#open === undefined) throw new Error(`the index ${this.place} is closed`);
    try {
      return work(this.#open);
    } catch (error) {
      if (!isDamage(error)) throw error;
      this.#setAside(error);
      throw new IndexLost(`${this.place} is damaged: ${errorLine(error)}`, { cause: error });
    }
  }

  #setAside(error: unknown): void {
    this.#open?.close();
    this.#open = undefined;
    const { log, wall } = this.#options;
    const aside = `${this.place}.damaged-${wall.unixMs()}`;
    for (const end of ['', '-wal', '-shm']) {
      if (existsSync(`${this.place}${end}`)) renameSync(`${this.place}${end}`, `${aside}${end}`);
    }
    log.error({ path: this.place, aside, error: errorLine(error) }, 'the index is damaged, filling a new one');
    this.#open = connect(this.place);
  }
}

interface Connections {
  readonly writer: Connection;
  /** Another one, which sees whole batches only. */
  readonly reader: Connection;
  close(): void;
}

function connect(path: string): Connections {
  mustBeWhole(path);
  const writer = new Connection(path);
  try {
    prepareTables(writer);
    const reader = new Connection(path);
    return {
      writer,
      reader,
      close() {
        reader.close();
        writer.checkpoint();
        writer.close();
      },
    };
  } catch (error) {
    writer.close();
    throw error;
  }
}

/** SQLite notices a file that was cut only when it reads a page that is gone, which may be much later. */
function mustBeWhole(path: string): void {
  // Pages that only the write-ahead log has are not in the file yet.
  if (!existsSync(path) || (existsSync(`${path}-wal`) && statSync(`${path}-wal`).size > 0)) return;
  const { size } = statSync(path);
  if (size === 0) return;
  const expected = size < HEADER_BYTES ? HEADER_BYTES : sizeInHeader(path);
  if (size >= expected) return;
  const message = `expected at least ${expected} bytes, got ${size}`;
  throw Object.assign(new Error(message), { code: 'SQLITE_CORRUPT' });
}

/** @see https://www.sqlite.org/fileformat.html, section 1.3 */
function sizeInHeader(path: string): number {
  const header = Buffer.alloc(HEADER_BYTES);
  const file = openSync(path, 'r');
  try {
    readSync(file, header, 0, HEADER_BYTES, 0);
  } finally {
    closeSync(file);
  }
  const pageSize = header.readUInt16BE(16);
  return (pageSize === 1 ? 65_536 : pageSize) * header.readUInt32BE(28);
}

function prepareTables(writer: Connection): void {
  writer.exec('PRAGMA journal_mode = WAL');
  // A batch may be lost with the machine's power, and is then made again; the file stays whole.
  writer.exec('PRAGMA synchronous = NORMAL');
  writer.exec('PRAGMA cache_size = -16000');
  const create = createTables(' WITHOUT ROWID');
  const statements = (list: readonly string[]) => list.map((sql) => ({ sql, params: [] }));
  writer.transaction(statements(create));
  const [found] = writer.all("SELECT value FROM meta WHERE key = 'format'", []);
  if (found?.value === FORMAT) return;
  // A new one, or one of another version.
  writer.transaction([
    ...statements([...dropTables(), ...create]),
    { sql: "INSERT INTO meta (key, value) VALUES ('format', ?)", params: [FORMAT] },
  ]);
}

class Connection {
  readonly #database: Database.Database;
  readonly #prepared = new Map<string, Database.Statement>();

  constructor(path: string) {
    this.#database = new Database(path);
    this.#database.exec('PRAGMA busy_timeout = 5000');
  }

  exec(sql: string): void {
    this.#database.exec(sql);
  }

  all(sql: string, params: readonly Value[]): Row[] {
    return this.#statement(sql).all(params.map(storable)) as Row[];
  }

  transaction(batch: readonly Statement[]): void {
    this.#database.exec('BEGIN IMMEDIATE');
    try {
      for (const { sql, params, changes } of batch) {
        const changed = this.#statement(sql).run(params.map(storable)).changes;
        if (changes !== undefined && changed !== changes) throw new Superseded(sql, changes, changed);
      }
      this.#database.exec('COMMIT');
    } catch (error) {
      if (this.#database.inTransaction) this.#database.exec('ROLLBACK');
      throw error;
    }
  }

  /** Moves what the write-ahead log has into the file. */
  checkpoint(): void {
    try {
      this.#database.exec('PRAGMA wal_checkpoint(TRUNCATE)');
    } catch {
      // Of a damaged file, which is closed to be set aside, or one that another process reads.
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

function isDamage(error: unknown): boolean {
  return error instanceof Error && 'code' in error && DAMAGED.includes(error.code);
}
