import type { Address, Hash } from '@switchyard/evm-machine/types';
import { JsonRpcError } from '@switchyard/service';
import { rpcContext } from '@switchyard/service/testing';
import { expect, test } from 'vitest';
import { AddressIndex } from '../explorer/index/address-index.ts';
import type { RpcMethods } from '../rpc/deps.ts';
import { testChain } from '../testing.ts';
import { explorerOfGeth } from './explorer-methods.ts';
import { Geth } from './geth.ts';
import { LinkLost } from './link.ts';
import { callsOfGeth, createTurns, stateOfGeth } from './methods.ts';

const context = rpcContext();
const ACCOUNT: Address = `0x${'12'.repeat(20)}`;
const UNKNOWN: Hash = `0x${'34'.repeat(32)}`;

/** A chain of three blocks, two of them firm, in front of a client whose answers the test gives. */
async function world(answer: (method: string, params: readonly unknown[]) => unknown = () => '0x7') {
  const made = await testChain({ indexers: (database) => [new AddressIndex(database)] });
  const sender = made.account(0);
  const block = await made.sequence([sender.transfer(ACCOUNT, 1n)]);
  await made.sequence([]);
  await made.sequence([], { firm: false });
  const wanted: [string, readonly unknown[]][] = [];
  const link = {
    target: 'fake',
    async call(method: string, params: readonly unknown[]) {
      wanted.push([method, params]);
      return answer(method, params);
    },
    close() {},
  };
  const pool = { pendingNonce: async () => 9n };
  const turns = createTurns(1, 1);
  const index = new AddressIndex(made.database);
  const deps = { chain: made.chain, pool, queries: new Geth(link), turns, timeoutMs: 1_000, index };
  const methods: RpcMethods = { ...stateOfGeth(deps), ...callsOfGeth(deps), ...explorerOfGeth(deps) };
  const call = async (method: string, ...params: unknown[]) => methods[method]?.(params, context);
  return { call, asked: wanted, transaction: block.block.transactions[0]?.hash, chain: made.chain };
}

test.each([
  [[ACCOUNT], '0x3'],
  [[ACCOUNT, null], '0x3'],
  [[ACCOUNT, 'latest'], '0x3'],
  [[ACCOUNT, 'pending'], '0x3'],
  [[ACCOUNT, 'safe'], '0x3'],
  [[ACCOUNT, 'finalized'], '0x2'],
  [[ACCOUNT, 'earliest'], '0x0'],
  [[ACCOUNT, '0x1'], '0x1'],
  [[ACCOUNT, { blockNumber: '0x2' }], '0x2'],
])('a block is named to the client by its number: %j', async (params, number) => {
  const { call, asked: wanted } = await world();
  expect(await call('eth_getBalance', ...params)).toBe('0x7');
  expect(wanted).toEqual([['eth_getBalance', [ACCOUNT, number]]]);
});

test('a block that is not committed here is not there, whatever the client has', async () => {
  const { call, asked: wanted } = await world();
  await expect(call('eth_getBalance', ACCOUNT, '0x4')).rejects.toThrow('header not found');
  await expect(call('eth_call', {}, { blockHash: UNKNOWN })).rejects.toThrow('header for hash not found');
  await expect(call('debug_traceTransaction', UNKNOWN)).rejects.toThrow('transaction not found');
  await expect(call('debug_traceBlockByHash', UNKNOWN)).rejects.toThrow('not found');
  expect(wanted).toEqual([]);
});

test('a nonce that counts what is under way is the answer of our pool', async () => {
  const { call, asked: wanted } = await world();
  expect(await call('eth_getTransactionCount', ACCOUNT, 'pending')).toBe('0x9');
  expect(wanted).toEqual([]);
  expect(await call('eth_getTransactionCount', ACCOUNT)).toBe('0x7');
  expect(wanted).toEqual([['eth_getTransactionCount', [ACCOUNT, '0x3']]]);
});

test('parameters behind the block are passed on as they came', async () => {
  const { call, asked: wanted } = await world();
  await call('eth_call', { to: ACCOUNT }, 'latest', { [ACCOUNT]: { balance: '0x1' } });
  await call('eth_estimateGas', { to: ACCOUNT });
  await call('eth_estimateGas', { to: ACCOUNT }, '0x2');
  await call('eth_getStorageAt', ACCOUNT, '0x0');
  expect(wanted).toEqual([
    ['eth_call', [{ to: ACCOUNT }, '0x3', { [ACCOUNT]: { balance: '0x1' } }]],
    ['eth_estimateGas', [{ to: ACCOUNT }, '0x3', null, { number: '0x4', time: expect.stringMatching(/^0x/) }]],
    ['eth_estimateGas', [{ to: ACCOUNT }, '0x2']],
    ['eth_getStorageAt', [ACCOUNT, '0x0', '0x3']],
  ]);
});

test.each([
  ['not a list', { to: 1 }, -32_602],
  ['too many', [1, 2, 3, 4, 5, 6, 7], -32_602],
  ['a strange block', [ACCOUNT, 'newest'], -32_602],
])('parameters that are %s are refused', async (_, params, code) => {
  const { asked: wanted } = await world();
  const methods = stateOfGeth({ ...(await getDeps()), turns: createTurns(1, 0) });
  await expect((async () => methods.eth_getBalance?.(params, context))()).rejects.toMatchObject({ code });
  expect(wanted).toEqual([]);
});

async function getDeps() {
  const { chain } = await testChain();
  const link = { target: 'fake', call: async () => '0x', close() {} };
  return { chain, pool: { pendingNonce: async () => 0n }, queries: new Geth(link), timeoutMs: 1 };
}

test("the client's own errors come through, with code and data", async () => {
  const { call } = await world(() => {
    throw new JsonRpcError(3, 'execution reverted', '0xff');
  });
  await expect(call('eth_call', {})).rejects.toMatchObject({ code: 3, rpcMessage: 'execution reverted', data: '0xff' });
});

test('a client that is away is an error in one line', async () => {
  const { call } = await world(() => {
    throw new LinkLost('the connection to /x was lost');
  });
  await expect(call('eth_call', {})).rejects.toMatchObject({
    code: -32_000,
    rpcMessage: 'the execution client does not answer: the connection to /x was lost',
  });
});

test('more questions than may wait are refused', async () => {
  let release = (): void => {};
  const held = new Promise<string>((resolve) => {
    release = () => resolve('0x1');
  });
  const { call } = await world(() => held);
  const first = call('eth_call', {});
  const second = call('eth_call', {});
  await expect(call('eth_call', {})).rejects.toMatchObject({ code: -32_005 });
  release();
  expect(await Promise.all([first, second])).toEqual(['0x1', '0x1']);
});

test('what was inside a transaction comes from the trace of the client', async () => {
  const inner = { from: ACCOUNT, input: '0x', gas: '0x0', gasUsed: '0x0' };
  const frame = {
    ...{ type: 'CALL', from: ACCOUNT, to: ACCOUNT, value: '0x5', input: '0x01', output: '0x02' },
    calls: [
      { ...inner, type: 'CALL', to: ACCOUNT, value: '0x3' },
      { ...inner, type: 'CALL', to: `0x${'00'.repeat(19)}04`, value: '0x0' },
      {
        ...inner,
        type: 'CALL',
        to: ACCOUNT,
        value: '0x9',
        error: 'execution reverted',
        calls: [{ ...inner, type: 'CREATE', to: ACCOUNT, value: '0x1' }],
      },
      {
        ...inner,
        type: 'DELEGATECALL',
        to: ACCOUNT,
        calls: [{ ...inner, type: 'SELFDESTRUCT', to: ACCOUNT, value: '0x4' }],
      },
    ],
  };
  const { call, transaction } = await world(() => frame);
  expect(await call('ots_getInternalOperations', transaction)).toEqual([
    { type: 0, from: ACCOUNT, to: ACCOUNT, value: '0x3' },
    { type: 1, from: ACCOUNT, to: ACCOUNT, value: '0x4' },
  ]);
  expect(await call('ots_traceTransaction', transaction)).toMatchObject([
    { type: 'CALL', depth: 0, value: '0x5', input: '0x01', output: '0x02' },
    { type: 'CALL', depth: 1, value: '0x3' },
    { type: 'CALL', depth: 1, value: '0x9' },
    { type: 'CREATE', depth: 2 },
    { type: 'DELEGATECALL', depth: 1, value: null },
    { type: 'SELFDESTRUCT', depth: 2 },
  ]);
  expect(await call('ots_getTransactionError', transaction)).toBe('0x');
  await expect(call('ots_traceTransaction', UNKNOWN)).rejects.toThrow('transaction not found');
});
