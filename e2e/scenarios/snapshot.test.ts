import { readdirSync, readFileSync } from 'node:fs';
import { request } from 'node:http';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createNetwork, type Network, until } from '../support/network.ts';
import { ask } from '../support/submitting.ts';

/** A real network goes back to a saved state and works from there, running or stopped. */
let network: Network;
const ALICE_KEY = '2bd806c97f0e00af1a1fc3328fa763a9269723c8db8fac4f93af71db186d6e90';

beforeAll(async () => {
  network = await createNetwork({ isBare: true, hasProcesses: false });
  await network.start();
});

afterAll(() => network?.dispose());

async function say(text: string): Promise<void> {
  const sent = await network.rollupCli('submit', 'text', text, 'alice', '--private-key', ALICE_KEY);
  expect(sent, sent.stderr).toMatchObject({ status: 0 });
}

async function texts(): Promise<string[]> {
  const { stdout } = await network.rollupCli('query', 'texts', '--json');
  // Its shape is what the test compares.
  return (JSON.parse(stdout) as { message: string }[]).map(({ message }) => message).slice(1);
}

async function snapshot(...args: string[]): Promise<Record<string, unknown>> {
  const ran = await network.switchyard('dev', 'snapshot', ...args, '--instance', network.instance, '--json');
  expect(ran, ran.stderr).toMatchObject({ status: 0 });
  return JSON.parse(ran.stdout) as Record<string, unknown>;
}

const height = async () => (await ask(`${network.url('rollup')}/v1/status`)).body.soft.number as number;

test('a running network is saved, continues, and is restored', async () => {
  await say('before');
  const saved = await snapshot('save', 'one');
  expect(saved).toMatchObject({ name: 'one', rollupName: 'messenger', heights: { rollup: expect.any(Number) } });
  // Nothing had to be started by hand.
  await say('after');
  expect(await texts()).toEqual(['before', 'after']);

  await snapshot('restore', 'one');
  expect(await texts()).toEqual(['before']);
  const there = await height();
  await say('another way');
  expect(await texts()).toEqual(['before', 'another way']);
  expect(await height()).toBeGreaterThan(there);
});

/** An order to the tool that runs the network. */
function order(path: string): Promise<number> {
  const run: unknown = JSON.parse(readFileSync(join(network.home, network.instance, 'run.json'), 'utf8'));
  // The tool wrote it; without a path there is no answer.
  const { control } = run as { control: string };
  return new Promise((resolve, reject) => {
    const call = request({ socketPath: control, method: 'POST', path, agent: false }, (response) => {
      response.resume();
      response.on('end', () => resolve(response.statusCode ?? 0));
    });
    call.on('error', reject);
    call.end();
  });
}

test('a paused run waits, for as long as a large copy takes', async () => {
  expect(await order('/pause')).toBe(200);
  const status = async () => {
    const { stdout } = await network.switchyard('dev', 'status', '--instance', network.instance, '--json');
    return JSON.parse(stdout) as { services: { state: string }[] };
  };
  for (let ask = 0; ask < 3; ask += 1) expect(await status()).toMatchObject({ running: true, paused: true });
  expect(await order('/resume')).toBe(200);
  await until(
    'all are ready',
    async () => (await status()).services.every(({ state }) => state === 'ready') || undefined,
  );
  expect(await texts()).toEqual(['before', 'another way']);
});

test('a stopped network too, and it starts from there', async () => {
  await network.stop();
  await snapshot('save', 'two');
  await snapshot('restore', 'one');
  await network.start();
  expect(await texts()).toEqual(['before']);
  await network.stop();
  await snapshot('restore', 'two');
  await network.start();
  expect(await texts()).toEqual(['before', 'another way']);
  const left = readdirSync(join(network.home, network.instance)).filter((name) => /restore/.test(name));
  expect(left).toEqual([]);
});
