import { expect, test } from 'vitest';
import { parseUsage, UsageMeter } from './polling.ts';

const stat = (user: number, system: number) =>
  `7 (a ) b) S 1 7 7 0 -1 4194560 9 0 0 0 ${user} ${system} 0 0 20 0 11 0 100 1 2`;
const STATUS = 'Name:\ta\nVmPeak:\t  99 kB\nVmRSS:\t   2048 kB\nThreads:\t1\n';

test('time and memory are read from what Linux shows, whatever the name of the program', () => {
  expect(parseUsage(stat(30, 12), STATUS)).toEqual({ cpuMs: 420, residentBytes: 2_097_152 });
  expect(parseUsage('nothing', STATUS)).toBeUndefined();
  expect(parseUsage(stat(1, 1), 'Name:\ta zombie\n')).toBeUndefined();
});

test('the share of a process is that of the last five readings of it', () => {
  let used = 0;
  const meter = new UsageMeter((path) => {
    if (path.startsWith('/proc/8/')) throw new Error('no such process');
    return path.endsWith('stat') ? stat(used, 0) : STATUS;
  });
  const share = (pid: number | undefined, at: number) => meter.measure([{ name: 'a', pid }], at).a?.cpuPercent;
  expect(share(7, 0)).toBeUndefined();
  used = 25;
  expect(share(7, 1_000)).toBe(25);
  expect(share(7, 2_000)).toBe(12.5);
  for (let at = 3_000; at <= 7_000; at += 1_000) share(7, at);
  expect(share(7, 8_000)).toBe(0);
  expect(meter.measure([{ name: 'a', pid: 8 }, { name: 'b' }], 8_500)).toEqual({});
  expect(share(9, 9_000)).toBeUndefined();
});
