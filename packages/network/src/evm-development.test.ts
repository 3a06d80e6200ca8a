import { expect, test } from 'vitest';
import { evm, type LocalNetwork, localNetwork, messenger } from './index.ts';

const HOUR = 3_600n;
/** Connections are kept over a revert. */
const LISTEN = { listen: { evm: { http: 0, ws: 0 } } } as const;

interface Answer {
  readonly result?: unknown;
  readonly error?: { readonly code: number; readonly message: string };
}

const request = (method: string, params: readonly unknown[]) =>
  JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });

/** Calls of the EVM rollup of a network, over connections that are kept. */
function makeRpc({ urls }: LocalNetwork) {
  const headers = { 'content-type': 'application/json' };
  const ask = async (method: string, ...params: readonly unknown[]): Promise<Answer> => {
    const body = request(method, params);
    return (await fetch(urls.evm?.http ?? '', { method: 'POST', headers, body })).json() as Promise<Answer>;
  };
  /** @throws if the answer is an error. */
  const call = async (method: string, ...params: readonly unknown[]): Promise<unknown> => {
    const { result, error } = await ask(method, ...params);
    if (error !== undefined) throw new Error(`${method}: ${error.message}`);
    return result;
  };
  return { ask, call };
}

const hex = (value: bigint) => `0x${value.toString(16)}`;

test('a network whose blocks are manual has the time, blocks and past that the methods of evm dev ask for', async () => {
  await using network = await localNetwork({ ...LISTEN, rollups: [evm(), messenger()], blocks: 'manual' });
  const { call } = makeRpc(network);
  const node = network.client('evm');
  const latest = async () => (await node.status()).latest;
  expect(await call('web3_clientVersion')).toMatch(/^anvil\//);
  expect(await call('anvil_getAutomine')).toBe(false);
  await call('evm_mine');
  const first = await latest();
  await call('hardhat_mine', '0x3');
  expect((await latest()).number).toBe(first.number + 3n);

  const time = (await latest()).timestamp + HOUR;
  await call('evm_setNextBlockTimestamp', hex(time));
  await call('evm_mine');
  expect((await latest()).timestamp).toBe(time);
  await call('evm_mine', { timestamp: hex(time + HOUR), blocks: '0x1' });
  expect((await latest()).timestamp).toBe(time + HOUR);
  await call('anvil_mine', '0x3', hex(HOUR));
  const { number: last, timestamp: end } = await latest();
  expect((await node.block(last - 2n))?.timestamp).toBe(end - 2n * HOUR);
  // Also a past one.
  await call('evm_increaseTime', hex(HOUR));
  await call('evm_setNextBlockTimestamp', hex(end + 1n));
  await call('evm_mine');
  expect((await latest()).timestamp).toBe(end + 1n);
  await expect(call('evm_setNextBlockTimestamp', hex(time))).rejects.toThrow('is not after that of the latest block');
  await expect(call('evm_setTime', hex(time))).rejects.toThrow('the time of a network runs forward only');
  expect(BigInt(String(await call('evm_increaseTime', hex(HOUR))))).toBeGreaterThanOrEqual(5n * HOUR);

  // Connections are kept, and a client notices nothing of the node that is started again.
  const id = await call('evm_snapshot');
  const { number } = await latest();
  const [from, to] = (await call('eth_accounts')) as string[];
  const balance = await call('eth_getBalance', to, 'latest');
  const chat = network.client('messenger');
  for (const round of [1, 2]) {
    await call('eth_sendTransaction', { from, to, value: '0x1' });
    const { hash } = await chat.submitText(`round ${round}`);
    await call('evm_mine');
    await chat.waitFor(hash);
    expect(await call('eth_getBalance', to, 'latest')).not.toBe(balance);
    const again = round === 1 ? id : hex(2n);
    expect(await call('evm_revert', again)).toBe(true);
    expect((await latest()).number).toBe(number);
    expect(await call('eth_getBalance', to, 'latest')).toBe(balance);
    expect(await chat.texts({ after: 0n })).toEqual([]);
    // It is gone, as all later ones are.
    expect(await call('evm_revert', again)).toBe(false);
    expect(await call('evm_snapshot')).toBe(hex(BigInt(round) + 1n));
  }
}, 30_000);

test('a contract without a key sends, and blocks that have it are those of every node that knows its mark', async () => {
  await using network = await localNetwork({ ...LISTEN, rollups: [evm()], blocks: 'manual' });
  const { ask, call } = makeRpc(network);
  const [rich] = (await call('eth_accounts')) as string[];
  // Answers nothing, and takes every message.
  const made = await call('eth_sendTransaction', { from: rich, data: '0x6001600c60003960016000f300', gas: '0x30d40' });
  await call('evm_mine');
  const { contractAddress: from } = (await call('eth_getTransactionReceipt', made)) as { contractAddress: string };
  await call('eth_sendTransaction', { from: rich, to: from, value: hex(10n ** 18n) });
  await call('evm_mine');
  expect(await call('eth_getCode', from, 'latest')).toBe('0x00');

  const to = `0x${'57'.repeat(20)}`;
  expect((await ask('eth_sendTransaction', { from, to, value: '0x1' })).error?.message).toContain('unknown account');
  await call('hardhat_impersonateAccount', from);
  const hash = await call('eth_sendTransaction', { from, to, value: '0x1' });
  await network.kill('evm');
  await network.start('evm');
  await call('evm_mine');
  expect(await call('eth_getTransactionReceipt', hash)).toMatchObject({ from, status: '0x1' });
  expect(await call('debug_traceTransaction', hash, { tracer: 'callTracer' })).toMatchObject({ from });
  expect(await call('anvil_stopImpersonatingAccount', from)).toBe(true);
  expect((await ask('eth_sendTransaction', { from, to, value: '0x1' })).error?.message).toContain('unknown account');
}, 30_000);

test('where blocks are automatic, time and blocks are asked for, and the rest is refused with its reason', async () => {
  await using network = await localNetwork({ ...LISTEN, rollups: [evm()] });
  const { ask, call } = makeRpc(network);
  const node = network.client('evm');
  const { timestamp, number } = (await node.status()).latest;
  await call('evm_increaseTime', hex(HOUR));
  await call('evm_mine');
  const { latest } = await node.status();
  expect(latest.number).toBeGreaterThan(number);
  expect(latest.timestamp).toBeGreaterThanOrEqual(timestamp + HOUR);
  expect(await call('hardhat_getAutomine')).toBe(true);
  for (const [method, ...params] of [
    ['evm_setNextBlockTimestamp', hex(latest.timestamp + HOUR)],
    ['evm_mine', hex(latest.timestamp + HOUR)],
    ['anvil_mine', '0x2', '0x1'],
  ] as const) {
    expect((await ask(method, ...params)).error?.message).toContain('since blocks are automatic');
  }
  // The state follows from the sequencer's blocks alone.
  for (const method of ['anvil_setBalance', 'hardhat_setCode', 'evm_setAutomine', 'anvil_reset']) {
    expect((await ask(method)).error?.message).toContain('only `switchyard evm dev` can change its chain at will');
  }
  // A node that executes nothing is no reason to wait for ever.
  await network.kill('evm-conductor');
  await expect(call('evm_mine')).rejects.toThrow('does its conductor run?');
}, 30_000);
