import { errorLine, InvalidConfig, type Logger, repeatedWarnings, retry, TransportFailure } from '@switchyard/service';
import pg from 'pg';
import { INDEX } from './schema.ts';
import { type IndexStore, type Row, type Statement, Superseded, storable, type Value } from './store.ts';
import { adoptTables, createTables, formatQuery, type Schema } from './table.ts';

export interface PostgresOptions {
  /** The index, if absent. */
  readonly schema?: Schema;
  /** With user and password. */
  readonly url: string;
  readonly log: Logger;
  readonly signal: AbortSignal;
}

const CONNECTIONS = 8;
const CONNECT_WITHIN_MS = 5_000;
/** Also for a page of the API, which reads a few hundred rows by an index. */
const STATEMENT_WITHIN_MS = 30_000;
const INT8 = 20;
/** Any number, as long as all explorers take the same. */
const SCHEMA_LOCK = 6_118_713;
/** Classes of SQLSTATE: the connection, the server's own state, its resources. */
const AWAY = /^(08|57|53)/;
/** Deadlocks and conflicts between transactions. */
const TAKEN_BACK = /^40/;
/** Attempts at a transaction that the server takes back: each time another one has gone through. */
const MAX_ATTEMPTS = 20;

/** An index in a Postgres database, which several explorers may share: one of them writes each block. */
export class PostgresStore implements IndexStore {
  readonly place: string;
  readonly #pool: pg.Pool;
  readonly #schema: Schema;

  private constructor({ url, log, schema = INDEX }: PostgresOptions) {
    this.#schema = schema;
    this.place = withoutPassword(url);
    this.#pool = new pg.Pool({
      connectionString: url,
      max: CONNECTIONS,
      connectionTimeoutMillis: CONNECT_WITHIN_MS,
      statement_timeout: STATEMENT_WITHIN_MS,
      types: { getTypeParser: typeParser },
    });
    // Idle connections end when the server does; the next query makes another.
    this.#pool.on('error', (error) => log.debug({ error: errorLine(error) }, 'a connection to Postgres was lost'));
  }

  /** Waits for the server. @throws {InvalidConfig} if it refuses the user or has no such database. */
  static async open(options: PostgresOptions): Promise<PostgresStore> {
    const store = new PostgresStore(options);
    const { log, signal } = options;
    const sentence = 'Postgres does not answer, trying again';
    const unanswered = repeatedWarnings(log, { one: sentence, several: sentence });
    try {
      await retry(() => store.#prepare(), {
        signal,
        retryIf: (error) => error instanceof TransportFailure,
        onRetry: (error) => unanswered.add('no-answer', undefined, { postgres: store.place, error: errorLine(error) }),
      });
      return store;
    } catch (error) {
      await store.close();
      if (!(error instanceof pg.DatabaseError)) throw error;
      const got = `${store.place}: ${error.message}`;
      const expected = 'a Postgres database that this user may change';
      throw new InvalidConfig({ variable: 'SVC_EXPLORER_DB_URL', expected, got, advice: 'correct it' });
    }
  }

  async write(batch: readonly Statement[]): Promise<void> {
    await this.#transaction(async (client) => {
      for (const { sql, params, changes } of batch) {
        const { rowCount } = await client.query(numbered(sql), params.map(storable));
        if (changes !== undefined && rowCount !== changes) throw new Superseded(sql, changes, rowCount ?? 0);
      }
    });
  }

  async read(sql: string, params: readonly Value[] = []): Promise<Row[]> {
    return this.#with(async (client) => (await client.query<Row>(numbered(sql), params.map(storable))).rows);
  }

  async close(): Promise<void> {
    if (!this.#pool.ending) await this.#pool.end();
  }

  async #prepare(): Promise<void> {
    const schema = this.#schema;
    await this.#transaction(async (client) => {
      // Several may start at once.
      await client.query('SELECT pg_advisory_xact_lock($1)', [SCHEMA_LOCK]);
      const { rows: found } = await client.query<Row>('SELECT to_regclass($1) AS table', [schema.formatTable]);
      const format = async () => (await client.query<Row>(formatQuery(schema))).rows[0]?.value;
      // Creating an existing table would wait for writers, and make them wait.
      if (found[0]?.table !== null && (await format()) === schema.format) return;
      for (const sql of createTables(schema)) await client.query(sql);
      for (const { sql, params } of adoptTables(schema, await format()))
        await client.query(numbered(sql), params.map(storable));
    });
  }

  /** Done wholly or not at all; repeated if the server took it back to end a deadlock. */
  async #transaction(work: (client: pg.PoolClient) => Promise<void>): Promise<void> {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await this.#with(async (client) => {
          await client.query('BEGIN');
          try {
            await work(client);
            await client.query('COMMIT');
          } catch (error) {
            await client.query('ROLLBACK').catch(() => undefined);
            throw error;
          }
        });
      } catch (error) {
        if (attempt === MAX_ATTEMPTS || !isTakenBack(error)) throw error;
      }
    }
  }

  async #with<T>(work: (client: pg.PoolClient) => Promise<T>): Promise<T> {
    const client = await this.#pool.connect().catch((error: unknown) => Promise.reject(translated(error)));
    let broken: Error | undefined;
    try {
      return await work(client);
    } catch (error) {
      // The state of the connection is not known after other errors.
      if (!(error instanceof Superseded)) broken = error instanceof Error ? error : new Error(String(error));
      throw translated(error);
    } finally {
      client.release(broken);
    }
  }
}

const isTakenBack = (error: unknown) => error instanceof pg.DatabaseError && TAKEN_BACK.test(error.code ?? '');

/** The driver reports a lost connection as a plain error, and refusals of the server with a code. */
function translated(error: unknown): unknown {
  // Our own errors, of a server that answers.
  if (error instanceof Superseded || error instanceof InvalidConfig) return error;
  if (error instanceof pg.DatabaseError && !AWAY.test(error.code ?? '')) return error;
  return new TransportFailure('Postgres does not answer', { cause: error });
}

/** 64-bit integers as numbers: none of ours reaches 2^53. */
const typeParser: pg.CustomTypesConfig['getTypeParser'] = ((oid: number, format?: 'text') =>
  oid === INT8 ? Number : pg.types.getTypeParser(oid, format)) as pg.CustomTypesConfig['getTypeParser'];

/** `$1`, `$2` for each `?`. No text in our statements has one. */
function numbered(sql: string): string {
  let count = 0;
  return sql.replace(/\?/g, () => `$${++count}`);
}

function withoutPassword(url: string): string {
  const { host, pathname } = new URL(url);
  return `postgres://${host}${pathname}`;
}
