import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { World } from '../../cli.ts';
import type { InstancePaths } from '../instance/home.ts';
import { getStatus } from '../status/status.ts';
import { programsInstance, scratchPaths } from '../testing.ts';
import { runInForeground } from './foreground.ts';

/** An instance whose services are small programs of the user's. */
function instanceWith(scripts: Readonly<Record<string, string>>, more: Readonly<Record<string, string>> = {}) {
  const paths = scratchPaths();
  programsInstance(paths, scripts, more);
  return paths;
}

/** Runs it as `dev run` does, in this process. */
function foreground(paths: InstancePaths, { headless = true, json = false, isTTY = false } = {}) {
  let stdout = '';
  let stderr = '';
  let stop: (why: string) => void = () => {};
  const waiting = new Set<() => void>();
  const world: World = {
    env: { PATH: process.env.PATH },
    directory: '/',
    stdout: {
      isTTY,
      write: (text) => {
        stdout += text;
        for (const wake of waiting) wake();
      },
    },
    stderr: { write: (text) => (stderr += text) },
    ask: async () => undefined,
    onStop: (callback) => {
      stop = callback;
    },
  };
  const end = runInForeground({ paths, network: 'local', headless, json, world });
  const printed = (pattern: RegExp) =>
    new Promise<RegExpExecArray>((resolve) => {
      const look = () => {
        const match = pattern.exec(stdout);
        if (match === null) return;
        waiting.delete(look);
        resolve(match);
      };
      waiting.add(look);
      look();
    });
  return { end, printed, stop: (why: string) => stop(why), stdout: () => stdout, stderr: () => stderr };
}

const FOREVER = 'setInterval(() => {}, 1000);';

test('shows the output of services, then a banner, then a line for programs; stops on request', async () => {
  const paths = instanceWith({ one: `console.log(process.env.GREETING, '\\u001b[2J'); ${FOREVER}`, two: FOREVER });
  const run = foreground(paths);
  const [, json = ''] = await run.printed(/^ready (\{.*\})$/m);
  expect(JSON.parse(json)).toMatchObject({
    instance: 'test',
    network: 'local',
    pid: process.pid,
    services: [
      { name: 'one', state: 'ready', listens: [] },
      { name: 'two', state: 'ready' },
    ],
  });
  expect(run.stdout()).toMatch(/^switchyard \| starting one, two\n/);
  await run.printed(/^one {8}\| hello \\u\{1b\}\[2J$/m);
  expect(run.stdout()).toContain('PUBLIC TEST KEYS, never for real funds');
  expect(run.stdout()).not.toContain('\u001b');

  const second = foreground(paths);
  await expect(second.end).rejects.toThrow(`instance test already runs (process ${process.pid})`);
  expect((await getStatus(paths, {})).services.map(({ name, state }) => [name, state])).toEqual([
    ['one', 'ready'],
    ['two', 'ready'],
  ]);

  run.stop('SIGINT');
  expect(await run.end).toEqual({ kind: 'asked', why: 'SIGINT' });
  expect(run.stdout()).toMatch(/switchyard \| stopping \(SIGINT\)\n.*all services stopped/);
  expect(existsSync(paths.run)).toBe(false);
  expect(readFileSync(join(paths.logs, 'one.log'), 'utf8').replace(/^\d{4}-\S+Z /, '')).toBe('hello \u001b[2J\n');
});

test('a service that cannot run ends the start with its reason, and nothing is left', async () => {
  const bad = `console.error('bad: KEY: expected a number'); process.exit(78)`;
  const paths = instanceWith({ good: FOREVER, bad }, { bad: 'ready = "log:^up$"' });
  const run = foreground(paths);
  const end = await run.end;
  expect(end.kind === 'failed' && end.reason).toMatch(
    /^service bad does not run \(exit code 78\): its configuration is wrong; last output: bad: KEY: expected a number$/,
  );
  expect(run.stdout()).toContain(`bad ended: exit code 78; last lines (${join(paths.logs, 'bad.log')}):\n`);
  expect(existsSync(paths.run)).toBe(false);
});

test('with --json only the line for programs is printed', async () => {
  const paths = instanceWith({ one: `console.log('noise'); ${FOREVER}` });
  const run = foreground(paths, { json: true });
  await run.printed(/^ready \{/m);
  run.stop('SIGTERM');
  await run.end;
  expect(run.stdout()).toMatch(/^ready \{.*\}\n$/);
});

// Defect: A line for programs, with the keys of the development accounts, stood in the scrollback of every terminal
test('colours are for terminals, and the line for programs is not', async () => {
  const paths = instanceWith({ one: FOREVER });
  const run = foreground(paths, { headless: false, isTTY: true });
  await run.printed(/Logs +/);
  run.stop('SIGINT');
  await run.end;
  expect(run.stdout()).toContain('\u001b[');
  expect(run.stdout()).not.toMatch(/^ready /m);
});

test('a service that cannot run any more ends none of the others, also in a headless run', async () => {
  const signal = join(scratchPaths().home, 'now');
  const late = `setInterval(() => require('node:fs').existsSync('${signal}') && process.exit(78), 10)`;
  const paths = instanceWith({ good: FOREVER, late });
  const run = foreground(paths);
  await run.printed(/^ready /m);
  writeFileSync(signal, '');
  await run.printed(/late failed permanently: its configuration is wrong/);
  const { services } = await getStatus(paths, {});
  expect(services).toMatchObject([
    { name: 'good', state: 'ready' },
    { name: 'late', state: 'failed', lastExit: 'exit code 78', logFile: join(paths.logs, 'late.log') },
  ]);
  run.stop('SIGTERM');
  expect(await run.end).toMatchObject({ kind: 'asked' });
});

test('the end of the last service ends a run', async () => {
  const paths = instanceWith({ short: `setTimeout(() => process.exit(78), 100)` });
  const run = foreground(paths);
  const end = await run.end;
  expect(end).toMatchObject({ kind: 'failed' });
});

test('a run whose services have all done their work ends, and that is no failure', async () => {
  const run = foreground(instanceWith({ once: '' }), { headless: false });
  expect(await run.end).toEqual({ kind: 'asked', why: 'every service has done its work' });
});

test('a taken port is found before anything starts', async () => {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  const paths = instanceWith({ one: FOREVER });
  writeFileSync(
    paths.networks,
    `${readFileSync(paths.networks, 'utf8')}[networks.local.services.sequencer]\n[networks.local.services.sequencer.env]\nsvc_sequencer_rpc_addr = "127.0.0.1:${port}"\nsvc_sequencer_grpc_addr = "127.0.0.1:0"\n`,
  );
  const run = foreground(paths);
  try {
    await expect(run.end).rejects.toThrow(
      /^(port \d+ of sequencer \(CometBFT RPC\): in use by|.*dist\/main\.js is absent)/,
    );
  } finally {
    await new Promise((resolve) => server.close(resolve));
  }
  expect([run.stdout(), existsSync(paths.run)]).toEqual(['', false]);
});
