import { freePort } from '@switchyard/service/testing';
import { expect, test } from 'vitest';
import { parseLsof } from './listeners.ts';
import { FOREVER, node, server, supervisors } from './testing.ts';

const supervise = supervisors();
/** Its child listens, as with a script that starts the real program. */
const parent = (child: string) =>
  `require('node:child_process').spawn(process.execPath, ['-e', ${JSON.stringify(child)}], { stdio: 'inherit' }); ${FOREVER}`;

test('a program is ready once a line it prints matches, colours aside', async () => {
  const ready = { kind: 'log', pattern: '^listening on \\d+$' } as const;
  const script = `console.log('listening on nothing'); setTimeout(() => console.error('\\u001b[32mlistening\\u001b[0m on 80'), 100); ${FOREVER}`;
  const { supervisor, events } = supervise([node('chatty', script, { ready })]);
  expect(supervisor.status()[0]?.state).toBe('starting');
  await supervisor.ready();
  expect(events.map(({ kind }) => kind)).toEqual(['started', 'line', 'line', 'ready']);
});

test('one that never does reports what is awaited', async () => {
  const ready = { kind: 'log', pattern: 'up' } as const;
  const { seen } = supervise([node('mute', FOREVER, { ready })], { reportAfterMs: 0 });
  expect(await seen((e) => e.kind === 'not-ready')).toMatchObject({
    reason: 'has not printed a line that matches up',
  });
});

test('a program is ready once its port takes connections, also when its child listens', async () => {
  const port = await freePort();
  const child = `require('node:net').createServer().listen(${port}, '127.0.0.1')`;
  const ready = { kind: 'tcp', host: '127.0.0.1', port } as const;
  const { supervisor, events } = supervise([node('script', parent(child), { ready })]);
  await supervisor.ready();
  expect(events.map(({ kind }) => kind)).toEqual(['started', 'ready']);
});

test.each([
  ['tcp', (port: number) => ({ kind: 'tcp', host: '127.0.0.1', port }) as const],
  ['http', (port: number) => ({ kind: 'http', url: `http://127.0.0.1:${port}/`, port }) as const],
])(
  'over %s, a foreign listener does not make a service ready',
  async (_, item) => {
    const port = await freePort();
    const stranger = node('stranger', parent(server('[200, {}]')), { env: { PORT: String(port) } });
    const { supervisor, seen } = supervise([stranger, node('idle', FOREVER, { ready: item(port) })], {
      reportAfterMs: 0,
    });
    const event = await seen((e) => e.kind === 'not-ready' && e.reason !== 'is starting');
    expect(event).toMatchObject({ service: 'idle', reason: `port ${port} is answered by another process` });
    expect(supervisor.status()[1]?.state).toBe('starting');
  },
  10_000,
);

test('the fields of lsof are read by their letters', () => {
  expect(parseLsof('p12\ng10\ncnode\nf21\np13\ng13\ncmy program\nf3\n')).toEqual([
    { pid: 12, group: 10, command: 'node' },
    { pid: 13, group: 13, command: 'my program' },
  ]);
  expect(parseLsof('')).toEqual([]);
});
