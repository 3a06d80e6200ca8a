import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type ExecutorFixture, executorSuite } from '@switchyard/rollup/executor-suite';
import type { Database } from '../database/database.ts';
import { openDatabase } from '../database/lmdb.ts';
import { openMemoryDatabase } from '../database/memory.ts';
import { DEV_ACCOUNTS } from '../genesis/development-accounts.ts';
import { TestAccount, testChain, testInput } from '../testing.ts';

const [rich = { address: '0x', privateKey: '0x' }] = DEV_ACCOUNTS;

/** One of the transfers applies on any parent that the suite makes: their nonces are those of its blocks in a row. */
function input(number: number) {
  const account = new TestAccount(rich, { chainId: 1337n });
  const transfers = [0n, 1n, 2n, 3n].map((nonce) => account.transfer(account.address, BigInt(number), { nonce }));
  const entries = transfers.map((data) => ({ kind: 'sequencedData' as const, data }));
  const timestamp = { seconds: BigInt(1_700_000_000 + number), nanos: 7 * number };
  return { ...testInput(BigInt(number), entries), timestamp };
}

executorSuite('embedded EVM in memory', async () => {
  const database = openMemoryDatabase();
  const open = async () => (await testChain({ database })).executor;
  return { executor: await open(), reopen: open, input };
});

executorSuite('embedded EVM on disk', async (): Promise<ExecutorFixture> => {
  const directory = await mkdtemp(join(tmpdir(), 'evm-executor-'));
  let database: Database | undefined;
  const open = async () => {
    await database?.close();
    database = openDatabase(directory);
    return (await testChain({ database })).executor;
  };
  return {
    executor: await open(),
    reopen: open,
    input,
    async close() {
      await database?.close();
      await rm(directory, { recursive: true, force: true });
    },
  };
});
