import { readyPrecompiles } from '@switchyard/evm-machine/precompiles';
import { silentLogger } from '@switchyard/service';
import { manualClock } from '@switchyard/service/testing';
import { beforeAll, expect, test } from 'vitest';
import { openMemoryDatabase } from '../database/memory.ts';
import { DEV_ACCOUNTS } from '../genesis/development-accounts.ts';
import { evmGenesisFile } from '../genesis/file.ts';
import { parseEvmGenesis } from '../genesis/genesis.ts';
import { signTransaction } from '../transactions/sign.ts';
import { Activity } from './activity/activity.ts';
import { Interval } from './interval.ts';
import { standaloneMethods } from './methods.ts';
import { StandaloneNode } from './node.ts';
import { standalonePool } from './pool.ts';
import { UndoDatabase } from './undo-database.ts';

const MOST = (1n << 256n) - 1n;
const [alice = { address: '0x', privateKey: '0x' }, bob = alice] = DEV_ACCOUNTS;

beforeAll(readyPrecompiles);

function world() {
  const clock = manualClock(1_000_000);
  const genesis = parseEvmGenesis(
    evmGenesisFile({ rollupName: 'r', sequencerChainId: 's', startHeight: 1 }),
    'genesis',
  );
  const node = new StandaloneNode({
    genesis,
    database: new UndoDatabase(openMemoryDatabase()),
    indexers: [],
    wall: clock,
  });
  const pool = standalonePool(node, clock);
  const interval = new Interval({ clock, log: silentLogger, mine: async () => undefined });
  const methods = standaloneMethods({
    node,
    pool,
    interval,
    activity: new Activity(silentLogger),
    clientVersion: 'test',
    ...{ accounts: [], sign: () => null },
  });
  const call = async (name: string, ...params: unknown[]): Promise<unknown> => methods[name]?.(params, {} as never);
  const balance = () => node.chain.state(node.chain.heads.latest).account(bob.address)?.balance;
  return { node, pool, call, balance };
}

// Defect: EVM balance beyond 2^256, by methods of `evm dev`
test('no method brings a balance beyond 256 bits, and neither does a transfer', async () => {
  const { node, pool, call, balance } = world();
  await call('anvil_setBalance', bob.address, `0x${MOST.toString(16)}`);
  await expect(call('anvil_addBalance', bob.address, '0x1')).rejects.toThrow('at most 2^256 - 1 wei');
  await expect(call('anvil_setBalance', bob.address, `0x1${'0'.repeat(64)}`)).rejects.toThrow('256 bits');
  expect(balance()).toBe(MOST);
  const transfer = { chainId: 1337n, nonce: 0n, gasLimit: 21_000n, gasPrice: 10n ** 10n, to: bob.address, value: 1n };
  const hash = await pool.send(signTransaction(transfer, alice.privateKey));
  expect(balance()).toBe(MOST);
  expect(await pool.status(hash)).toMatchObject({ status: 'included', success: false });
  expect(node.chain.heads.latest).toBe(1n);
});
