import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { DEV_ACCOUNTS, type DevAccount } from '../genesis/development-accounts.ts';
import { signTransaction } from '../transactions/sign.ts';
import { listen } from './testing/listen.ts';
import { startTestNode } from './testing/start.ts';

let node: Awaited<ReturnType<typeof startTestNode>>;
beforeEach(async () => {
  node = await startTestNode();
  await node.call('anvil_setCode', LOGGER, LOGGING);
  await node.call('anvil_setCode', HASHER, HASHING);
  await node.call('evm_mine');
});
afterEach(() => node.stop());

const NONE: DevAccount = { address: '0x', privateKey: '0x' };
const [alice = NONE, bob = NONE] = DEV_ACCOUNTS;
const LOGGER = `0x${'c0'.repeat(20)}`;
/** Logs the first word of its input as a topic. */
const LOGGING = '0x5f355f5fa1';
const HASHER = `0x${'ba'.repeat(20)}`;
/** Answers with the hash of the block of its input, and stores that of the block before. */
const HASHING = '0x60014303405f555f35405f5260205ff3';
const HISTORY = '0x0000f90827f1c53a10cb7a02335b175320002935';
const word = (value: number | bigint) => `0x${value.toString(16).padStart(64, '0')}`;

interface BlockJson {
  readonly number: string;
  readonly hash: string;
  readonly parentHash: string;
  readonly transactions: readonly string[];
}
const block = async (number: number | bigint | 'latest') =>
  (await node.call(
    'eth_getBlockByNumber',
    number === 'latest' ? number : `0x${number.toString(16)}`,
    false,
  )) as BlockJson;
const height = async () => Number((await block('latest')).number);
async function blocks(): Promise<readonly BlockJson[]> {
  const all: BlockJson[] = [];
  for (let number = 0; number <= (await height()); number += 1) all.push(await block(number));
  return all;
}
const hashes = async () => (await blocks()).map(({ hash }) => hash);
const log = (value: number, from = alice.address) =>
  node.call('eth_sendTransaction', { from, to: LOGGER, data: word(value) }) as Promise<string>;
const receipt = (hash: unknown) =>
  node.call('eth_getTransactionReceipt', hash) as Promise<{ blockHash: string } | null>;
const balance = async (account: string) => BigInt(String(await node.call('eth_getBalance', account, 'latest')));
const signed = (nonce: bigint, value = 1n, { privateKey } = alice) =>
  `0x${Buffer.from(
    signTransaction(
      { chainId: 31_337n, nonce, gasLimit: 21_000n, gasPrice: 10n ** 10n, to: bob.address, value },
      privateKey,
    ),
  ).toString('hex')}`;

test('a reorganization replaces as many blocks as are asked for by others, also where nothing else differs', async () => {
  await node.call('anvil_mine', '0x5');
  const before = await hashes();
  await node.call('anvil_reorg', 3, []);
  const after = await blocks();
  expect(after.length).toBe(before.length);
  expect(after.slice(0, -3).map(({ hash }) => hash)).toEqual(before.slice(0, -3));
  for (const [index, { hash }] of after.slice(-3).entries()) expect(hash).not.toBe(before.slice(-3)[index]);
  for (const [index, each] of after.slice(1).entries()) expect(each.parentHash).toBe(after[index]?.hash);
  for (const gone of before.slice(-3)) expect(await node.call('eth_getBlockByHash', gone, false)).toBeNull();
  const again = await hashes();
  await node.call('anvil_reorg', 3, []);
  for (const [index, hash] of (await hashes()).slice(-3).entries())
    expect([before.slice(-3)[index], again.slice(-3)[index]]).not.toContain(hash);
});

test('BLOCKHASH and the contract of EIP-2935 have the new hashes, in calls and in transactions', async () => {
  await node.call('anvil_mine', '0x4');
  await node.call('anvil_reorg', { depth: 3, tx_block_pairs: [[{ to: HASHER, gas: '0x186a0' }, 2]] });
  const all = await blocks();
  const parent = all.at(-2)?.hash;
  expect(await node.call('eth_getStorageAt', HASHER, word(0), 'latest')).toBe(parent);
  await node.call('evm_mine');
  for (const { number, hash } of all) {
    expect(await node.call('eth_call', { to: HASHER, data: word(BigInt(number)) }, 'latest')).toBe(hash);
    if (number !== '0x0') expect(await node.call('eth_call', { to: HISTORY, data: word(BigInt(number)) })).toBe(hash);
  }
});

test('subscribers get the logs that are gone, the newest first, then the new heads and their logs', async () => {
  const { take, close } = await listen(node.url, 'logs', 'newHeads');
  const sent = [await log(1), await log(2)];
  const old = await take();
  await node.call('anvil_reorg', 2, [[{ to: LOGGER, data: word(3), gas: '0x186a0' }, 0]]);
  const seen = await take();
  const all = await blocks();
  const logsBefore = old.filter(({ kind }) => kind === 'logs').map(({ result }) => result);
  expect(logsBefore.map(({ transactionHash, removed }) => [transactionHash, removed])).toEqual(
    sent.map((hash) => [hash, false]),
  );
  expect(seen.slice(0, 2)).toEqual(
    logsBefore.toReversed().map((result) => ({ kind: 'logs', result: { ...result, removed: true } })),
  );
  expect(seen.filter(({ kind }) => kind === 'newHeads').map(({ result }) => result.hash)).toEqual(
    all.slice(-2).map(({ hash }) => hash),
  );
  expect(seen.slice(2).filter(({ kind }) => kind === 'logs')).toMatchObject([
    { result: { topics: [word(3)], removed: false, blockHash: all.at(-2)?.hash } },
  ]);
  close();
});

test('filters answer with the logs that are gone, and with blocks and logs in their place', async () => {
  const [logs, others, heads] = [
    await node.call('eth_newFilter', { address: LOGGER }),
    await node.call('eth_newFilter', { topics: [word(99)] }),
    await node.call('eth_newBlockFilter'),
  ];
  const sent = [await log(1), await log(2)];
  const changes = (filter: unknown) => node.call('eth_getFilterChanges', filter) as Promise<Record<string, unknown>[]>;
  expect((await changes(logs)).map(({ transactionHash }) => transactionHash)).toEqual(sent);
  await changes(heads);
  // Seen by no filter yet, so that it need not be taken back.
  await log(4);
  await node.call('anvil_reorg', 3, [[{ to: LOGGER, data: word(3), gas: '0x186a0' }, 1]]);
  const found = await changes(logs);
  expect(found.map(({ transactionHash, removed }) => removed && transactionHash)).toEqual([
    ...sent.toReversed(),
    false,
  ]);
  expect(found.at(-1)).toMatchObject({ topics: [word(3)] });
  expect(await changes(others)).toEqual([]);
  expect(await changes(heads)).toEqual((await hashes()).slice(-3));
  expect(await changes(logs)).toEqual([]);
  expect(await node.call('eth_getLogs', { fromBlock: '0x0', address: LOGGER })).toEqual([found.at(-1)]);
});

test('transactions that are in no new block wait again, without receipts, and get into the next block', async () => {
  const sent = [await log(1), await log(2), await log(3)];
  await node.call('anvil_reorg', 3, []);
  for (const hash of sent) {
    expect(await receipt(hash)).toBeNull();
    expect(await node.call('eth_getTransactionByHash', hash)).toMatchObject({ hash, blockHash: null });
  }
  expect(await node.call('txpool_status')).toEqual({ pending: '0x3', queued: '0x0' });
  expect(await node.call('eth_getTransactionCount', alice.address, 'pending')).toBe('0x3');
  expect(await node.call('eth_getTransactionCount', alice.address, 'latest')).toBe('0x0');
  await node.call('evm_mine');
  expect((await block('latest')).transactions).toEqual(sent);
  for (const hash of sent) expect((await receipt(hash))?.blockHash).toBe((await block('latest')).hash);
});

test('transactions get into the new blocks that are asked for; what they exclude is gone', async () => {
  const [first, second] = [await log(1), await log(2)];
  const raw = await node.call('eth_getRawTransactionByHash', first);
  const funds = await balance(bob.address);
  await node.call('anvil_reorg', 2, [
    [raw, 1],
    [signed(1n, 5n), 1],
  ]);
  const { hash, transactions } = await block('latest');
  expect(transactions).toHaveLength(2);
  expect(await receipt(first)).toMatchObject({ blockHash: hash, transactionIndex: '0x0', status: '0x1' });
  expect(await balance(bob.address)).toBe(funds + 5n);
  // Its nonce is that of another one now.
  expect(await node.call('eth_getTransactionByHash', second)).toBeNull();
  expect(await node.call('txpool_status')).toEqual({ pending: '0x0', queued: '0x0' });
});

test('transactions of impersonated senders wait again, and are made for new blocks', async () => {
  const stranger = `0x${'57'.repeat(20)}`;
  await node.call('anvil_setBalance', stranger, word(10n ** 18n).replace(/^0x0*/, '0x'));
  await node.call('evm_mine');
  await node.call('anvil_impersonateAccount', stranger);
  const hash = await log(1, stranger as never);
  await node.call('anvil_reorg', 1, [[{ from: stranger, to: bob.address, value: '0x7', nonce: '0x0' }, 0]]);
  expect(await receipt(hash)).toBeNull();
  expect((await block('latest')).transactions).toHaveLength(1);
  await node.call('anvil_rollback', 1);
  await node.call('evm_mine');
  expect((await block('latest')).transactions).toHaveLength(1);
  const unknown = `0x${'58'.repeat(20)}`;
  expect((await node.ask('anvil_reorg', 1, [[{ from: unknown, to: stranger }, 0]])).error?.message).toContain(
    'unknown account',
  );
});

test.each([
  ['a nonce that is used', () => [[signed(7n), 1]], 'cannot be in block'],
  ['no sender that can be found', () => [[signed(0n).replace(/.{8}$/, 'ffffffff'), 0]], 'cannot be in block'],
  [
    'more than its sender has',
    () => [[{ from: alice.address, to: bob.address, value: word(1n << 200n).replace(/^0x0*/, '0x') }, 0]],
    'insufficient funds',
  ],
  ['a block beyond the depth', () => [[signed(0n), 2]], 'expected less than the depth'],
])('with a transaction of %s nothing is changed', async (_, pairs, message) => {
  const sent = [await log(1), await log(2)];
  const before = [await blocks(), await node.call('txpool_content')];
  const { take, close } = await listen(node.url, 'logs', 'newHeads');
  const filter = await node.call('eth_newBlockFilter');
  expect((await node.ask('anvil_reorg', 2, pairs())).error?.message).toContain(message);
  expect([await blocks(), await node.call('txpool_content')]).toEqual(before);
  for (const hash of sent) expect(await receipt(hash)).toMatchObject({ status: '0x1' });
  expect(await take()).toEqual([]);
  expect(await node.call('eth_getFilterChanges', filter)).toEqual([]);
  close();
});

test('a rollback leaves a shorter chain with the state of then, and the next block is another one', async () => {
  const funds = await balance(bob.address);
  const before = await hashes();
  const sent = [await node.call('eth_sendRawTransaction', signed(0n, 3n)), await log(2)];
  const gone = (await hashes()).slice(-2);
  const { take, close } = await listen(node.url, 'logs', 'newHeads');
  expect(await node.call('anvil_rollback', 2)).toBeNull();
  expect(await take()).toMatchObject([{ kind: 'logs', result: { transactionHash: sent[1], removed: true } }]);
  expect(await hashes()).toEqual(before);
  expect(await balance(bob.address)).toBe(funds);
  expect(await receipt(sent[0])).toBeNull();
  await node.call('evm_mine');
  expect((await block('latest')).transactions).toEqual(sent);
  expect(gone).not.toContain((await block('latest')).hash);
  expect(await balance(bob.address)).toBe(funds + 3n);
  close();
});

test('a depth of 0 changes nothing', async () => {
  await log(1);
  const before = await blocks();
  await node.call('anvil_rollback', 0);
  await node.call('anvil_reorg', 0, []);
  expect(await blocks()).toEqual(before);
});

test('a rollback without a depth takes one block, and that of an empty block gives another one in its place', async () => {
  await node.call('evm_mine');
  const before = await hashes();
  await node.call('anvil_rollback');
  expect(await hashes()).toEqual(before.slice(0, -1));
  await node.call('evm_mine');
  expect((await block('latest')).hash).not.toBe(before.at(-1));
});

test('what was set stays with the block after which it was set', async () => {
  await node.call('anvil_setBalance', bob.address, '0x5');
  await node.call('evm_mine');
  await node.call('anvil_setBalance', bob.address, '0x6');
  await node.call('evm_mine');
  expect(await balance(bob.address)).toBe(6n);
  await node.call('anvil_rollback', 1);
  expect(await balance(bob.address)).toBe(6n);
  await node.call('anvil_rollback', 1);
  expect(await balance(bob.address)).toBe(5n);
});

test('a snapshot from before a reorganization brings back the blocks that it replaced, with heads and receipts', async () => {
  const sent = [await log(1), await log(2)];
  const id = await node.call('evm_snapshot');
  const before = await blocks();
  await node.call('anvil_reorg', 2, [[{ to: LOGGER, data: word(3), gas: '0x186a0' }, 1]]);
  await node.call('evm_mine');
  const replaced = await hashes();
  const { take, close } = await listen(node.url, 'newHeads', 'logs');
  const filter = await node.call('eth_newBlockFilter');
  expect(await node.call('evm_revert', id)).toBe(true);
  expect(await blocks()).toEqual(before);
  for (const hash of sent) expect(await receipt(hash)).toMatchObject({ status: '0x1' });
  for (const hash of replaced.slice(-3)) expect(await node.call('eth_getBlockByHash', hash, false)).toBeNull();
  expect(await node.call('txpool_status')).toEqual({ pending: '0x0', queued: '0x0' });
  const seen = await take();
  expect(seen.map(({ kind, result }) => [kind, result.removed ?? result.hash])).toEqual([
    // The new transaction, and a returned one, included in the block after.
    ['logs', true],
    ['logs', true],
    ['newHeads', before.at(-2)?.hash],
    ['logs', false],
    ['newHeads', before.at(-1)?.hash],
    ['logs', false],
  ]);
  expect(await node.call('eth_getFilterChanges', filter)).toEqual(before.slice(-2).map(({ hash }) => hash));
  close();
});

test('a snapshot from after a reorganization, and one from a block that is gone, serve too', async () => {
  await node.call('anvil_mine', '0x2');
  const tip = await blocks();
  const ofTip = await node.call('evm_snapshot');
  await node.call('anvil_rollback', 2);
  await node.call('anvil_mine', '0x1');
  const other = await blocks();
  const ofOther = await node.call('evm_snapshot');
  await node.call('anvil_reorg', 2, []);
  await log(1);
  expect(await node.call('evm_revert', ofOther)).toBe(true);
  expect(await blocks()).toEqual(other);
  expect(await node.call('evm_revert', ofTip)).toBe(true);
  expect(await blocks()).toEqual(tip);
  await node.call('anvil_reset');
  expect(await height()).toBe(0);
});

// Defect: filters of `evm dev` missed the blocks that were made after `evm_revert`, up to the height of the ones it took
// back
test('filters continue after a revert with the blocks in the place of those that are gone', async () => {
  const [filter, logs] = [await node.call('eth_newBlockFilter'), await node.call('eth_newFilter', {})];
  const id = await node.call('evm_snapshot');
  await log(1);
  await node.call('eth_getFilterChanges', filter);
  expect(await node.call('eth_getFilterChanges', logs)).toHaveLength(1);
  await node.call('evm_revert', id);
  await node.call('evm_mine');
  expect(await node.call('eth_getFilterChanges', filter)).toEqual([(await block('latest')).hash]);
  expect(await node.call('eth_getFilterChanges', logs)).toMatchObject([{ removed: true }]);
});

test('of blocks that were written together, those that stay are the same', async () => {
  await node.call('anvil_mine', '0x32', '0x3');
  const before = await blocks();
  for (const depth of [5, 7, 20]) {
    const kept = await blocks();
    await node.call('anvil_rollback', depth);
    expect(await blocks()).toEqual(kept.slice(0, -depth));
  }
  await node.call('anvil_mine', '0x20');
  expect((await blocks()).slice(0, before.length - 32)).toEqual(before.slice(0, -32));
  await node.call('anvil_reorg', 21, []);
  expect((await blocks()).slice(0, before.length - 32)).toEqual(before.slice(0, -32));
  expect(await height()).toBe(before.length - 1);
});

test('a chain that is kept on disk is the one after all reorganizations, with nothing of before', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'reorg-'));
  const start = () => startTestNode({ SVC_EVM_STANDALONE_STATE_DIR: directory });
  await node.stop();
  node = await start();
  const gone = await node.call('eth_sendRawTransaction', signed(0n, 3n));
  await node.call('anvil_mine', '0x14');
  await node.call('anvil_rollback', 5);
  await node.call('anvil_reorg', 16, [[signed(0n, 4n), 2]]);
  const [kept, funds] = [await blocks(), await balance(bob.address)];
  await node.stop();
  node = await start();
  expect(await blocks()).toEqual(kept);
  expect(await balance(bob.address)).toBe(funds);
  expect(await receipt(gone)).toBeNull();
  expect((await node.ask('anvil_rollback')).error?.message).toContain('blocks before 17 can no longer be taken back');
  await node.call('evm_mine');
  await node.call('anvil_rollback');
  expect(await blocks()).toEqual(kept);
  await node.stop();
  await rm(directory, { recursive: true });
  node = await startTestNode();
});

// Defect: `eth_feeHistory` of `evm dev` answered with tips of blocks that `evm_revert` had taken back
test('the fees of blocks in the place of others are theirs', async () => {
  const tips = async () => ((await node.call('eth_feeHistory', '0x1', 'latest', [50])) as { reward: unknown }).reward;
  const send = () =>
    node.call('eth_sendTransaction', { from: alice.address, to: bob.address, maxPriorityFeePerGas: '0x77' });
  const id = await node.call('evm_snapshot');
  await send();
  expect(await tips()).toEqual([['0x77']]);
  await node.call('evm_revert', id);
  await node.call('evm_mine');
  expect(await tips()).toEqual([['0x0']]);
  await send();
  expect(await tips()).toEqual([['0x77']]);
  await node.call('anvil_reorg', 1, []);
  expect(await tips()).toEqual([['0x0']]);
});

test('no more blocks are taken back than there are', async () => {
  const latest = await height();
  expect((await node.ask('anvil_rollback', latest + 1)).error?.message).toBe(
    `depth: expected at most ${latest}, the latest block, got ${latest + 1}`,
  );
  await node.call('anvil_rollback', latest);
  expect(await height()).toBe(0);
});

test('transactions are found by sender and nonce, waiting and in blocks', async () => {
  const find = (nonce: string) => node.call('eth_getTransactionBySenderAndNonce', alice.address, nonce);
  const hash = await log(1);
  expect(await find('0x0')).toMatchObject({ hash, blockNumber: expect.stringMatching(/^0x/) });
  expect(await find('0x1')).toBeNull();
  await node.call('anvil_rollback');
  expect(await find('0x0')).toMatchObject({ hash, blockNumber: null });
  await node.call('anvil_dropAllTransactions');
  expect(await find('0x0')).toBeNull();
});

test('the coinbase and the interval between blocks are answered', async () => {
  expect(await node.call('eth_coinbase')).toBe(`0x${'00'.repeat(20)}`);
  await node.call('anvil_setCoinbase', bob.address);
  expect(await node.call('eth_coinbase')).toBe(bob.address);
  expect(await node.call('anvil_getIntervalMining')).toBeNull();
  await node.call('anvil_setIntervalMining', 100);
  expect(await node.call('hardhat_getIntervalMining')).toBe(100);
});
