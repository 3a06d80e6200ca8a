import { existsSync } from 'node:fs';
import { InvalidConfig, type Logger, type WallClock } from '@switchyard/service';
import type { ExplorerConfig } from '../config.ts';
import { EmbeddedStore } from './embedded.ts';
import { PostgresStore } from './postgres.ts';
import { INDEX } from './schema.ts';
import type { IndexStore } from './store.ts';
import type { Schema } from './table.ts';

/** There is none if the sources run: this thread writes then. */
const WRITER = new URL('./writer-thread.js', import.meta.url);

interface OpenDeps {
  readonly log: Logger;
  readonly wall: WallClock;
  readonly signal: AbortSignal;
  /** The index, if absent. */
  readonly schema?: Schema;
}

/** The store that the settings name, with the tables of one schema. @throws {InvalidConfig} */
export async function openStore(
  { dbUrl, dbFilepath }: Pick<ExplorerConfig, 'dbUrl' | 'dbFilepath'>,
  { log, wall, signal, schema = INDEX }: OpenDeps,
): Promise<IndexStore> {
  const url = dbUrl?.reveal();
  const thread = existsSync(WRITER) ? { writerProgram: WRITER } : {};
  if (url === undefined) return new EmbeddedStore({ directory: dbFilepath, log, wall, schema, ...thread });
  if (!URL.canParse(url) || !/^postgres(ql)?:$/.test(new URL(url).protocol)) {
    const expected = 'postgres://user:password@host:port/database';
    throw new InvalidConfig({
      variable: 'SVC_EXPLORER_DB_URL',
      expected,
      got: 'something else',
      advice: 'correct it, or leave it out',
    });
  }
  return PostgresStore.open({ url, log, signal, schema });
}
