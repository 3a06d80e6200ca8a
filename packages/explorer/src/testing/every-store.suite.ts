import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { silentLogger, wallClock } from '@switchyard/service';
import { afterAll, beforeAll, describe, test } from 'vitest';
import { EmbeddedStore } from '../store/embedded.ts';
import { PostgresStore } from '../store/postgres.ts';
import type { IndexStore } from '../store/store.ts';
import type { Schema } from '../store/table.ts';
import { findPostgres, type Postgres, startPostgres } from './postgres.ts';

/** Opens the store of this name; it is empty the first time. @param schema The index, if absent. */
export type OpenStore = (name: string, schema?: Schema) => Promise<IndexStore>;

/** Defines the tests of `suite` once for each kind of store, over Postgres if installed. */
export function everyStore(suite: (open: OpenStore) => void): void {
  describe('in a file', () => {
    let directory: string;
    beforeAll(() => {
      directory = mkdtempSync(join(tmpdir(), 'switchyard-index-'));
    });
    afterAll(() => rmSync(directory, { recursive: true }));
    suite(async (name, schema) => {
      const options = { directory: join(directory, name), log: silentLogger, wall: wallClock };
      return new EmbeddedStore({ ...options, ...(schema !== undefined && { schema }) });
    });
  });

  const programs = findPostgres();
  if (programs === undefined) {
    test('no Postgres is installed here, so the store in it is not tested', (context) => context.skip());
    return;
  }
  describe('in Postgres', () => {
    const known = new Set<string>();
    const { signal } = new AbortController();
    let server: Postgres;
    beforeAll(async () => {
      server = await startPostgres(programs);
    }, 60_000);
    afterAll(() => server?.stop());
    suite(async (name, schema) => {
      if (!known.has(name)) await server.create(name);
      known.add(name);
      const options = { url: server.url(name), log: silentLogger, signal };
      return PostgresStore.open({ ...options, ...(schema !== undefined && { schema }) });
    });
  });
}
