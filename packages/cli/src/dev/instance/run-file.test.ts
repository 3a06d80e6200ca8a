import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { findMark, isRunning, type ProcessMark } from '@switchyard/network/supervisor/processes';
import { afterEach, expect, test } from 'vitest';
import { scratchInstance } from '../testing.ts';
import { currentRun, holdInstance, readRunFile } from './run-file.ts';
import { stopInstance } from './stop.ts';

const children: ChildProcess[] = [];
afterEach(() => {
  for (const child of children.splice(0)) child.kill('SIGKILL');
});

/** A process of its own group that runs until it is ended; `script` is run first. */
async function running(script = ''): Promise<ProcessMark> {
  const child = spawn(process.execPath, ['-e', `${script}; console.log('up'); setInterval(() => {}, 1000)`], {
    detached: true,
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  children.push(child);
  await new Promise((resolve) => child.stdout.once('data', resolve));
  const mark = findMark(child.pid ?? 0);
  if (mark === undefined) throw new Error('the child is gone');
  return mark;
}

const runFile = (tool: ProcessMark, services: object[] = []) =>
  JSON.stringify({
    tool,
    network: 'local',
    startedAt: '2026-01-01T00:00:00.000Z',
    id: 'of-a-test',
    programs: {},
    services,
  });

test('one tool holds an instance at a time', async () => {
  const paths = scratchInstance();
  const hold = await holdInstance(paths, 'local');
  await expect(holdInstance(paths, 'local')).rejects.toThrow(
    `instance test already runs (process ${process.pid}): stop it with \`switchyard dev stop --instance test --home ${paths.home}\``,
  );
  hold.release();
  expect(existsSync(paths.run)).toBe(false);
  (await holdInstance(paths, 'local')).release();
});

test('of several that start at once exactly one gets the instance', async () => {
  const paths = scratchInstance();
  const results = await Promise.allSettled([1, 2, 3, 4].map(() => holdInstance(paths, 'local')));
  expect(results.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected', 'rejected', 'rejected']);
});

test('what a killed tool left behind is ended before the instance is taken again', async () => {
  const paths = scratchInstance();
  const [polite, stubborn] = [await running(), await running(`process.on('SIGTERM', () => {})`)];
  const gone = { pid: 2 ** 22 + 1, started: '1' };
  const services = [
    { ...polite, name: 'polite', own: false },
    { ...stubborn, name: 'stubborn', own: false },
    { ...findMark(process.pid), started: 'another time', name: 'this number was given again', own: false },
  ];
  writeFileSync(paths.run, runFile(gone, services));
  const hold = await holdInstance(paths, 'local', { graceMs: 300 });
  expect([polite, stubborn].filter(isRunning)).toEqual([]);
  hold.note([{ pid: 1234, started: 'x', name: 'a', own: true }]);
  expect(readRunFile(paths)?.services).toEqual([{ pid: 1234, started: 'x', name: 'a', own: true }]);
  hold.release();
}, 10_000);

test.each(['', '{"tool":', runFile({ pid: -1, started: 'x' }), '[]'])(
  'a run file of %j holds nothing',
  async (text) => {
    const paths = scratchInstance();
    writeFileSync(paths.run, text);
    expect(currentRun(paths)).toBeUndefined();
    (await holdInstance(paths, 'local')).release();
  },
);

test('stop ends the tool and waits until it is gone', async () => {
  const paths = scratchInstance();
  const tool = await running();
  writeFileSync(paths.run, runFile(tool));
  expect(await stopInstance(paths)).toBe('stopped');
  expect(isRunning(tool)).toBe(false);
  expect(await stopInstance(paths)).toBe('not-running');
});

test('the run file of a running instance names its processes and no secrets', async () => {
  const paths = scratchInstance();
  const hold = await holdInstance(paths, 'local');
  expect(currentRun(paths)).toMatchObject({ tool: { pid: process.pid }, network: 'local', services: [] });
  expect(readFileSync(paths.run, 'utf8')).not.toContain(readFileSync(paths.composerKey, 'utf8'));
  hold.release();
});
