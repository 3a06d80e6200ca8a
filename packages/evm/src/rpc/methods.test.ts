import type { AccountState } from '@switchyard/evm-machine/state';
import type { Address } from '@switchyard/evm-machine/types';
import { ZERO_HASH } from '@switchyard/protocol/ethereum';
import { createMetrics, JsonRpcError, silentLogger } from '@switchyard/service';
import { manualClock, rpcContext } from '@switchyard/service/testing';
import { expect, test } from 'vitest';
import type { RpcBounds } from './deps.ts';
import { rpcMethods } from './methods.ts';
import { rpcServer } from './server.ts';
import { CONTRACT, log, pendingTransfer, SENDER, topic, transfer } from './testing/given.ts';
import { GAS_LIMIT, makeHash, memoryChain } from './testing/memory-chain.ts';
import { memoryPool } from './testing/memory-pool.ts';

const OTHER: Address = `0x${'0d'.repeat(20)}`;
const CODE_HASH = `0x${'cc'.repeat(32)}` as const;
const ACCOUNT: AccountState = {
  nonce: 4n,
  balance: 10n ** 18n,
  codeHash: CODE_HASH,
  storageRoot: `0x${'55'.repeat(32)}`,
};

/** A chain of three blocks with transactions and logs, and a pool with one more, behind the whole server. */
function node(bounds: Partial<RpcBounds> = {}) {
  const chain = memoryChain(new Map([[SENDER, ACCOUNT]]));
  const pool = memoryPool();
  const clock = manualClock(5_000_000);
  const first = { ...transfer(0), logs: [log(CONTRACT, topic(1), topic(2)), log(OTHER, topic(1))], tip: 5n };
  const second = { ...transfer(1), logs: [log(CONTRACT, topic(3))], tip: 1n, gasUsed: 60_000n };
  chain.commit([first, second], [], [transfer(2)]);
  pool.add(pendingTransfer(3));
  const methods = rpcMethods({
    ...{ chain, pool, clock, wall: clock, log: silentLogger, bounds },
    // Nothing here runs calls.
    simulator: {
      call: () => Promise.reject(new Error('unused')),
      estimateGas: () => Promise.reject(new Error('unused')),
    },
    clientVersion: 'Switchyard/test',
  });
  const server = rpcServer({ methods, log: silentLogger, clock, bounds });
  const context = rpcContext();
  const call = async (method: string, ...params: unknown[]): Promise<unknown> => {
    const answer = JSON.parse((await server.call(1, method, params, context)).text);
    if (answer.error !== undefined) throw new JsonRpcError(answer.error.code, answer.error.message, answer.error.data);
    return answer.result;
  };
  return { chain, pool, clock, server, call, context, first, second };
}

test('answers about the node and the network', async () => {
  const { call } = node();
  expect(await call('eth_chainId')).toBe('0x539');
  expect(await call('net_version')).toBe('1337');
  expect(await call('eth_blockNumber')).toBe('0x3');
  expect(await call('web3_clientVersion')).toBe('Switchyard/test');
  expect(await call('eth_syncing')).toBe(false);
  expect(await call('eth_accounts')).toEqual([]);
  expect(await call('net_listening')).toBe(true);
  expect(await call('net_peerCount')).toBe('0x0');
  // The hash of "hello world", from the documentation of the method.
  expect(await call('web3_sha3', '0x68656c6c6f20776f726c64')).toBe(
    '0x47173285a8d7341e5e972fc677286384f802f8ef42a5ec5f03bbfa254cb01fad',
  );
  expect(await call('rpc_modules')).toEqual({ debug: '1.0', eth: '1.0', net: '1.0', rpc: '1.0', web3: '1.0' });
  await expect(call('eth_chainId', 1)).rejects.toMatchObject({
    code: -32_602,
    message: 'too many arguments, want at most 0',
  });
});

test('finds a block by number, tag and hash', async () => {
  const { call } = node();
  const block = await call('eth_getBlockByNumber', '0x1', false);
  expect(block).toMatchObject({
    number: '0x1',
    hash: makeHash(1n),
    parentHash: makeHash(0n),
    size: '0x1f4',
    uncles: [],
  });
  expect(await call('eth_getBlockByHash', makeHash(1n), false)).toEqual(block);
  expect(await call('eth_getBlockByNumber', 'earliest')).toMatchObject({ number: '0x0' });
  expect(await call('eth_getBlockByNumber', 'latest')).toMatchObject({ number: '0x3', baseFeePerGas: '0x3e8' });
  expect(await call('eth_getBlockByNumber', 'finalized')).toMatchObject({ number: '0x1' });
  expect(await call('eth_getBlockByNumber', '0x4', true)).toBeNull();
  expect(await call('eth_getBlockByHash', makeHash(9n), true)).toBeNull();
  expect(await call('eth_getHeaderByNumber', '0x1')).not.toHaveProperty('transactions');
  expect(await call('eth_getHeaderByHash', makeHash(2n))).toMatchObject({
    number: '0x2',
    logsBloom: expect.any(String),
  });
  expect(await call('eth_getBlockTransactionCountByNumber', '0x1')).toBe('0x2');
  expect(await call('eth_getBlockTransactionCountByHash', makeHash(2n))).toBe('0x0');
  expect(await call('eth_getBlockTransactionCountByHash', makeHash(9n))).toBeNull();
  expect(await call('eth_getUncleCountByBlockNumber', 'latest')).toBe('0x0');
  expect(await call('eth_getUncleByBlockHashAndIndex', makeHash(1n), '0x0')).toBeNull();
});

test('shows transactions of blocks, alone and within their block', async () => {
  const { call, first } = node();
  const transaction = await call('eth_getTransactionByHash', first.hash);
  expect(transaction).toMatchObject({
    ...{ blockHash: makeHash(1n), blockNumber: '0x1', blockTimestamp: '0x3e9', transactionIndex: '0x0' },
    ...{ from: SENDER, to: CONTRACT, nonce: '0x0', type: '0x2', chainId: '0x539' },
    // Base fee of the block and tip, which is less than the cap.
    ...{ gasPrice: '0x3e9', maxFeePerGas: '0x7d0' },
  });
  expect(await call('eth_getTransactionByBlockNumberAndIndex', '0x1', '0x0')).toEqual(transaction);
  expect(await call('eth_getTransactionByBlockHashAndIndex', makeHash(1n), '0x0')).toEqual(transaction);
  expect(await call('eth_getBlockByNumber', '0x1', true)).toMatchObject({
    transactions: [transaction, { nonce: '0x1' }],
  });
  expect(await call('eth_getTransactionByBlockNumberAndIndex', '0x1', '0x2')).toBeNull();
  expect(await call('eth_getRawTransactionByHash', first.hash)).toBe(`0x${Buffer.from(first.raw).toString('hex')}`);
  expect(await call('eth_getTransactionByHash', topic(9))).toBeNull();
});

test('numbers the logs of receipts through the block', async () => {
  const { call, first, second } = node();
  const receipt = await call('eth_getTransactionReceipt', second.hash);
  expect(receipt).toMatchObject({
    ...{ status: '0x1', type: '0x2', gasUsed: '0xea60', cumulativeGasUsed: '0x13c68', effectiveGasPrice: '0x3e9' },
    ...{ contractAddress: null, from: SENDER, to: CONTRACT, transactionIndex: '0x1' },
    logs: [{ logIndex: '0x2', transactionHash: second.hash, blockTimestamp: '0x3e9', removed: false }],
  });
  expect(await call('eth_getBlockReceipts', '0x1')).toMatchObject([
    { transactionHash: first.hash, logs: [{ logIndex: '0x0' }, { logIndex: '0x1', address: OTHER }] },
    receipt,
  ]);
  expect(await call('eth_getBlockReceipts', makeHash(9n))).toBeNull();
  expect(await call('eth_getTransactionReceipt', topic(9))).toBeNull();
});

test('shows what waits to be ordered', async () => {
  const { call, pool } = node();
  const [waiting] = pool.pending(1);
  expect(await call('eth_getTransactionByHash', waiting?.hash)).toMatchObject({
    ...{ blockHash: null, blockNumber: null, blockTimestamp: null, transactionIndex: null, nonce: '0x3' },
  });
  expect(await call('eth_getBlockByNumber', 'pending', false)).toMatchObject({
    ...{ number: '0x4', parentHash: makeHash(3n), hash: null, nonce: null, miner: null, transactions: [waiting?.hash] },
    ...{ timestamp: '0x1388', baseFeePerGas: '0x36c' },
  });
  expect(await call('eth_getBlockTransactionCountByNumber', 'pending')).toBe('0x1');
  expect(await call('eth_getTransactionCount', SENDER, 'pending')).toBe('0x9');
});

test('answers about accounts', async () => {
  const { call } = node();
  expect(await call('eth_getBalance', SENDER)).toBe('0xde0b6b3a7640000');
  expect(await call('eth_getBalance', SENDER.toUpperCase().replace('0X', '0x'), 'safe')).toBe('0xde0b6b3a7640000');
  expect(await call('eth_getBalance', OTHER, { blockHash: makeHash(1n), requireCanonical: true })).toBe('0x0');
  expect(await call('eth_getTransactionCount', SENDER, 'latest')).toBe('0x4');
  expect(await call('eth_getCode', SENDER)).toBe('0x6000');
  expect(await call('eth_getCode', OTHER, 'pending')).toBe('0x');
  expect(await call('eth_getStorageAt', SENDER, '0x0')).toBe(topic(7));
  expect(await call('eth_getStorageValues', { [SENDER]: [topic(1), topic(2)] })).toEqual({
    [SENDER]: [topic(7), topic(7)],
  });
  await expect(call('eth_getStorageValues', {})).rejects.toMatchObject({ code: -32_602, message: 'empty request' });
  await expect(call('eth_getBalance', SENDER, '0x4')).rejects.toMatchObject({
    code: -32_000,
    message: 'header not found',
  });
  await expect(call('eth_getBalance', SENDER, makeHash(9n))).rejects.toMatchObject({
    message: 'header for hash not found',
  });
});

// Defect: `eth_getProof` of an absent account differed from go-ethereum
test('names the slots of a proof as they were asked for, and shows an account that is not there as go-ethereum does', async () => {
  const { call } = node();
  expect(await call('eth_getProof', SENDER, ['0x1', topic(2), '0x0003'])).toMatchObject({
    ...{ address: SENDER, balance: '0xde0b6b3a7640000', nonce: '0x4', codeHash: CODE_HASH, accountProof: ['0xc0'] },
    storageProof: [{ key: '0x1', value: '0x7' }, { key: topic(2) }, { key: '0x3' }],
  });
  expect(await call('eth_getProof', OTHER, [])).toMatchObject({
    codeHash: ZERO_HASH,
    storageHash: ZERO_HASH,
  });
});

test('counts calls by method, also those that fail', async () => {
  const { chain, context } = node();
  const metrics = createMetrics('test_');
  const methods = {
    now: () => chain.heads.latest.toString(),
    later: async () => 1,
    bad: () => Promise.reject(new Error()),
  };
  const server = rpcServer({ methods, log: silentLogger, clock: manualClock(), metrics });
  for (const method of ['now', 'later', 'later', 'bad', 'unknown']) await server.call(1, method, [], context);
  const lines = (await metrics.text()).split('\n').filter((line) => /^test_rpc_(calls_total|seconds_count)/.test(line));
  expect(lines).toEqual([
    'test_rpc_calls_total{method="now"} 1',
    'test_rpc_calls_total{method="later"} 2',
    'test_rpc_calls_total{method="bad"} 1',
    'test_rpc_seconds_count{method="now"} 1',
    'test_rpc_seconds_count{method="later"} 2',
    'test_rpc_seconds_count{method="bad"} 1',
  ]);
});

test('offers fees that the next blocks will take', async () => {
  const { call } = node();
  // An eighth of the 1,000 wei of the last block, which was nearly empty, is taken off.
  expect(await call('eth_baseFee')).toBe('0x36c');
  expect(await call('eth_gasPrice')).toBe('0x6d9');
  expect(await call('eth_maxPriorityFeePerGas')).toBe('0x1');
  expect(await call('eth_blobBaseFee')).toBe('0x1');
});

test('tells the history of fees, with the tips at percentiles of the gas', async () => {
  const { call } = node();
  expect(await call('eth_feeHistory', '0x2', '0x1', [10, 60, 100])).toEqual({
    oldestBlock: '0x0',
    // In block 1, 60,000 units of gas were paid with a tip of 1 and 21,000 with 5.
    reward: [
      ['0x0', '0x0', '0x0'],
      ['0x1', '0x1', '0x5'],
    ],
    baseFeePerGas: ['0x3e8', '0x3e8', '0x36c'],
    gasUsedRatio: [0, 81_000 / Number(GAS_LIMIT)],
    baseFeePerBlobGas: ['0x1', '0x1', '0x1'],
    blobGasUsedRatio: [0, 0],
  });
  expect(await call('eth_feeHistory', 10, 'latest')).toMatchObject({ oldestBlock: '0x0', gasUsedRatio: { length: 4 } });
  expect(await call('eth_feeHistory', '5', 'latest', [])).not.toHaveProperty('reward');
  await expect(call('eth_feeHistory', '0x1', '0x9', [])).rejects.toMatchObject({
    message: 'request beyond head block: requested 9, head 3',
  });
  await expect(call('eth_feeHistory', '0x1', 'latest', [50, 20])).rejects.toMatchObject({
    message: 'invalid reward percentile: #0:50 >= #1:20',
  });
  await expect(call('eth_feeHistory', '0x1', 'latest', [101])).rejects.toMatchObject({ code: -32_000 });
});
