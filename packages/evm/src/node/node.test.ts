import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createMetrics, InvalidConfig, loadConfig, silentLogger } from '@switchyard/service';
import { afterEach, expect, test } from 'vitest';
import { evmFields } from '../config.ts';
import { evmGenesisFile, type GenesisChoices } from '../genesis/file.ts';
import { startEvmNode } from './node.ts';

const cleanups: (() => Promise<void> | void)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

async function directory() {
  const home = await mkdtemp(join(tmpdir(), 'evm-node-'));
  cleanups.push(() => rm(home, { recursive: true, force: true }));
  return home;
}

/** A node over the files in `home`, with a composer that is not there. */
async function start(home: string, choices: Partial<GenesisChoices> = {}, env: Record<string, string> = {}) {
  const genesis = join(home, 'genesis.json');
  await writeFile(
    genesis,
    evmGenesisFile({ rollupName: 'node-test', sequencerChainId: 'test', startHeight: 2, ...choices }),
  );
  const config = loadConfig(evmFields, {
    SVC_EVM_GENESIS_FILEPATH: genesis,
    SVC_EVM_DB_FILEPATH: join(home, 'db'),
    SVC_EVM_COMPOSER_ADDR: 'http://127.0.0.1:1',
    SVC_EVM_EXECUTION_GRPC_ADDR: '127.0.0.1:0',
    SVC_EVM_HTTP_ADDR: '127.0.0.1:0',
    SVC_EVM_WS_ADDR: '127.0.0.1:0',
    ...env,
  });
  const stopping = new AbortController();
  const closers: (() => Promise<void> | void)[] = [];
  const running: Promise<unknown>[] = [];
  const stop = async () => {
    stopping.abort(new Error('the test is over'));
    await Promise.all(running.splice(0));
    for (const close of closers.splice(0).reverse()) await close();
  };
  cleanups.push(stop);
  const node = await startEvmNode(config, {
    log: silentLogger,
    signal: stopping.signal,
    fail: (error) => expect.unreachable(String(error)),
    metrics: createMetrics('test_'),
    defer: (close) => void closers.push(close),
    background: (work) => void running.push(work),
  });
  const call = async (method: string, ...params: unknown[]) => {
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });
    const headers = { 'content-type': 'application/json' };
    const answer = await fetch(node.httpUrl, { method: 'POST', headers, body });
    return (await answer.json()) as { result?: unknown; error?: { message: string } };
  };
  return { ...node, stop, call };
}

test('a node answers before there is a composer, and reports that it is not ready', async () => {
  const { httpUrl, call } = await start(await directory());
  expect(await call('eth_blockNumber')).toMatchObject({ result: '0x0' });
  expect(await call('eth_chainId')).toMatchObject({ result: '0x539' });
  expect(await (await fetch(`${httpUrl}/healthz`)).json()).toEqual({ status: 'ok', pid: process.pid });
  const ready = await fetch(`${httpUrl}/readyz`);
  expect([ready.status, await ready.json()]).toMatchObject([503, { reason: 'the composer is not reachable' }]);
  expect(await (await fetch(`${httpUrl}/status`)).json()).toMatchObject({
    rollup: 'node-test',
    chainId: 1337,
    soft: { number: 0 },
    firm: { number: 0 },
    composer: 'unreachable',
    backend: 'embedded',
    fork: 'osaka',
    forks: { prague: 0, osaka: 0 },
  });
  const osaka = { precompiles: { P256VERIFY: '0x0000000000000000000000000000000000000100' } };
  expect(await call('eth_config')).toMatchObject({ result: { current: osaka, next: null, last: null } });
});

test('a node that is started again continues with the same chain', async () => {
  const home = await directory();
  const first = await start(home);
  const { result } = await first.call('eth_getBlockByNumber', '0x0', false);
  await first.stop();
  const again = await start(home);
  expect(await again.call('eth_getBlockByNumber', '0x0', false)).toMatchObject({ result });
});

test('another genesis on old data is refused, and nothing is changed', async () => {
  const home = await directory();
  await (await start(home)).stop();
  const error = await start(home, { gasLimit: 5_000_000 }).catch((reason: unknown) => reason);
  expect(error).toBeInstanceOf(InvalidConfig);
  expect(String(error)).toContain('the genesis of rollup "node-test" that the database was begun with');
  for (const cleanup of cleanups.splice(1).reverse()) await cleanup();
  const { call } = await start(home);
  expect(await call('eth_blockNumber')).toMatchObject({ result: '0x0' });
});

test('a missing genesis file is reported with its setting', async () => {
  const home = await directory();
  const missing = start(home, {}, { SVC_EVM_GENESIS_FILEPATH: join(home, 'nothing.json') });
  await expect(missing).rejects.toThrow('SVC_EVM_GENESIS_FILEPATH: expected a genesis file that can be read');
});

test('a node for development signs with the published keys', async () => {
  const { call, httpUrl } = await start(await directory(), {}, { SVC_EVM_DEV_ACCOUNTS: 'true' });
  const { result } = await call('eth_accounts');
  expect(result).toHaveLength(10);
  const [account] = result as string[];
  expect(await call('eth_sign', account, '0x68')).toMatchObject({ result: expect.stringMatching(/^0x[0-9a-f]{130}$/) });
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_sign', params: [account, '0x68'] });
  const ofPage = await fetch(httpUrl, { method: 'POST', headers: { origin: 'https://evil.example' }, body });
  expect(await ofPage.text()).toContain('may not call eth_sign');
  const other = await start(await directory());
  expect(await other.call('eth_accounts')).toMatchObject({ result: [] });
  expect((await other.call('eth_sign', account, '0x68')).error?.message).toContain('this node holds no keys');
});

test.each<[string, Partial<GenesisChoices>, Record<string, string>, string]>([
  [
    'a listener is open to others',
    {},
    { SVC_EVM_HTTP_ADDR: '0.0.0.0:0' },
    'true, with SVC_EVM_HTTP_ADDR open to others at 0.0.0.0',
  ],
  [
    'the composer is elsewhere',
    {},
    { SVC_EVM_COMPOSER_ADDR: 'http://composer.example:1' },
    'a composer that is not local',
  ],
  ['the chain gives the accounts nothing', { balances: new Map() }, {}, 'whose genesis gives them nothing'],
])('the published keys are refused where %s', async (_, choices, env, reason) => {
  const starting = start(await directory(), choices, { SVC_EVM_DEV_ACCOUNTS: 'true', ...env });
  await expect(starting).rejects.toThrow(reason);
});
