import { silentLogger } from '@switchyard/service';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { findPostgres, type Postgres, startPostgres } from '../testing/postgres.ts';
import { storeContract } from './contract.suite.ts';
import { PostgresStore } from './postgres.ts';

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
