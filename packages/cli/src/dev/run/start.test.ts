import { createHash } from 'node:crypto';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { type AddressInfo, createServer as createTcpServer } from 'node:net';
import { join } from 'node:path';
import type { SupervisorEvent } from '@switchyard/network/supervisor/events';
import { findMark, isRunning } from '@switchyard/network/supervisor/processes';
import { FOREVER } from '@switchyard/network/supervisor/testing';
import { afterEach, expect, test } from 'vitest';
import { holdInstance } from '../instance/run-file.ts';
import { programsInstance, scratchPaths } from '../testing.ts';
import type { RunningInstance } from './running.ts';
import { type StartOptions, startInstance } from './start.ts';

const open: RunningInstance[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map((running) => running.stop()));
});

/** Starts an instance of small programs, and waits for their events. */
async function started(
  scripts: Readonly<Record<string, string>>,
  { files = {}, paths = scratchPaths(), ...options }: Partial<StartOptions> & { files?: Record<string, string> } = {},
) {
  programsInstance(paths, scripts, files);
  const events: SupervisorEvent[] = [];
  const notices: string[] = [];
  const waiting = new Set<() => void>();
  const running = await startInstance({
    network: 'local',
    env: { PATH: process.env.PATH },
    ...options,
    paths,
    onEvent: (event) => {
      events.push(event);
      for (const look of waiting) look();
    },
    onNotice: (line) => notices.push(line),
  });
  open.push(running);
  const printed = (text: string) =>
    new Promise<void>((resolve) => {
      const look = () => {
        if (events.some((event) => event.kind === 'line' && event.text === text)) resolve();
      };
      waiting.add(look);
      look();
    });
  return { paths, running, events, notices, printed };
}

test('a changed file restarts the service that watches it', async () => {
  const paths = scratchPaths();
  const file = join(paths.home, 'text');
  writeFileSync(file, 'first');
  const script = `console.log(require('node:fs').readFileSync(${JSON.stringify(file)}, 'utf8')); ${FOREVER}`;
  const { printed, notices, running } = await started(
    { one: script },
    { paths, files: { one: `watch = ["${file}"]` } },
  );
  await printed('first');
  writeFileSync(file, 'second');
  await printed('second');
  expect(notices).toEqual([`${file} has changed: restarting one`]);
  expect(running.supervisor.status()[0]?.restarts).toBe(0);
});

test('a program is downloaded before anything starts, and runs', async () => {
  const program = `#!${process.execPath}\nconsole.log('fetched'); ${FOREVER}\n`;
  const server = createServer((_, response) => response.end(program));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo; // a TCP server has one
  const sha256 = createHash('sha256').update(program).digest('hex');
  const paths = scratchPaths();
  programsInstance(paths, {});
  const text = `[networks.local.services.tool]\nversion = "v9"\ndownload_url = "http://127.0.0.1:${port}/tool"\nsha256 = "${sha256}"\n`;
  writeFileSync(paths.networks, readFileSync(paths.networks, 'utf8') + text);
  const lines: string[] = [];
  try {
    const running = await startInstance({
      paths,
      network: 'local',
      env: {},
      onEvent: (event) => event.kind === 'line' && lines.push(event.text),
    });
    open.push(running);
    await expect.poll(() => lines, { timeout: 5_000, interval: 10 }).toEqual(['fetched']);
    expect(existsSync(join(paths.directory, 'bin', `tool-v9-${sha256.slice(0, 12)}`, 'tool'))).toBe(true);
  } finally {
    await new Promise((resolve) => server.close(resolve));
  }
});

test('the command line replaces a program for one run, and sets what ours log', async () => {
  const paths = scratchPaths();
  const other = join(paths.home, 'other.cjs');
  writeFileSync(other, `#!${process.execPath}\nconsole.log('other ' + process.env.LOG); ${FOREVER}`, { mode: 0o755 });
  const flags = { programs: { one: 'other.cjs' }, directory: paths.home, logLevel: 'debug' };
  const { printed } = await started({ one: `console.log('usual')`, two: FOREVER }, { paths, flags });
  await printed('other debug');
});

test.each([
  [{ programs: { oen: '/bin/sh' } }, '--oen-path: network local has no service oen, it has one; did you mean "one"?'],
  [{ programs: { one: '/no/such' } }, '--one-path: no file /no/such'],
])('refuses %j, and starts nothing', async (flags, message) => {
  const paths = scratchPaths();
  await expect(started({ one: FOREVER }, { paths, flags })).rejects.toThrow(message);
  expect(existsSync(paths.run)).toBe(false);
});

test('two instances on one port: the second names the first, and how to stop it', async () => {
  const server = createTcpServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo; // a TCP server has one
  const first = scratchPaths('first');
  // The listener is this process, so it is noted as a service of the first instance.
  programsInstance(first, { web: FOREVER });
  const hold = await holdInstance(first, 'local');
  const mark = findMark(process.pid);
  hold.note(mark === undefined ? [] : [{ ...mark, name: 'web', own: false }]);
  const second = { ...scratchPaths('second'), home: first.home };
  try {
    const files = { web: `ready = "tcp://127.0.0.1:${port}"` };
    await expect(started({ web: FOREVER }, { paths: second, files })).rejects.toThrow(
      new RegExp(
        `^port ${port} of web \\(TCP\\): in use by instance first, which runs: stop it with \`switchyard dev stop --instance first --home ${first.home}\`, or change ready in`,
      ),
    );
  } finally {
    hold.release();
    await new Promise((resolve) => server.close(resolve));
  }
});

test('a lost directory costs log lines and the run file, never the services, and the end is clean', async () => {
  const crash = `process.on('SIGUSR2', () => process.exit(1)); console.log('up'); ${FOREVER}`;
  const { paths, running, events, notices, printed } = await started({ one: crash });
  await printed('up');
  rmSync(paths.directory, { recursive: true });
  writeFileSync(paths.directory, 'in the way');
  process.kill(running.supervisor.status()[0]?.pid ?? 0, 'SIGUSR2');
  await expect
    .poll(() => notices.map((line) => line.replace(/^\S+log: /, '')).sort(), { timeout: 5_000, interval: 10 })
    .toEqual([
      'lines are lost: ENOTDIR: not a directory',
      'lines are lost: ENOTDIR: not a directory',
      'the run file cannot be written: ENOTDIR: not a directory',
    ]);
  await expect
    .poll(() => running.supervisor.status(), { timeout: 5_000, interval: 10 })
    .toMatchObject([{ name: 'one', state: 'ready', restarts: 1 }]);
  await running.stop();
  expect(events.at(-1)).toEqual({ kind: 'stopped', service: 'one', killed: false });
});

test.runIf(process.platform === 'linux')('what has left the group of its service ends with the others', async () => {
  const child = `process.on('SIGTERM', () => {}); console.log('child ' + process.pid); ${FOREVER}`;
  const script = `require('node:child_process').spawn(process.execPath, ['-e', ${JSON.stringify(child)}], { detached: true, stdio: 'inherit' }); ${FOREVER}`;
  const { running, events } = await started({ one: script });
  const childPid = () =>
    events.flatMap((event) => (event.kind === 'line' ? [Number(/^child (\d+)$/.exec(event.text)?.[1])] : []))[0];
  await expect.poll(childPid, { timeout: 5_000, interval: 10 }).toBeGreaterThan(0);
  const stray = findMark(childPid() ?? 0);
  expect(stray && isRunning(stray)).toBe(true);
  await running.stop();
  await expect.poll(() => stray && isRunning(stray), { timeout: 5_000, interval: 10 }).toBe(false);
});
