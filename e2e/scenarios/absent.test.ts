import { type ChildProcess, spawn } from 'node:child_process';
import { join } from 'node:path';
import { signText } from '@switchyard/messenger/testing';
import { txHashOf } from '@switchyard/protocol';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createNetwork, type Network, root, until } from '../support/network.ts';
import { ALICE, ASSET, ask, post } from '../support/submitting.ts';

/** Processes started by hand, in the worst order: each logs its wait, and continues. */
let network: Network;
const running = new Map<string, { child: ChildProcess; printed: string }>();

/** Services that are not labelled by the name of their package. */
const LABELS: Readonly<Record<string, string>> = { messenger: 'rollup' };
let environments: ReadonlyMap<string, NodeJS.ProcessEnv>;

beforeAll(async () => {
  network = await createNetwork();
  environments = await settingsOfServices();
});

afterAll(async () => {
  for (const name of running.keys()) await stop(name);
  await network?.dispose();
});

/** The settings of each service, as the environment that `dev run` would give. */
async function settingsOfServices(): Promise<ReadonlyMap<string, NodeJS.ProcessEnv>> {
  const { stdout } = await network.switchyard('dev', 'config', 'show', '--json', '--instance', network.instance);
  const shown: { settings: { service?: string; key: string; value: string; from: string }[] } = JSON.parse(stdout);
  const env = new Map<string, NodeJS.ProcessEnv>();
  for (const { service, key, value, from } of shown.settings) {
    if (service === undefined || from === 'default') continue;
    env.set(service, { ...env.get(service), [key.toUpperCase()]: value });
  }
  return env;
}

function settings(service: string): NodeJS.ProcessEnv {
  return { PATH: process.env.PATH, ...environments.get(service) };
}

function start(name: string): void {
  const child = spawn(process.execPath, [join(root, 'packages', name, 'dist', 'main.js')], {
    env: settings(LABELS[name] ?? name),
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const entry = { child, printed: '' };
  running.set(name, entry);
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk: Uint8Array) => (entry.printed += String(chunk)));
}

async function stop(name: string): Promise<void> {
  const child = running.get(name)?.child;
  running.delete(name);
  if (child === undefined || child.exitCode !== null) return;
  const closed = new Promise((resolve) => child.once('close', resolve));
  child.kill('SIGTERM');
  await closed;
  expect(child.exitCode).toBe(0);
}

const logs = (name: string, pattern: RegExp) =>
  until(`${name} logs ${pattern}`, () => pattern.exec(running.get(name)?.printed ?? '')?.[0]);
const ready = (service: 'rollup' | 'composer' | 'conductor') => ask(`${network.url(service)}/readyz`);

test('processes that start before those they need wait for them, and one by one become ready', async () => {
  start('conductor');
  await logs('conductor', /waiting for the rollup/);
  expect(await ready('conductor')).toMatchObject({ status: 503 });

  start('messenger');
  const url = network.url('rollup');
  const status = await until('the rollup answers', async () => (await ask(`${url}/v1/status`)).body);
  expect((await ask(`${url}/recent`)).body).toHaveLength(1);
  expect(await ready('rollup')).toMatchObject({ status: 503, body: { reason: expect.stringMatching(/composer/) } });

  const text = { nonce: 0, chainId: status.chainId, text: 'early', from: 'alice', feeAsset: ASSET };
  const bytes = signText(text, ALICE);
  const refused = await post(`${url}/v1/transactions`, bytes);
  expect(refused).toMatchObject({ status: 503, body: { error: { message: expect.stringMatching(/composer/) } } });

  start('composer');
  await logs('composer', /cannot submit, waiting/);
  expect(await ready('composer')).toMatchObject({ status: 503, body: { reason: expect.stringMatching(/sequencer/) } });
  await until('the composer takes the text although no sequencer runs', async () =>
    (await post(`${url}/v1/transactions`, bytes)).status === 202 ? true : undefined,
  );
  expect((await ask(`${url}/v1/transactions/${txHashOf(bytes)}`)).body.state).toBe('queued');

  start('sequencer');
  const done = await until('the text is executed', async () => {
    const { body } = await ask(`${url}/v1/transactions/${txHashOf(bytes)}`);
    return body.state === 'executed' || body.state === 'firm' ? body : undefined;
  });
  expect(done).toMatchObject({ hash: txHashOf(bytes) });
  for (const service of ['rollup', 'composer', 'conductor'] as const) {
    await until(`${service} is ready`, async () => ((await ready(service)).status === 200 ? true : undefined));
  }
});

test('a peer that goes away is noticed, and its return too', async () => {
  await stop('sequencer');
  await until('the composer is not ready', async () => ((await ready('composer')).status === 503 ? true : undefined));
  await until('the conductor is not ready', async () => ((await ready('conductor')).status === 503 ? true : undefined));
  start('sequencer');
  for (const service of ['rollup', 'composer', 'conductor'] as const) {
    await until(`${service} is ready again`, async () => ((await ready(service)).status === 200 ? true : undefined));
  }
});

test('bad settings are named all at once, with the file', async () => {
  const child = spawn(process.execPath, [join(root, 'packages', 'messenger', 'dist', 'main.js')], {
    env: {
      ...settings('rollup'),
      GENESIS_FILEPATH: '/nowhere/genesis.json',
      REST_ADDR: 'nonsense',
      COMPOSER_ADDR: 'ftp://x',
    },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let printed = '';
  child.stderr.on('data', (chunk: Uint8Array) => (printed += String(chunk)));
  const code = await new Promise((resolve) => child.once('close', resolve));
  expect(code).toBe(78);
  expect(printed).toMatch(/REST_ADDR: expected .*got "nonsense"/);
  expect(printed).toMatch(/COMPOSER_ADDR: expected .*ftp:\/\/x/);
});
