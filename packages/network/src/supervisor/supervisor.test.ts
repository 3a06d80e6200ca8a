import { freePort } from '@switchyard/service/testing';
import { expect, test } from 'vitest';
import { findMark, isRunning, type ProcessMark } from './processes.ts';
import type { Supervisor } from './supervisor.ts';
import { FOREVER, node, server, serving, supervisors } from './testing.ts';

const supervise = supervisors();
const STUBBORN = `process.on('SIGTERM', () => console.log('no')); console.log('up'); ${FOREVER}`;

const getMarks = (supervisor: Supervisor): ProcessMark[] =>
  supervisor.status().flatMap(({ pid }) => {
    const mark = pid === undefined ? undefined : findMark(pid);
    return mark === undefined ? [] : [mark];
  });

test('stops services in reverse order, and none is left', async () => {
  const specs = ['first', 'second', 'third'].map((name) => node(name, `console.log('up'); ${FOREVER}`));
  const { supervisor, events, seen } = supervise(specs);
  await Promise.all(specs.map(({ name }) => seen((e) => e.kind === 'line' && e.service === name)));
  const marks = getMarks(supervisor);
  expect(marks).toHaveLength(3);
  await supervisor.stop();
  expect(marks.filter(isRunning)).toEqual([]);
  expect(events.flatMap((e) => (e.kind === 'stopped' ? [e.service, e.killed] : []))).toEqual([
    ...['third', false, 'second', false, 'first', false],
  ]);
});

test('kills what does not end in time, with everything it has started', async () => {
  const child = `require('node:child_process').spawn(process.execPath, ['-e', ${JSON.stringify(FOREVER)}], { stdio: 'inherit' })`;
  const { supervisor, line, seen } = supervise(
    [node('stubborn', `console.log('child ' + ${child}.pid); ${STUBBORN}`)],
    { stopWithinMs: 200 },
  );
  await line('up');
  const event = await seen((e) => e.kind === 'line' && e.text.startsWith('child '));
  const grandchild = findMark(Number(event.kind === 'line' ? event.text.slice('child '.length) : 0));
  const marks = [...getMarks(supervisor), ...(grandchild ? [grandchild] : [])];
  expect(marks).toHaveLength(2);
  await supervisor.stop();
  await seen((e) => e.kind === 'stopped' && e.killed);
  await expect.poll(() => marks.filter(isRunning), { timeout: 5_000, interval: 10 }).toEqual([]);
});

test('starts a service again after it has ended, with its exit and its last lines', async () => {
  const { seen, story } = supervise([node('crashing', `console.log('one'); console.error('two'); process.exit(3)`)], {
    random: () => 0,
  });
  const exited = await seen((e) => e.kind === 'exited');
  expect(exited).toMatchObject({ exit: { code: 3, signal: undefined } });
  expect(exited.kind === 'exited' && [...exited.lastLines].sort()).toEqual(['one', 'two']);
  expect(await seen((e) => e.kind === 'restarting')).toMatchObject({ afterMs: 250, failures: 1 });
  await seen((e) => e.kind === 'restarting' && e.failures === 2);
  expect(story('crashing').slice(0, 4)).toEqual(['started', 'ready', 'exited', 'restarting']);
});

test('gives up a service of wrong configuration at once, and ready fails with one line', async () => {
  const { supervisor, seen } = supervise([node('wrong', 'process.exit(78)'), node('fine', FOREVER)]);
  await expect(supervisor.ready()).resolves.toBeUndefined();
  await seen((e) => e.kind === 'failed');
  await expect(supervisor.ready()).rejects.toThrow(
    'service wrong does not run (exit code 78): its configuration is wrong',
  );
});

test('a program that cannot be started is given up', async () => {
  const { supervisor, seen } = supervise([{ ...node('absent', ''), command: '/no/such/program' }]);
  expect(await seen((e) => e.kind === 'failed')).toMatchObject({ reason: 'its program cannot be started' });
  await expect(supervisor.ready()).rejects.toThrow('service absent does not run (spawn /no/such/program ENOENT)');
});

test("a program of the user's that ends with 0 has done its work", async () => {
  const { supervisor, seen, story } = supervise([node('once', ''), node('next', FOREVER, { after: ['once'] })]);
  await seen((e) => e.kind === 'finished');
  await supervisor.ready();
  expect(story('once')).toEqual(['started', 'ready', 'exited', 'finished']);
});

test('a service of ours ends with its supervisor', async () => {
  const script = `process.stdin.on('end', () => process.exit(0)).resume(); console.log(process.env.SWITCHYARD_PARENT_PIPE); ${FOREVER}`;
  const { supervisor, line } = supervise([node('own', script, { own: true })]);
  await line('1');
  expect(getMarks(supervisor)).toHaveLength(1);
});

test('a slow service is ready once it reports so, and what waits for it starts then', async () => {
  const slow = await serving(
    'slow',
    server(`performance.now() - started < 300 ? [503, { reason: 'loading' }] : [200, {}]`, 100),
  );
  const { supervisor, events } = supervise([node('after', FOREVER, { after: ['slow'] }), slow]);
  expect(supervisor.status().map(({ name, state }) => [name, state])).toEqual([
    ['after', 'waiting'],
    ['slow', 'starting'],
  ]);
  await supervisor.ready();
  expect(events.map(({ kind, service }) => `${service} ${kind}`)).toEqual([
    'slow started',
    'slow ready',
    'after started',
    'after ready',
  ]);
});

test("a stranger's answer on the same port does not count", async () => {
  const port = await freePort();
  const ready = { kind: 'http', url: `http://127.0.0.1:${port}/readyz`, port } as const;
  const stranger = node('stranger', server('[200, {}]'), { env: { PORT: String(port) } });
  const { supervisor, seen } = supervise([stranger, node('hanging', FOREVER, { ready })], { reportAfterMs: 0 });
  const event = await seen((e) => e.kind === 'not-ready' && e.reason !== 'is starting');
  expect(event).toMatchObject({ service: 'hanging', reason: `port ${port} is answered by another process` });
  expect(supervisor.status().map(({ state }) => state)).toEqual(['ready', 'starting']);
}, 10_000);

test('restart waits for the old process before it starts the new one', async () => {
  const spec = await serving('one', server('[200, { pid: process.pid }]'));
  const { supervisor, story } = supervise([spec]);
  await supervisor.ready();
  const [before] = supervisor.status();
  await supervisor.restart('one');
  await supervisor.ready();
  const [now] = supervisor.status();
  expect(now?.pid).not.toBe(before?.pid);
  expect(story('one')).toEqual(['started', 'ready', 'stopped', 'started', 'ready']);
  await expect(supervisor.restart('two')).rejects.toThrow('no service two, there is one');
});

test('services that wait for a failed one are reported, also through others', async () => {
  const { supervisor, seen } = supervise([
    node('base', `console.error('no such table'); process.exit(78)`, { ready: { kind: 'log', pattern: 'up' } }),
    node('middle', FOREVER, { after: ['base'] }),
    node('top', FOREVER, { after: ['middle'] }),
    node('aside', FOREVER, { needs: ['base'], ready: { kind: 'log', pattern: 'up' } }),
    node('other', FOREVER),
  ]);
  expect(await seen((e) => e.kind === 'failed')).toMatchObject({ waiting: ['middle', 'top', 'aside'] });
  await expect(supervisor.ready()).rejects.toThrow(
    'service base does not run (exit code 78): its configuration is wrong; last output: no such table; waiting for it: middle, top, aside',
  );
});

test('a program whose start the system refuses at once is given up', async () => {
  const { seen } = supervise([{ ...node('odd', ''), args: ['\0'] }]);
  expect(await seen((e) => e.kind === 'failed')).toMatchObject({ reason: 'its program cannot be started' });
});
