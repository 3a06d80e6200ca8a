import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createNetwork, type Network, until } from '../support/network.ts';

const KEYS = {
  svc_sequencer_block_interval_ms: '10',
  svc_sequencer_empty_block_interval_ms: '10',
  svc_sequencer_retain_blocks: '200',
  retain_blocks: '150',
  svc_evm_retain_blocks: '512',
};

let network: Network;

beforeAll(async () => {
  network = await createNetwork({ init: ['--template', 'messenger,evm'] });
  const file = join(network.home, network.instance, 'config', 'base-config.toml');
  let text = readFileSync(file, 'utf8');
  for (const [key, value] of Object.entries(KEYS)) {
    expect(text).toMatch(new RegExp(`^${key} = `, 'm'));
    text = text.replace(new RegExp(`^${key} = .*$`, 'm'), `${key} = "${value}"`);
  }
  writeFileSync(file, text);
  await network.start();
}, 120_000);
afterAll(() => network.dispose());

async function heights(): Promise<{ readonly first: number; readonly last: number }> {
  const response = await fetch(`${network.url('rpc')}/status`);
  const { result } = (await response.json()) as { result: { sync_info: Record<string, string> } };
  const { earliest_block_height: first, latest_block_height: last } = result.sync_info;
  return { first: Number(first), last: Number(last) };
}

async function ethereum(method: string, ...params: unknown[]) {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });
  const headers = { 'content-type': 'application/json' };
  const response = await fetch(network.url('evm'), { method: 'POST', headers, body });
  return (await response.json()) as { result?: unknown; error?: { code: number; message: string } };
}

const lowestBlock = async (): Promise<number> => {
  const status = (await (await fetch(`${network.url('rollup')}/v1/status`)).json()) as { lowestBlock: number };
  return status.lowestBlock;
};

const beyond = (height: number) =>
  until(`blocks below ${height} deleted`, async () => ((await heights()).first > height ? true : undefined), 120_000);

test('every process deletes old blocks, says so, and goes on over a restart', { timeout: 300_000 }, async () => {
  await beyond(50);
  await network.stop();
  await network.start();
  await beyond(100);
  const old = await fetch(`${network.url('rpc')}/block?height=5`);
  expect(await old.text()).toMatch(/height 5 is not available, lowest height is \d+/);

  await until('the messenger deletes', async () => ((await lowestBlock()) > 5 ? true : undefined), 60_000);
  const gone = await fetch(`${network.url('rollup')}/v1/blocks/5`);
  expect([gone.status, await gone.text()]).toEqual([410, expect.stringContaining('block 5 is not kept')]);

  const pruned = await until(
    'the EVM deletes',
    async () => (await ethereum('eth_getBlockByNumber', '0x5', false)).error,
    120_000,
  );
  expect(pruned).toMatchObject({ code: 4444, message: expect.stringContaining('pruned history unavailable') });
  expect(await ethereum('eth_getBlockByNumber', 'latest', false)).toMatchObject({
    result: { number: expect.any(String) },
  });
});

test('a rollup that stood still for too long is told what to do', { timeout: 300_000 }, async () => {
  const stopped = await network.switchyard('dev', 'stop', 'rollup', '--instance', network.instance);
  expect(stopped.stderr).toBe('');
  await beyond((await heights()).last + 10);
  await network.switchyard('dev', 'start', 'rollup', '--instance', network.instance);
  const said = await until(
    'the conductor says so',
    () => /no sequencer node has block \d+, which the rollup needs next: .*/.exec(network.output())?.[0],
    60_000,
  );
  expect(said).toMatch(/lowest height is \d+.*Add a node that keeps it.*or restore the rollup/);
  // The rest of the network goes on.
  const { last } = await heights();
  await until('more blocks', async () => ((await heights()).last > last + 20 ? true : undefined));
});
