import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { DEV_ACCOUNTS } from '../../genesis/development-accounts.ts';
import { startTestNode } from '../testing/start.ts';
import { CONSOLE } from './console.ts';

let before = 0;
let node: Awaited<ReturnType<typeof startTestNode>>;
beforeAll(async () => {
  node = await startTestNode();
  await node.call('anvil_setCode', PRINTS, PRINTING);
  await node.call('anvil_setCode', FAILS, FAILING);
});
afterAll(() => node.stop());
beforeEach(() => {
  before = node.lines.length;
});

const [from] = DEV_ACCOUNTS.map(({ address }) => address);
const PRINTS = `0x${'c0'.repeat(20)}`;
const FAILS = `0x${'fa'.repeat(20)}`;
/** CALLDATACOPY of all, STATICCALL of the console with it. */
const PRINTING = `0x365f5f375f5f365f73${CONSOLE.slice(2)}5afa00`;
/** CALLDATACOPY of all, REVERT with it. */
const FAILING = '0x365f5f37365ffd';
const word = (hex: string) => hex.padStart(64, '0');
/** `log(string)` with `hello`. */
const HELLO = `0x41304fac${word('20')}${word('5')}${Buffer.from('hello').toString('hex').padEnd(64, '0')}`;
/** `Error(string)` with `too late`. */
const TOO_LATE = `0x08c379a0${word('20')}${word('8')}${Buffer.from('too late').toString('hex').padEnd(64, '0')}`;

const seen = () => node.lines.slice(before).map(({ level: _, time: __, name: ___, ...line }) => line);

test('a transaction is logged with its method, hash, gas and block, after the lines that it printed', async () => {
  const hash = await node.call('eth_sendTransaction', { from, to: PRINTS, data: HELLO });
  const { gasUsed, blockNumber } = (await node.call('eth_getTransactionReceipt', hash)) as Record<string, string>;
  expect(seen()).toEqual([
    { line: 'hello', msg: 'console.log' },
    {
      ...{ method: 'eth_sendTransaction', hash, from, to: PRINTS },
      ...{ gasUsed: Number(gasUsed), block: Number(blockNumber), msg: 'transaction executed' },
    },
  ]);
});

test('a contract that is created is logged with its address', async () => {
  const hash = await node.call('eth_sendTransaction', { from, data: '0x5f5ff3' });
  const { contractAddress: contract } = (await node.call('eth_getTransactionReceipt', hash)) as {
    contractAddress: string;
  };
  expect(seen()).toMatchObject([{ hash, contract, msg: 'transaction executed' }]);
});

test.each([
  ['Error(string)', TOO_LATE, { reason: 'too late' }],
  ['Panic(uint256)', `0x4e487b71${word('11')}`, { reason: 'arithmetic underflow or overflow' }],
  ['a custom error', `0xcf479181${word('1')}`, { reason: 'custom error 0xcf479181', data: `0xcf479181${word('1')}` }],
  ['nothing', '0x', { reason: 'reverted without a reason' }],
])('a transaction that reverts with %s is logged with it', async (_, data, reason) => {
  const hash = await node.call('eth_sendTransaction', { from, to: FAILS, data, gas: '0x186a0' });
  expect(seen()).toMatchObject([{ hash, method: 'eth_sendTransaction', ...reason, msg: 'transaction failed' }]);
});

test('a call is logged, and one that fails with its reason', async () => {
  await node.call('eth_call', { to: PRINTS, data: HELLO });
  expect((await node.ask('eth_call', { to: FAILS, data: TOO_LATE })).error?.message).toContain('too late');
  expect(seen()).toMatchObject([
    { line: 'hello' },
    { method: 'eth_call', to: PRINTS, gasUsed: expect.any(Number), msg: 'call executed' },
    { method: 'eth_call', to: FAILS, reason: 'too late', msg: 'call failed' },
  ]);
});

test('a transaction that is refused because its gas cannot be estimated is logged once, with the reason', async () => {
  await node.ask('eth_sendTransaction', { from, to: FAILS, data: TOO_LATE });
  expect(seen()).toMatchObject([{ method: 'eth_sendTransaction', reason: 'too late', msg: 'gas estimate failed' }]);
});

test('a transaction that waits for a block keeps the method by which it was sent', async () => {
  await node.call('evm_setAutomine', false);
  const hash = await node.call('eth_sendTransaction', { from, to: PRINTS, value: '0x1', data: HELLO });
  expect(seen()).toEqual([]);
  await node.call('evm_mine');
  await node.call('evm_setAutomine', true);
  expect(seen()).toMatchObject([{ line: 'hello' }, { hash, method: 'eth_sendTransaction' }]);
});

test.each(['anvil', 'hardhat'])('%s_setLoggingEnabled ends and begins it', async (program) => {
  await node.call(`${program}_setLoggingEnabled`, false);
  await node.call('eth_call', { to: PRINTS, data: HELLO });
  await node.call('eth_sendTransaction', { from, to: PRINTS, data: HELLO });
  expect(seen()).toEqual([]);
  await node.call(`${program}_setLoggingEnabled`, true);
  await node.call('eth_call', { to: PRINTS, data: HELLO });
  expect(seen()).toHaveLength(2);
});

test('blocks that are replaced and taken back are logged', async () => {
  await node.call('evm_mine');
  await node.call('anvil_reorg', 1, []);
  await node.call('anvil_rollback');
  expect(seen()).toMatchObject([
    { method: 'anvil_reorg', depth: 1, msg: 'blocks replaced' },
    { method: 'anvil_rollback', depth: 1, msg: 'blocks taken back' },
  ]);
});
