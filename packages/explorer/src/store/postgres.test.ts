import { silentLogger } from '@switchyard/service';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { findPostgres, type Postgres, startPostgres } from '../testing/postgres.ts';
import { storeContract } from './contract.suite.ts';
import { PostgresStore } from './postgres.ts';
import { insert } from './statements.ts';

const programs = findPostgres();

describe.runIf(programs !== undefined)('in Postgres', () => {
  let server: Postgres;
  let database = 0;
  const signal = new AbortController().signal;
  const open = (url: string) => PostgresStore.open({ url, log: silentLogger, signal });

  beforeAll(async () => {
    server = await startPostgres(programs ?? '');
  }, 60_000);
  afterAll(() => server?.stop());

  storeContract(async (which) => {
    if (which === 'empty') await server.create(`index_${++database}`);
    return open(server.url(`index_${database}`));
  });

  test('opens while another writes, and does not wait for its batch', { timeout: 60_000 }, async () => {
    await server.create('busy');
    const first = await open(server.url('busy'));
    const writer = new pg.Client({ connectionString: server.url('busy') });
    await writer.connect();
    await writer.query("BEGIN; INSERT INTO block_rollups VALUES ('aa', 1, 2, 3, 4)");
    const second = await open(server.url('busy'));
    await writer.query('COMMIT');
    expect(await second.read('SELECT bytes FROM block_rollups')).toEqual([{ bytes: 3 }]);
    await Promise.all([writer.end(), first.close(), second.close()]);
  });

  test('batches that the server takes back to end a deadlock are written in the end', { timeout: 60_000 }, async () => {
    await server.create('deadlock');
    const stores = [await open(server.url('deadlock')), await open(server.url('deadlock'))];
    const update = (name: string) => ({ sql: 'UPDATE cursors SET height = height + 1 WHERE name = ?', params: [name] });
    const names = ['a', 'b'];
    await stores[0]?.write(
      insert(
        'cursors',
        ['name', 'height', 'hash'],
        names.map((name) => [name, 0, '']),
      ),
    );
    // Each has its first row before either asks for its second.
    const pause = { sql: 'SELECT pg_sleep(0.2)', params: [] };
    await Promise.all(
      stores.map((store, at) => {
        const [one = '', other = ''] = at === 0 ? names : [...names].reverse();
        return store.write([update(one), pause, update(other)]);
      }),
    );
    expect(await stores[0]?.read('SELECT name, height FROM cursors ORDER BY name')).toEqual([
      { name: 'a', height: 2 },
      { name: 'b', height: 2 },
    ]);
    await Promise.all(stores.map((store) => store.close()));
  });

  test('a database that is not there is named, without the password', async () => {
    await expect(open(server.url('nowhere', 'hunter2'))).rejects.toThrow(
      /SVC_EXPLORER_DB_URL.*nowhere.*does not exist/,
    );
    await expect(open(server.url('nowhere', 'hunter2'))).rejects.not.toThrow(/hunter2/);
  });
});

test.skipIf(programs !== undefined)('no Postgres is installed here, so the store in it is not tested', (context) => {
  context.skip();
});
