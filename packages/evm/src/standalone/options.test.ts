import { eventually } from '@switchyard/service/testing';
import { afterEach, expect, test } from 'vitest';
import { DEV_ACCOUNTS } from '../genesis/development-accounts.ts';
import { startTestNode } from './testing/start.ts';

const [from, to] = DEV_ACCOUNTS.map(({ address }) => address);
const started: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const stop of started.splice(0)) await stop();
});

async function start(settings: Readonly<Record<string, string>>) {
  const env = Object.entries(settings).map(([name, value]) => [`SVC_EVM_STANDALONE_${name}`, value]);
  const node = await startTestNode(Object.fromEntries(env));
  started.push(node.stop);
  return node;
}

const getBlock = async (node: Awaited<ReturnType<typeof start>>, block: string) =>
  (await node.call('eth_getBlockByNumber', block, false)) as { readonly timestamp: string; readonly number: string };

test('accounts of other words have the balance that is asked for, and are signed for', async () => {
  const words = `${'abandon '.repeat(11)}about`;
  const node = await start({ MNEMONIC: words, ACCOUNTS: '12', BALANCE: '7' });
  const accounts = (await node.call('eth_accounts')) as readonly string[];
  expect([accounts.length, accounts[0]]).toEqual([12, '0x9858effd232b4033e47d90003d41ec34ecaeda94']);
  expect(BigInt(String(await node.call('eth_getBalance', accounts[11], 'latest')))).toBe(7n * 10n ** 18n);
  await node.call('eth_sendTransaction', { from: accounts[11], to, value: '0x1' });
  expect(BigInt(String(await node.call('eth_getBalance', from, 'latest')))).toBe(0n);
});

test('words with a wrong checksum are refused without being repeated', async () => {
  const words = `${'abandon '.repeat(11)}abandon`;
  const failed = await start({ MNEMONIC: words }).catch((error: Error) => error.message);
  expect(failed).toMatch(/^SVC_EVM_STANDALONE_MNEMONIC: expected 12, 15, 18, 21 or 24 English words of BIP-39,/);
  expect(failed).not.toContain('abandon');
});

test.each([1_000_000_000, 4_000_000_000])('the clock runs from a chosen time, %d', async (timestamp) => {
  const node = await start({ TIMESTAMP: String(timestamp) });
  expect(Number((await getBlock(node, '0x0')).timestamp)).toBe(timestamp);
  await node.call('evm_mine');
  const { timestamp: next } = await getBlock(node, 'latest');
  expect(Number(next)).toBeGreaterThan(timestamp);
  expect(Number(next)).toBeLessThan(timestamp + 3_600);
  await node.call('anvil_reset');
  await node.call('evm_mine');
  expect(Number((await getBlock(node, 'latest')).timestamp)).toBeLessThan(timestamp + 3_600);
});

// Defect: Calls of the pending block in `evm dev` had a time, a base fee and a fee recipient that its next block did not
// have
test('calls of the pending block run in the block that will be made', async () => {
  const node = await start({});
  // Returns number, time, base fee, prevRandao, coinbase and gas limit of its block.
  await node.call('anvil_setCode', to, '0x435f52426020524860405244606052416080524560a05260c05ff3');
  await node.call('evm_setNextBlockTimestamp', 9_000_000_000);
  await node.call('anvil_setNextBlockBaseFeePerGas', '0x77');
  await node.call('anvil_setPrevRandao', `0x${'5a'.repeat(32)}`);
  await node.call('anvil_setCoinbase', from);
  await node.call('evm_setBlockGasLimit', '0x1c9c381');
  const seen = String(await node.call('eth_call', { from, to, gasPrice: '0x77' }, 'pending'));
  const pending = (await node.call('eth_getBlockByNumber', 'pending', false)) as Record<string, string>;
  await node.call('evm_mine');
  const made = (await node.call('eth_getBlockByNumber', 'latest', false)) as Record<string, string>;
  expect(made).toMatchObject({ timestamp: '0x218711a00', baseFeePerGas: '0x77', gasLimit: '0x1c9c381' });
  const names = ['number', 'timestamp', 'baseFeePerGas', 'mixHash', 'miner', 'gasLimit'];
  const words = names.map((name) => BigInt(made[name] ?? ''));
  expect(seen).toBe(`0x${words.map((word) => word.toString(16).padStart(64, '0')).join('')}`);
  const shown = names.filter((name) => name !== 'miner');
  expect(shown.map((name) => pending[name])).toEqual(shown.map((name) => made[name]));
});

// Defect: Gas estimates of `evm dev` ran at the time of the latest block, not at that of `evm_setNextBlockTimestamp`, and
// refused transactions that succeed
test('gas is estimated in the block that will be made', async () => {
  const node = await start({});
  // Reverts before the time 3,000,000,000.
  await node.call('anvil_setCode', to, '0x63b2d05e004210600b57005b5f5ffd');
  expect((await node.ask('eth_estimateGas', { from, to })).error?.message).toBe('execution reverted');
  await node.call('evm_setNextBlockTimestamp', 3_000_000_000);
  expect(await node.call('eth_estimateGas', { from, to })).toMatch(/^0x5[0-9a-f]{3}$/);
  const hash = await node.call('eth_sendTransaction', { from, to });
  expect(await node.call('eth_getTransactionReceipt', hash)).toMatchObject({ status: '0x1' });
});

test('without mining a transaction waits until a block is asked for', async () => {
  const node = await start({ NO_MINING: 'true' });
  const hash = await node.call('eth_sendTransaction', { from, to, value: '0x1' });
  expect(await node.call('eth_getTransactionReceipt', hash)).toBeNull();
  expect(await node.call('anvil_getAutomine')).toBe(false);
  await node.call('evm_mine');
  expect(await node.call('eth_getTransactionReceipt', hash)).toMatchObject({ blockNumber: '0x1' });
});

test('with mixed mining there are blocks by time and by transactions', async () => {
  const node = await start({ MIXED_MINING: 'true', BLOCK_TIME: '1' });
  const hash = await node.call('eth_sendTransaction', { from, to, value: '0x1' });
  const { blockNumber } = (await node.call('eth_getTransactionReceipt', hash)) as { blockNumber: string };
  await eventually(async () => BigInt((await getBlock(node, 'latest')).number) > BigInt(blockNumber), 5_000);
});

test('every account is impersonated where that is asked for', async () => {
  const stranger = `0x${'57'.repeat(20)}`;
  const node = await start({ AUTO_IMPERSONATE: 'true' });
  await node.call('anvil_setBalance', stranger, '0xde0b6b3a7640000');
  const hash = await node.call('eth_sendTransaction', { from: stranger, to, value: '0x1' });
  expect(await node.call('eth_getTransactionReceipt', hash)).toMatchObject({ from: stranger, status: '0x1' });
});

/** Returns that many zeros as code. */
const returning = (bytes: number, padding = 0) =>
  `0x62${bytes.toString(16).padStart(6, '0')}5ff3${'00'.repeat(padding)}`;

test.each([
  [24_576, {}, true],
  [24_577, {}, false],
  [24_577, { CODE_SIZE_LIMIT: '30000' }, true],
  [30_001, { CODE_SIZE_LIMIT: '30000' }, false],
])('code of %d bytes with %j: %s', async (bytes, settings, fits) => {
  const node = await start(settings);
  const transaction = { from, data: returning(bytes), gas: '0xf00000' };
  const hash = await node.call('eth_sendTransaction', transaction);
  expect(await node.call('eth_getTransactionReceipt', hash)).toMatchObject({ status: fits ? '0x1' : '0x0' });
  const { error } = await node.ask('eth_estimateGas', { from, data: returning(bytes) });
  expect(error === undefined).toBe(fits);
  const called = await node.ask('eth_call', { from, data: returning(bytes) });
  expect(called.error === undefined).toBe(fits);
  const traced = (await node.call('debug_traceTransaction', hash, { tracer: 'callTracer' })) as { error?: string };
  expect(traced.error === undefined).toBe(fits);
});

test.each([
  [49_152, {}, true],
  [49_153, {}, false],
  [49_153, { CODE_SIZE_LIMIT: '30000' }, true],
  [60_001, { CODE_SIZE_LIMIT: '30000' }, false],
])('init code of %d bytes with %j: %s', async (bytes, settings, fits) => {
  const node = await start(settings);
  const data = returning(1, bytes - 6);
  expect((data.length - 2) / 2).toBe(bytes);
  const { error } = await node.ask('eth_sendTransaction', { from, data, gas: '0xf00000' });
  expect(error?.message ?? '').toContain(fits ? '' : 'max initcode size exceeded');
  expect(error === undefined).toBe(fits);
});

test.each([
  [49_152, {}, true],
  [49_153, {}, false],
  [49_153, { CODE_SIZE_LIMIT: '30000' }, true],
  [60_001, { CODE_SIZE_LIMIT: '30000' }, false],
])('a contract that creates one from %d bytes of init code with %j: %s', async (bytes, settings, fits) => {
  const node = await start(settings);
  await node.call('anvil_setCode', to, `0x62${bytes.toString(16).padStart(6, '0')}5f5ff0`);
  const { error } = await node.ask('eth_call', { to });
  expect(error?.message).toBe(fits ? undefined : 'max initcode size exceeded');
});

test.each([
  ['0.0.0.0:0', true],
  ['127.0.0.1:0', false],
])('a node at %s warns of other machines: %s', async (address, warns) => {
  const { lines } = await start({ HTTP_ADDR: address });
  expect(lines.some(({ msg }) => String(msg).startsWith('other machines reach this node'))).toBe(warns);
});
