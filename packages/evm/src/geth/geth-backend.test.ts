import { ExecutorAway } from '@switchyard/rollup/execution';
import { executorSuite } from '@switchyard/rollup/executor-suite';
import { expect, test } from 'vitest';
import { openMemoryDatabase } from '../database/memory.ts';
import { DEV_ACCOUNTS } from '../genesis/development-accounts.ts';
import { historyChain, historyGenesis } from '../testing/history.ts';
import { TestAccount, testDeposit, testInput } from '../testing.ts';
import { FakeGeth } from './testing/fake-geth.ts';
import { type GethChain, openGethChain } from './testing.ts';

/* The stock back end over a geth that is faked at its JSON-RPC: all of ours is the real thing. */

const genesis = historyGenesis();

function account(): TestAccount {
  const [rich] = DEV_ACCOUNTS;
  if (rich === undefined) throw new Error('no development account');
  return new TestAccount(rich, { chainId: 1337n });
}

async function fakeGeth(): Promise<FakeGeth> {
  const first = (await historyChain()).chain.block(0n);
  if (first === undefined) throw new Error('no block 0');
  return new FakeGeth(first);
}

/** A chain with blocks of one transfer each. */
async function grown(geth: FakeGeth, blocks: number): Promise<GethChain> {
  const stock = openGethChain({ ipc: geth, genesis, patienceMs: 0 });
  await grow(stock, blocks);
  return stock;
}

async function grow(stock: GethChain, blocks: number, options = { firm: true }): Promise<void> {
  const sender = account();
  for (let left = blocks; left > 0; left -= 1) {
    const { soft } = (await stock.executor.state()).commitments;
    const data = sender.transfer(sender.address, 1n, { nonce: soft.number });
    await stock.executor.executeBatch(
      soft.hash,
      [testInput(soft.number + 1n, [{ kind: 'sequencedData', data }])],
      options,
    );
  }
}

/** Shows that the node works: rejects if the block cannot be executed. */
async function executeEmptyBlock(stock: GethChain): Promise<void> {
  const { soft } = (await stock.executor.state()).commitments;
  const { blocks } = await stock.executor.executeBatch(soft.hash, [testInput(soft.number + 1n, [])], { firm: true });
  expect(blocks[0]?.parentHash).toBe(soft.hash);
  expect(stock.trouble).toBeUndefined();
}

executorSuite('stock EVM', async () => {
  const geth = await fakeGeth();
  const database = openMemoryDatabase();
  const open = async () => openGethChain({ ipc: geth, genesis, database }).executor;
  return {
    executor: await open(),
    reopen: open,
    input(number) {
      const sender = account();
      const transfers = [0n, 1n, 2n, 3n].map((nonce) => sender.transfer(sender.address, BigInt(number), { nonce }));
      const input = testInput(
        BigInt(number),
        transfers.map((data) => ({ kind: 'sequencedData', data })),
      );
      return { ...input, timestamp: { seconds: BigInt(1_700_000_000 + number), nanos: 7 * number } };
    },
  };
});

test('geth gets soft and firm blocks, and the block is stored with receipts, refusals and withdrawals', async () => {
  const geth = await fakeGeth();
  const stock = openGethChain({ ipc: geth, genesis });
  const sender = account();
  const data = sender.transfer(sender.address, 1n, { nonce: 0n });
  const entries = [
    { kind: 'sequencedData' as const, data },
    testDeposit(sender.address, 5n),
    testDeposit('not an address', 5n),
  ];
  const { soft } = (await stock.executor.state()).commitments;
  await stock.executor.executeBatch(soft.hash, [testInput(1n, [...entries, { kind: 'sequencedData', data }])], {
    firm: false,
  });
  expect(geth.head.hash).toBe(stock.chain.findHash(1n));
  expect(geth.finalized).toBe(0);
  expect(stock.chain.receipts(1n)).toMatchObject([{ status: 1, gasUsed: 21_000n, type: 2 }]);
  expect(stock.chain.block(1n)?.withdrawals).toMatchObject([{ address: sender.address, amount: 5n }]);
  expect(stock.chain.refusedIn(1n).map(({ entry, code }) => [entry, code])).toEqual([
    [2, 'bad-recipient'],
    [3, 'nonce-too-low'],
  ]);
  await executeEmptyBlock(stock);
  expect(geth.finalized).toBe(2);
});

test('what geth lost is sent again before the next block', async () => {
  const geth = await fakeGeth();
  const stock = await grown(geth, 40);
  for (const left of [39, 12, 0]) {
    geth.isAway = true;
    await expect(executeEmptyBlock(stock)).rejects.toThrow(ExecutorAway);
    geth.isAway = false;
    geth.lose(left);
    await executeEmptyBlock(stock);
    expect(geth.head.hash).toBe(stock.chain.findHash(stock.chain.heads.latest));
  }
});

test.each([
  ['above its genesis', 4, []],
  ['at its genesis', 0, ['debug_setHead']],
])('a geth that waits for peers after a kill, %s, is to be restarted once', async (_, left, resets) => {
  const geth = await fakeGeth();
  const stock = await grown(geth, 6);
  geth.isAway = true;
  await expect(executeEmptyBlock(stock)).rejects.toThrow(ExecutorAway);
  Object.assign(geth, { isAway: false, waitsForPeers: true });
  geth.lose(left);
  await expect(executeEmptyBlock(stock)).rejects.toThrow(/waits for peers; restart geth once/);
  expect(stock.trouble).toContain('restart geth once');
  expect(geth.calls.filter((method) => method === 'debug_setHead')).toEqual(resets);
  geth.waitsForPeers = false;
  await executeEmptyBlock(stock);
});

test('a geth that is ahead goes back to what is committed here, also behind its final block', async () => {
  const geth = await fakeGeth();
  await grown(geth, 45);
  const others = await grown(geth, 3);
  await executeEmptyBlock(others);
  expect(geth.head.header.number).toBe(4n);
});

test.each([
  ['another program', { version: 'reth/v2.5.1' }, /expected geth 1.17.3 or newer, got reth\/v2.5.1/],
  ['an old geth', { version: 'Geth/v1.17.2-stable/linux' }, /expected geth 1.17.3 or newer, got Geth\/v1.17.2/],
  ['a geth with another gas limit', { gasLimit: 30_000_000n }, /start geth with --miner.gaslimit 12000000/],
])('%s is refused in one line', async (_, setting, line) => {
  const geth = Object.assign(await fakeGeth(), setting);
  const stock = openGethChain({ ipc: geth, genesis, patienceMs: 0 });
  await expect(stock.work()).rejects.toThrow(line);
  expect(stock.trouble).toMatch(line);
  await expect(executeEmptyBlock(stock)).rejects.toThrow(line);
});

test('newer versions are taken, whatever they are called', async () => {
  for (const version of ['Geth/v1.17.3-stable/linux', 'Geth/mine/v1.18.0-unstable-abc/linux', 'Geth/v2.0.0/x']) {
    const geth = Object.assign(await fakeGeth(), { version });
    await executeEmptyBlock(openGethChain({ ipc: geth, genesis, patienceMs: 0 }));
  }
});

test('a geth on another chain is refused with both genesis hashes', async () => {
  const geth = await fakeGeth();
  const other = genesis.replace('"extraData": "0x"', '"extraData": "0x01"');
  const stock = openGethChain({ ipc: geth, genesis: other, patienceMs: 0 });
  await expect(stock.work()).rejects.toThrow(
    /expected a chain with genesis 0x[0-9a-f]{64}, got 0x[0-9a-f]{64}; .*geth init/,
  );
});

test('a block that geth builds and then refuses halts the chain with the reason, until geth takes it', async () => {
  const geth = await fakeGeth();
  const stock = await grown(geth, 2);
  geth.refusesBlocks = true;
  await expect(executeEmptyBlock(stock)).rejects.toThrow('geth refuses the block that it has built: block 3');
  expect(stock.trouble).toContain('invalid merkle root');
  expect(stock.chain.heads.latest).toBe(2n);
  geth.refusesBlocks = false;
  await executeEmptyBlock(stock);
});

test('a geth that does not build what the rules allow is asked twice, and then nothing is guessed', async () => {
  const geth = await fakeGeth();
  const stock = await grown(geth, 1);
  geth.refusesToBuild = true;
  geth.calls.length = 0;
  await expect(grow(stock, 1)).rejects.toThrow('geth refuses what the rules of block 2 allow: gas limit reached');
  expect(geth.calls.filter((method) => method === 'testing_buildBlockV1')).toHaveLength(2);
  geth.refusesToBuild = false;
  await grow(stock, 1);
});

test('someone who can pay for what they send is not asked for twice', async () => {
  const geth = await fakeGeth();
  const stock = await grown(geth, 1);
  geth.calls.length = 0;
  await grow(stock, 10);
  expect(geth.calls.filter((method) => method.startsWith('eth_get'))).toEqual([]);
});
