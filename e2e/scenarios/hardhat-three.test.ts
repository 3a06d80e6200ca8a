import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '@switchyard/service/testing';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { devAddress } from '../support/evm.ts';
import { type HardhatThree, hardhatThree, hardhatThreeIsThere } from '../support/hardhat-three.ts';
import { root, until } from '../support/network.ts';

/* Hardhat 3 with its own plugins on `switchyard evm dev`. */

describe.skipIf(!hardhatThreeIsThere())('Hardhat 3', { timeout: 120_000 }, () => {
  let home: string;
  let node: ChildProcess;
  let url: string;
  let hardhat: HardhatThree;

  beforeAll(async () => {
    home = mkdtempSync(join(tmpdir(), 'switchyard-hardhat3-'));
    const port = await freePort();
    const args = [join(root, 'packages', 'cli', 'bin', 'switchyard.mjs'), 'evm', 'dev', '--silent'];
    node = spawn(process.execPath, [...args, '--port', String(port)], { stdio: ['ignore', 'ignore', 'inherit'] });
    url = `http://127.0.0.1:${port}`;
    await until('the node', async () => (await fetch(`${url}/healthz`).catch(() => undefined))?.ok || undefined);
    hardhat = hardhatThree(home, { EVM_URL: url, CHAIN_ID: '31337' });
    await hardhat.printed('build');
  }, 120_000);
  afterAll(async () => {
    const ended = once(node, 'close');
    node.kill('SIGTERM');
    await ended;
    rmSync(home, { recursive: true, force: true });
  });

  const ask = async (method: string, ...params: readonly unknown[]): Promise<unknown> => {
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });
    const answer = await fetch(url, { method: 'POST', headers: { 'content-type': 'application/json' }, body });
    return ((await answer.json()) as { result?: unknown }).result;
  };
  const nonce = () => ask('eth_getTransactionCount', devAddress(0), 'latest');
  const deployment = ['ignition', 'deploy', '--network', 'switchyard', 'ignition/modules/token.js'];

  test('every network helper does what it does on the node of Hardhat', async () => {
    const stranger = '0x00000000000000000000000000000000000057a7';
    const word = `0x${'abc'.padStart(64, '0')}`;
    const printed = await hardhat.printed('run', '--no-compile', 'helpers.js');
    expect(JSON.parse(printed)).toEqual({
      ...{ mined: 3, upTo: 10, increasedTo: 0, increased: 50 },
      block: { timestamp: 100, baseFee: 1_234_567, prevRandao: 77, miner: stranger, gasLimit: 31_000_000 },
      ...{ slot: word, called: word, nonce: 9, afterwards: 'refused', isDropped: true },
      ...{ restored: 0, balance: '0x0' },
    });
  });

  test('an Ignition deployment that was killed resumes where it was', async () => {
    await ask('evm_setAutomine', false);
    const killed = hardhat.start(...deployment);
    const ended = once(killed, 'close');
    const waits = async () => ((await ask('txpool_status')) as { pending: string }).pending === '0x1' || undefined;
    await until('the first transaction waits', waits, 60_000);
    killed.kill('SIGKILL');
    await ended;
    await ask('evm_setAutomine', true);
    await ask('evm_mine');
    expect(await nonce()).toBe('0x1');
    expect(await hardhat.printed(...deployment)).toContain('[ Token ] successfully deployed');
    // One transaction for each step, the first of which was sent before the end.
    expect(await nonce()).toBe('0x3');
  });

  test('Ignition finds a finished deployment, and refuses another one in its place', async () => {
    expect(await hardhat.printed(...deployment)).toContain('[ Token ] Nothing new to deploy');
    const parameters = join(home, 'parameters.json');
    writeFileSync(parameters, JSON.stringify({ Token: { supply: 2_000 } }));
    const { status, stdout, stderr } = await hardhat.run(...deployment, '--parameters', parameters);
    expect([status, stdout + stderr]).toEqual([1, expect.stringContaining('Argument at index 2 has been changed')]);
    expect(await nonce()).toBe('0x3');
  });
});
