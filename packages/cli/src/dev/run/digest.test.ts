import type { SupervisorEvent } from '@switchyard/network/supervisor/events';
import { expect, test } from 'vitest';
import { Digest } from './digest.ts';

function digest() {
  let now = 0;
  const item = new Digest(new Set(['composer', 'conductor']), () => now);
  const shown = (event: SupervisorEvent) => {
    const taken = item.take(event);
    return taken?.kind === 'line' ? taken.text : taken?.kind;
  };
  const line = (text: string, service = 'conductor') => shown({ kind: 'line', service, text });
  const ready = (service = 'conductor') => shown({ kind: 'ready', service, ms: 1 });
  return { of: item, shown, line, ready, pass: (ms: number) => (now += ms) };
}
const executed = (height: number) => `08:04:14.474 INFO  blocks executed soft=${height} lag=0`;

test('a line that repeats is shown three times, and then now and then with how many were left out', () => {
  const { line, ready, pass } = digest();
  ready();
  const shown = Array.from({ length: 17 }, (_, height) => {
    pass(37_500);
    return line(executed(height));
  });
  expect(shown.filter((text) => text !== undefined)).toEqual([
    executed(0),
    executed(1),
    executed(2),
    `${executed(8)} (5 alike not shown)`,
    `${executed(16)} (7 alike not shown)`,
  ]);
  expect(line('08:04:14.474 INFO  execution session opened soft=0')).toBeDefined();
  expect(line(executed(1), 'composer')).toBeUndefined();
});

test('before a service is ready, it is shown what is more than another one that is not there yet', () => {
  const { line, ready, shown } = digest();
  const refused = '08:04:02.133 WARN  waiting for the rollup reason="connect ECONNREFUSED 127.0.0.1:50051"';
  const open = '08:04:02.133 WARN  the port is open to other machines address=0.0.0.0';
  expect(shown({ kind: 'started', service: 'conductor', pid: 7 })).toBeUndefined();
  expect([line('08:04:01.980 INFO  starting version=1'), line(refused), line(open)]).toEqual([
    undefined,
    undefined,
    open,
  ]);
  expect(shown({ kind: 'not-ready', service: 'conductor', reason: 'is starting' })).toBeUndefined();
  expect(shown({ kind: 'not-ready', service: 'conductor', reason: 'the rollup is away' })).toBe('not-ready');
  expect([ready(), line(refused)]).toEqual(['ready', refused]);
  // Its next process starts again.
  shown({ kind: 'started', service: 'conductor', pid: 8 });
  expect(line(refused)).toBeUndefined();
});

test('errors, lines of another form and the output of other programs always pass', () => {
  const { line } = digest();
  for (const text of [
    '08:04:02.133 ERROR cannot write',
    '08:04:02.133 FATAL gone',
    'Error: x',
    '    at y.js:1:2',
    '',
  ]) {
    for (let times = 0; times < 9; times += 1) expect(line(text)).toBe(text);
  }
  for (let times = 0; times < 9; times += 1) expect(line(executed(times), 'mine')).toBe(executed(times));
});

test('at the end only what is unusual is shown', () => {
  const { of: item, line, ready, shown } = digest();
  ready();
  expect(shown({ kind: 'stopped', service: 'conductor', killed: false })).toBe('stopped');
  item.end();
  expect(line('08:04:18.165 INFO  stopping why=SIGTERM')).toBeUndefined();
  expect(line('08:04:18.165 WARN  a call did not end in time')).toBeDefined();
  expect(shown({ kind: 'stopped', service: 'conductor', killed: false })).toBeUndefined();
  expect(shown({ kind: 'stopped', service: 'conductor', killed: true })).toBe('stopped');
});
