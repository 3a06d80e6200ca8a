import { Failure } from '@switchyard/service/failure';
import { expect, test } from 'vitest';
import { findMark, isRunning } from './processes.ts';
import type { Supervisor } from './supervisor.ts';
import { FOREVER, node, server, serving, supervisors } from './testing.ts';

const supervise = supervisors();
const states = (supervisor: Supervisor) => supervisor.status().map(({ name, state }) => `${name} ${state}`);

test('one service is stopped and started again while the others keep running', async () => {
  const { supervisor, story } = supervise([node('one', FOREVER), node('two', FOREVER)]);
  await supervisor.ready();
  const [one, two] = supervisor.status().map(({ pid }) => findMark(pid ?? 0));
  await supervisor.stopService('one');
  expect([one, two].map((mark) => mark && isRunning(mark))).toEqual([false, true]);
  expect(states(supervisor)).toEqual(['one stopped', 'two ready']);
  await supervisor.ready();
  await supervisor.startService('one');
  await supervisor.startService('one');
  expect(states(supervisor)).toEqual(['one ready', 'two ready']);
  expect(story('one')).toEqual(['started', 'ready', 'stopped', 'started', 'ready']);
});

test('a service whose configuration was wrong is started by hand', async () => {
  const { supervisor, seen, events } = supervise([node('wrong', 'process.exit(78)')]);
  await seen((e) => e.kind === 'failed');
  expect(supervisor.status()[0]).toMatchObject({ state: 'failed', lastExit: 'exit code 78' });
  events.length = 0;
  await supervisor.startService('wrong');
  await seen((e) => e.kind === 'failed');
});

test('one that waits for its next try is started once, not twice', async () => {
  const program = `console.log('no room'); setTimeout(() => process.exit(1), 50)`;
  const { supervisor, seen, story } = supervise([node('flaky', program)], { random: () => 0.9 });
  await seen((e) => e.kind === 'restarting');
  expect(supervisor.status()[0]).toMatchObject({
    state: 'restarting',
    reason: expect.stringMatching(/^exit code 1 after 1 failure; last output: no room; restarts in \d+ ms$/),
    lastExit: 'exit code 1',
    lastLines: ['no room'],
    failures: 1,
    startsInMs: expect.any(Number),
  });
  await supervisor.stopService('flaky');
  expect(states(supervisor)).toEqual(['flaky stopped']);
  await supervisor.startService('flaky');
  await seen((e) => e.kind === 'restarting' && story('flaky').filter((kind) => kind === 'exited').length === 2);
  expect(story('flaky').filter((kind) => kind === 'started')).toHaveLength(2);
});

test('started before what it waits for is ready, it reports what it waits for', async () => {
  const slow = await serving('slow', server('[503, {}]'));
  const { supervisor } = supervise([slow, node('next', FOREVER, { after: ['slow'] })]);
  await supervisor.startService('next');
  expect(supervisor.status()[1]).toMatchObject({ state: 'waiting', reason: 'waits for slow' });
});

test('what cannot be started now is reported, and a restart by then has ended the old process', async () => {
  let free = true;
  const check = async () => {
    if (!free) throw new Failure('port 1 is taken');
  };
  const { supervisor } = supervise([node('one', FOREVER)], { check });
  await supervisor.ready();
  free = false;
  await expect(supervisor.restart('one')).rejects.toThrow('port 1 is taken');
  expect(supervisor.status()[0]).toMatchObject({ state: 'failed', reason: 'port 1 is taken' });
  free = true;
  await supervisor.startService('one');
  await supervisor.ready();
});

test('a restart starts the service as it is described by then; a broken description changes nothing', async () => {
  let text = 'first';
  const describe = (name: string) => {
    if (text === 'broken') throw new Failure('the file is broken');
    return node(name, `console.log('${text}'); ${FOREVER}`);
  };
  const { supervisor, line } = supervise([node('one', FOREVER)], { describe });
  await supervisor.ready();
  text = 'second';
  await supervisor.restart('one');
  await line('second');
  const { uptimeMs: _, ...before } = { ...supervisor.status()[0] };
  text = 'broken';
  await expect(supervisor.restart('one')).rejects.toThrow('the file is broken');
  expect(supervisor.status()[0]).toMatchObject({ ...before, state: 'ready' });
});

test('paused services are all gone, and come back in their order; what was stopped by hand stays so', async () => {
  const specs = ['one', 'two', 'three'].map((name) => node(name, FOREVER));
  const { supervisor, events } = supervise(specs);
  await supervisor.ready();
  await supervisor.stopService('two');
  events.length = 0;
  await supervisor.pause();
  expect(supervisor.paused).toBe(true);
  expect(states(supervisor)).toEqual(['one stopped', 'two stopped', 'three stopped']);
  await expect(supervisor.startService('two')).rejects.toThrow('all services are paused');
  await supervisor.resume();
  await supervisor.ready();
  expect(states(supervisor)).toEqual(['one ready', 'two stopped', 'three ready']);
  expect(
    events.flatMap((e) => (e.kind === 'stopped' || e.kind === 'started' ? [`${e.service} ${e.kind}`] : [])),
  ).toEqual(['three stopped', 'one stopped', 'one started', 'three started']);
});

test('restarts asked for at once are done one after the other', async () => {
  const { supervisor, story } = supervise([node('one', FOREVER)]);
  await supervisor.ready();
  await Promise.all([supervisor.restart('one'), supervisor.restart('one'), supervisor.stopService('one')]);
  expect(story('one').join(' ')).toBe('started ready stopped started ready stopped started ready stopped');
  expect(states(supervisor)).toEqual(['one stopped']);
});
