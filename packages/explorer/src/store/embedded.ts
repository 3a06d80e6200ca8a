import { closeSync, existsSync, mkdirSync, openSync, readSync, renameSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { errorLine, type Logger, type WallClock } from '@switchyard/service';
import { atOnce, Connection, connectToWrite } from './connection.ts';
import { INDEX } from './schema.ts';
import { statistics } from './statistics.ts';
import { IndexLost, type IndexStore, type Row, type Statement, type Value } from './store.ts';
import { adoptTables, createTables, formatQuery, type Schema } from './table.ts';
import { type Writer, writerHere, writerInThread } from './writer.ts';

export interface EmbeddedOptions {
  /** The index, if absent. */
  readonly schema?: Schema;
  /** Made if it does not exist. */
  readonly directory: string;
  /** Program of the thread that writes, compiled; without it, this thread writes. */
  readonly writerProgram?: URL;
  readonly log: Logger;
  readonly wall: WallClock;
}

/** Codes of SQLite for a file that is no index or not a whole one. */
const DAMAGED: readonly unknown[] = [
  'SQLITE_CORRUPT',
  'SQLITE_NOTADB',
  'SQLITE_CORRUPT_INDEX',
  'SQLITE_IOERR_SHORT_READ',
];
const HEADER_BYTES = 100;

/** Tables in one file. A damaged file is set aside, and the store begins again empty. */
export class EmbeddedStore implements IndexStore {
  readonly place: string;
  readonly #options: EmbeddedOptions;
  readonly #schema: Schema;
  #open: Connections | undefined;
  #writing: Promise<void> = Promise.resolve();

  constructor(options: EmbeddedOptions) {
    this.#options = options;
    this.#schema = options.schema ?? INDEX;
    this.place = join(options.directory, this.#schema.file);
    mkdirSync(options.directory, { recursive: true, mode: 0o700 });
    try {
      this.#open = connect(this.place, this.#schema, options.writerProgram);
    } catch (error) {
      if (!isDamage(error)) throw error;
      this.#setAside(error);
    }
  }

  /** One after the other. Requests are answered while a long batch is written: they read the state before it. */
  write(batch: readonly Statement[]): Promise<void> {
    const written = this.#writing.then(() => this.#write(batch));
    this.#writing = written.catch(() => undefined);
    return written;
  }

  async read(sql: string, params: readonly Value[] = []): Promise<Row[]> {
    const { reader } = this.#mustBeOpen();
    try {
      return reader.all(sql, params);
    } catch (error) {
      throw this.#lostIfDamaged(error);
    }
  }

  async close(): Promise<void> {
    await this.#writing;
    await this.#open?.close();
    this.#open = undefined;
  }

  async #write(batch: readonly Statement[]): Promise<void> {
    const open = this.#mustBeOpen();
    // A read may find damage first; then a batch that is under way ends up in the file that is set aside.
    const lost = (cause?: unknown) => new IndexLost(`${this.place} was damaged`, { cause });
    try {
      await open.writer.write(batch);
    } catch (error) {
      throw this.#open === open ? this.#lostIfDamaged(error) : lost(error);
    }
    if (this.#open !== open) throw lost();
  }

  #mustBeOpen(): Connections {
    if (this.#open === undefined) throw new Error(`${this.place} is closed`);
    return this.#open;
  }

  #lostIfDamaged(error: unknown): unknown {
    if (!isDamage(error)) return error;
    this.#setAside(error);
    return new IndexLost(`${this.place} is damaged: ${errorLine(error)}`, { cause: error });
  }

  #setAside(error: unknown): void {
    void this.#open?.close();
    this.#open = undefined;
    const { log, wall, writerProgram } = this.#options;
    const aside = `${this.place}.damaged-${wall.unixMs()}`;
    for (const end of ['', '-wal', '-shm']) {
      if (existsSync(`${this.place}${end}`)) renameSync(`${this.place}${end}`, `${aside}${end}`);
    }
    log.error({ path: this.place, aside, error: errorLine(error) }, this.#schema.whenDamaged);
    this.#open = connect(this.place, this.#schema, writerProgram);
  }
}

/** Readers and the writer have connections of their own: reads see whole batches. */
interface Connections {
  readonly writer: Writer;
  readonly reader: Connection;
  close(): Promise<void>;
}

function connect(path: string, schema: Schema, program: URL | undefined): Connections {
  mustBeWhole(path);
  const { isDerived } = schema;
  const preparing = connectToWrite(path, isDerived);
  try {
    prepareTables(preparing, schema);
    const reader = new Connection(path);
    const { ino: inode } = statSync(path, { bigint: true });
    const writer =
      program === undefined ? writerHere(path, isDerived) : writerInThread({ path, inode, isDerived }, program);
    return {
      writer,
      reader,
      async close() {
        reader.close();
        await writer.close();
      },
    };
  } finally {
    preparing.close();
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

function prepareTables(connection: Connection, schema: Schema): void {
  const suffix = ' WITHOUT ROWID';
  atOnce(connection.transaction(createTables(schema, suffix).map((sql) => ({ sql, params: [] }))));
  const [found] = connection.all(formatQuery(schema), []);
  const statements = adoptTables(schema, found?.value, suffix);
  if (statements.length > 0) atOnce(connection.transaction(statements));
  // The table of statistics is there once anything was analysed; other connections read it when they open.
  connection.exec(`ANALYZE ${schema.formatTable}`);
  atOnce(connection.transaction(statistics(schema)));
}

function isDamage(error: unknown): boolean {
  return error instanceof Error && 'code' in error && DAMAGED.includes(error.code);
}
