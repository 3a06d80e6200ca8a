import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import type { RollupPort } from '../../connect.ts';
import { rollupCli } from '../../rollup-cli.ts';
import { switchyard } from '../../switchyard.ts';
import { type FakeWorld, runWith } from '../../testing.ts';
import { initInstance } from '../init/init.ts';
import { instancePaths } from './home.ts';
import { type Hold, holdInstance, readRunFile } from './run-file.ts';

const holds: Hold[] = [];
afterEach(() => {
  for (const hold of holds.splice(0)) hold.release();
});

/** Instances whose ports are 10 apart; those of `running` are held by this process. */
async function instances(templates: Readonly<Record<string, string>>, running: readonly string[] = []) {
  const home = mkdtempSync(join(tmpdir(), 'switchyard-which-'));
  for (const [index, [name, template]] of Object.entries(templates).entries()) {
    initInstance(instancePaths(home, name), { template, portOffset: 10 * index });
    if (running.includes(name)) holds.push(await holdInstance(instancePaths(home, name), 'local'));
  }
  return home;
}

const rollup: Partial<RollupPort> = { nonce: async () => 0 };
const ALICE = 'astria1rsxyjrcm255ds9euthjx6yc3vrjt9sxrm9cfgm';
const nonce = (home: string, args: readonly string[] = [], { env, ...world }: FakeWorld = {}) =>
  runWith(rollupCli, ['query', 'nonce', ALICE, ...args], { rollup, ...world, env: { SWITCHYARD_HOME: home, ...env } });

test('the usual instance is asked where it runs, and named where it is not the only one', async () => {
  const alone = await instances({ default: 'messenger', chat: 'messenger' }, ['default']);
  expect(await nonce(alone)).toMatchObject({ urls: ['http://127.0.0.1:3030'], stderr: '' });
  const both = await instances({ default: 'messenger', chat: 'messenger' }, ['default', 'chat']);
  expect(await nonce(both)).toMatchObject({
    urls: ['http://127.0.0.1:3030'],
    stderr: 'using instance default; chat runs too: --instance NAME picks one\n',
  });
});

test('the only one that runs is asked and named; of several others none is', async () => {
  const one = await instances({ default: 'messenger', chat: 'messenger', second: 'evm' }, ['chat', 'second']);
  expect(await nonce(one)).toMatchObject({
    urls: ['http://127.0.0.1:3040'],
    stderr: 'using instance chat, the only running one\n',
  });
  const two = await instances({ default: 'messenger', chat: 'messenger', more: 'messenger' }, ['chat', 'more']);
  expect(await nonce(two)).toMatchObject({
    status: 2,
    urls: [],
    stderr: 'which instance is meant? chat, more run: name one with --instance NAME\n',
  });
});

test('flag, variable, directory and run name an instance', async () => {
  const home = await instances({ default: 'messenger', chat: 'messenger' }, ['default', 'chat']);
  const chat = { urls: ['http://127.0.0.1:3040'], stderr: '' };
  const id = readRunFile(instancePaths(home, 'chat'))?.id;
  expect(await nonce(home, ['--instance', 'chat'])).toMatchObject(chat);
  expect(await nonce(home, ['--instance', 'chat'], { env: { ROLLUP_URL: 'http://other:1' } })).toMatchObject(chat);
  expect(await nonce(home, [], { env: { SWITCHYARD_INSTANCE_NAME: 'chat' } })).toMatchObject(chat);
  expect(await nonce(home, [], { env: { SWITCHYARD_RUN: id } })).toMatchObject(chat);
  expect(await nonce(home, [], { directory: join(home, 'chat', 'logs') })).toMatchObject(chat);
  expect(
    await nonce(home, [], { directory: join(home, 'chatter'), env: { ROLLUP_URL: 'http://other:1' } }),
  ).toMatchObject({ urls: ['http://other:1'] });
});

test('one without a messenger is refused, with the command that adds it', async () => {
  const home = await instances({ default: 'evm' });
  expect((await nonce(home, ['--instance', 'default'])).stderr).toMatch(
    /network local has no messenger: add one with `switchyard dev init --template messenger --instance default --home \S+`\n$/,
  );
  expect(await nonce(home)).toMatchObject({ urls: ['http://127.0.0.1:3030'] });
  expect((await nonce(home, ['--instance', 'defualt'])).stderr).toContain('did you mean "default"?');
});

test('what cannot be reached is followed by the next step', async () => {
  const home = await instances({ default: 'messenger', chat: 'messenger' }, ['chat']);
  const refused = Object.assign(new Error('GET /x'), { code: 'ECONNREFUSED' });
  const down = { rollup: { nonce: () => Promise.reject(refused) } };
  const stderr = async (...args: string[]) => (await nonce(home, args, down)).stderr.split('\n').at(-2);
  expect(await stderr('--instance', 'default')).toBe(
    'GET /x: nothing listens there: instance default is not running: start it with `switchyard dev start`',
  );
  expect(await stderr('--instance', 'chat')).toBe(
    'GET /x: nothing listens there: instance chat runs: `switchyard dev status --instance chat` shows how its services are',
  );
  expect(await stderr('--rollup-url', 'http://127.0.0.1:1')).toBe(
    'GET /x: nothing listens there: check --rollup-url; `switchyard dev status` shows what runs here',
  );
  const nothing = await nonce('/dev/null/none', ['--json'], down);
  expect(JSON.parse(nothing.stderr)).toEqual({
    error: {
      code: 'unreachable',
      status: 1,
      message:
        'GET /x: nothing listens there: start a network with `switchyard dev init` and `switchyard dev start`, or give its URL',
    },
  });
});

test('sequencer and EVM rollup are found by the same rule', async () => {
  const home = await instances({ default: 'messenger', second: 'evm' }, ['second']);
  const env = { SWITCHYARD_HOME: home };
  const args = ['sequencer', 'blockheight', 'get'];
  const height = await runWith((cli, connect) => switchyard(cli, args, connect), args, {
    env,
    sequencer: { height: async () => 1n },
  });
  expect(height).toMatchObject({
    urls: ['http://127.0.0.1:26667'],
    stderr: 'using instance second, the only running one\n',
  });
  const status = ['evm', 'transaction', `0x${'ab'.repeat(32)}`];
  const found = await runWith((cli, connect) => switchyard(cli, status, connect), status, {
    env,
    evm: { transactionStatus: async () => ({ status: 'unknown' }) },
  });
  expect(found.urls).toEqual(['http://127.0.0.1:8555']);
});
