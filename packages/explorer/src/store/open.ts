import { InvalidConfig, type Logger, type WallClock } from '@switchyard/service';
import type { ExplorerConfig } from '../config.ts';
import { EmbeddedStore } from './embedded.ts';
import { PostgresStore } from './postgres.ts';
import type { IndexStore } from './store.ts';

interface OpenDeps {
  readonly log: Logger;
  readonly wall: WallClock;
  readonly signal: AbortSignal;
}

/** The store that the settings name. @throws {InvalidConfig} */
export async function openStore(
  { dbUrl, dbFilepath }: Pick<ExplorerConfig, 'dbUrl' | 'dbFilepath'>,
  { log, wall, signal }: OpenDeps,
): Promise<IndexStore> {
  const url = dbUrl?.reveal();
  if (url === undefined) return new EmbeddedStore({ directory: dbFilepath, log, wall });
  if (!URL.canParse(url) || !/^postgres(ql)?:$/.test(new URL(url).protocol)) {
    const expected = 'postgres://user:password@host:port/database';
    throw new InvalidConfig([
      { variable: 'SVC_EXPLORER_DB_URL', expected, got: 'something else', advice: 'correct it, or leave it out' },
    ]);
  }
  return PostgresStore.open({ url, log, signal });
}
