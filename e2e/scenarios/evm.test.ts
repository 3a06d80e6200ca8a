import { spawn } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { freePort } from '@switchyard/service/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { cast, castJson, castText, compiler, contracts, DEV_ADDRESSES, devAddress, devKey } from '../support/evm.ts';
import { createNetwork, type Network, root, run, until } from '../support/network.ts';
import { tool } from '../support/tools.ts';

/** The checks of an Ethereum tutorial with the real `cast` and `forge`: each command as its user types it. */
let network: Network;
let ready: Record<string, unknown>;

const WEI = 10n ** 18n;
const TEN = '10000000000000000000';

beforeAll(async () => {
  network = await createNetwork({ init: ['--template', 'evm'], hasProcesses: false });
  ready = await network.start();
});

afterAll(() => network?.dispose());

test('prints where an Ethereum user connects', () => {
  expect(ready).toMatchObject({
    rollup: { name: 'evm', url: network.url('evm') },
    evm: {
      name: 'evm',
      chainId: 1337,
      url: network.url('evm'),
      ws: network.url('evmWs').replace('http', 'ws'),
      faucet: network.url('faucet'),
    },
  });
  for (const address of DEV_ADDRESSES) expect(network.output()).toContain(address);
});

test('block 0 is the genesis, and the accounts of anvil and Hardhat are funded', async () => {
  const block = await castJson(network, 'block', '0');
  const genesis = JSON.parse(readFileSync(join(network.home, network.instance, 'config', 'evm_genesis.json'), 'utf8'));
  expect(block).toMatchObject({ number: '0x0', gasLimit: genesis.gasLimit, baseFeePerGas: '0x3b9aca00' });
  expect(await castText(network, 'chain-id')).toBe('1337');
  for (const address of DEV_ADDRESSES) expect(await castText(network, 'balance', address)).toBe(String(10_000n * WEI));
});

test('a value transfer is in a block with its receipt, and moves the balances', async () => {
  const to = '0x00000000000000000000000000000000deadbeef';
  expect(await castText(network, 'balance', to)).toBe('0');
  const receipt = await castJson(network, 'send', to, '--value', TEN, '--private-key', devKey(0));
  expect(receipt).toMatchObject({ status: '0x1', from: devAddress(0).toLowerCase(), to, gasUsed: '0x5208' });
  expect(await castText(network, 'balance', to)).toBe(TEN);
  expect(await castText(network, 'nonce', devAddress(0))).toBe('1');
  const hash = String(receipt.transactionHash);
  expect(await castJson(network, 'tx', hash)).toMatchObject({
    hash,
    blockHash: receipt.blockHash,
    value: '0x8ac7230489e80000',
  });
  expect(await castJson(network, 'receipt', hash)).toMatchObject({ blockNumber: receipt.blockNumber });
  const outcome = await network.switchyard('evm', 'transaction', hash, '--instance', network.instance, '--json');
  expect(JSON.parse(outcome.stdout)).toMatchObject({
    status: 'included',
    block: Number(receipt.blockNumber),
    success: true,
  });
  const spent = 10_000n * WEI - BigInt(await castText(network, 'balance', devAddress(0))) - BigInt(TEN);
  expect(spent).toBe(21_000n * BigInt(String(receipt.effectiveGasPrice)));
});

test('a transaction of the old kind, and one with an access list', async () => {
  const send = (...more: string[]) =>
    castJson(network, 'send', devAddress(2), '--value', '1', '--private-key', devKey(1), ...more);
  expect(await send('--legacy')).toMatchObject({ status: '0x1', type: '0x0' });
  expect(await send('--access-list', JSON.stringify([{ address: devAddress(3), storageKeys: [] }]))).toMatchObject({
    status: '0x1',
    type: '0x2',
  });
});

test('what cannot be, is refused in the words that tools know', async () => {
  const poor = `0x${'11'.repeat(32)}`;
  const unfunded = await cast(network, 'send', devAddress(0), '--value', '1', '--private-key', poor);
  expect(unfunded.status).not.toBe(0);
  expect(unfunded.stderr).toMatch(/insufficient funds/i);
  const stale = ['--nonce', '0', '--gas-limit', '21000'];
  const old = await cast(network, 'send', devAddress(1), '--value', '1', '--private-key', devKey(0), ...stale);
  expect(old.stderr).toContain('nonce too low');
  const garbage = await cast(network, 'rpc', 'eth_sendRawTransaction', '0x1234');
  expect(garbage.status).not.toBe(0);
  const unknown = await cast(network, 'rpc', 'engine_newPayloadV3');
  expect(unknown.stderr).toContain('-32601');
});

test('the small questions of cast are answered', async () => {
  expect(await castText(network, 'client')).toMatch(/switchyard/i);
  expect(BigInt(await castText(network, 'gas-price'))).toBeGreaterThan(0n);
  expect(BigInt(await castText(network, 'base-fee'))).toBeGreaterThan(0n);
  expect(Number(await castText(network, 'block-number'))).toBeGreaterThan(0);
  expect(await castJson(network, 'block', 'finalized')).toHaveProperty('hash');
  expect(await castJson(network, 'tx-pool', 'status')).toEqual({ pending: '0x0', queued: '0x0' });
  expect(await castText(network, 'estimate', devAddress(1), '--value', '1')).toBe('21000');
  expect(await castText(network, 'code', '0x4e59b44847b379578588920cA78FbF26c0B4956C')).toMatch(/^0x7fff/);
});

test('forge deploys a token, and cast uses it', async () => {
  const made = await run(tool('forge'), [
    'create',
    ...[
      '--root',
      contracts,
      '--use',
      compiler,
      '--rpc-url',
      network.url('evm'),
      '--private-key',
      devKey(2),
      '--broadcast',
    ],
    ...['--out', join(network.home, 'out'), '--cache-path', join(network.home, 'cache')],
    ...['src/Token.sol:Token', '--constructor-args', 'Coin', 'CN', '1000'],
  ]);
  expect(made).toMatchObject({ status: 0 });
  const token = /Deployed to: (0x[0-9a-fA-F]{40})/.exec(made.stdout)?.[1] ?? '';
  const call = (signature: string, ...args: string[]) => castText(network, 'call', token, signature, ...args);
  expect(await call('symbol()(string)')).toBe('"CN"');
  expect(await call('balanceOf(address)(uint256)', devAddress(2))).toMatch(/^1000\b/);

  const moved = ['send', token, 'transfer(address,uint256)', devAddress(3), '40', '--private-key', devKey(2)];
  const { logs, blockNumber } = await castJson(network, ...moved);
  expect(logs).toHaveLength(1);
  expect(await call('balanceOf(address)(uint256)', devAddress(3))).toBe('40');
  const from = ['--from-block', String(blockNumber), '--address', token];
  const found = JSON.parse(await castText(network, 'logs', ...from, 'Transfer(address,address,uint256)', '--json'));
  expect(found).toHaveLength(1);
  expect(found[0]).toMatchObject({ address: token.toLowerCase(), blockNumber });

  const reverted = await cast(network, 'call', token, 'transfer(address,uint256)', devAddress(1), '5');
  expect(reverted.status).not.toBe(0);
  expect(reverted.stderr).toMatch(/revert/i);
});

test('the chain can be exported, checked block by block elsewhere, and asked there', async () => {
  const [file, genesis] = [join(network.home, 'chain.rlp'), join(network.home, 'genesis.json')];
  const own = ['--instance', network.instance];
  const exported = await network.switchyard('evm', 'export', file, ...own, '--json');
  expect(exported).toMatchObject({ status: 0 });
  const { last } = JSON.parse(exported.stdout);
  const { stdout } = await network.switchyard('evm', 'genesis', ...own);
  writeFileSync(genesis, stdout);
  const port = await freePort();
  const archive = spawn(process.execPath, [
    join(root, 'packages', 'cli', 'bin', 'switchyard.mjs'),
    ...['evm', 'import', '--genesis', genesis, '--blocks', file, '--db', join(network.home, 'archive')],
    ...['--listen', `127.0.0.1:${port}`],
  ]);
  const ended = new Promise((resolve) => archive.once('close', resolve));
  try {
    const elsewhere = { url: () => `http://127.0.0.1:${port}` };
    await until('the archive answers', () =>
      castText(elsewhere, 'block-number').then((at) => at === String(last) || undefined),
    );
    const block = await castJson(network, 'block', String(last));
    expect(await castJson(elsewhere, 'block', String(last))).toEqual(block);
    expect(await castText(elsewhere, 'nonce', devAddress(2))).toBe(await castText(network, 'nonce', devAddress(2)));
    const refused = await cast(elsewhere, 'send', devAddress(1), '--value', '1', '--private-key', devKey(0));
    expect(refused.status).not.toBe(0);
  } finally {
    archive.kill('SIGINT');
    await ended;
  }
});

test('what is there is there after a restart, under the same hashes', async () => {
  const before = await castJson(network, 'block', 'latest');
  const number = String(BigInt(String(before.number)));
  await network.stop();
  await network.start();
  expect(await castJson(network, 'block', number)).toMatchObject({ hash: before.hash, stateRoot: before.stateRoot });
  const receipt = await castJson(network, 'send', devAddress(1), '--value', '1', '--private-key', devKey(0));
  expect(receipt).toMatchObject({ status: '0x1' });
});

test('a transaction behind a missing nonce is cancelled, and never moves what it would have', async () => {
  const to = '0x00000000000000000000000000000000cafe0001';
  const next = Number(await castText(network, 'nonce', devAddress(4)));
  const [later, missing] = [next + 1, next].map(String);
  const held = ['mktx', to, '--nonce', later ?? '', '--value', TEN, '--private-key', devKey(4)];
  const raw = await castText(network, ...held);
  const hash = (await castText(network, 'publish', '--async', raw)).replaceAll('"', '');
  const evm = (...args: string[]) => network.switchyard('evm', ...args, '--instance', network.instance, '--json');
  expect(JSON.parse((await evm('transaction', hash)).stdout)).toMatchObject({ status: 'held', missing: next });
  const cancelled = await evm('cancel', hash, '--private-key', devKey(4));
  const { cancelledBy } = JSON.parse(cancelled.stdout) as { cancelledBy: string };
  expect(JSON.parse((await evm('transaction', hash)).stdout)).toMatchObject({ status: 'replaced', by: cancelledBy });
  await castText(network, 'send', to, '--nonce', missing ?? '', '--value', '1', '--private-key', devKey(4));
  const nonce = async () => ((await castText(network, 'nonce', devAddress(4))) === String(next + 2) ? true : undefined);
  await until('the cancellation is in a block', nonce);
  expect(await castText(network, 'balance', to)).toBe('1');
});

test.each([
  ['that was not made', ['--instance', 'unmade', '--network', 'local']],
  ['on an unknown network', ['--instance', 'e2e', '--network', 'lokal']],
  ['that runs already', ['--instance', 'e2e', '--network', 'local']],
])('an instance %s is not started, for a reason in one line', async (_, args) => {
  const ran = await network.switchyard('dev', 'run', ...args);
  expect(ran.status).not.toBe(0);
  expect(ran.stderr.trim().split('\n')).toHaveLength(1);
  expect(ran.stderr).not.toMatch(/ at .*\.js:\d+|undefined|\[object/);
});
