import type { ScrubSource } from '@switchyard/storage';
import { expect, test } from 'vitest';
import { createMetrics } from '../telemetry/metrics.ts';
import { manualClock, memoryLogger, settle } from '../testing.ts';
import { scrub } from './scrub.ts';

/** A store of this many bytes; each byte is a record. */
function makeSource(size: number): ScrubSource & { read: number } {
  let left = size;
  return {
    directory: '/data',
    read: 0,
    step(maxBytes) {
      const bytes = Math.min(left, maxBytes);
      this.read += bytes;
      left = left === bytes ? size : left - bytes;
      return { bytes, records: bytes, done: left === size };
    },
  };
}

function running(sources: readonly ScrubSource[], bytesPerSecond: number) {
  const stopping = new AbortController();
  const clock = manualClock();
  const metrics = createMetrics('test_');
  const failures: unknown[] = [];
  const { log } = memoryLogger();
  const wall = { unixMs: () => 1_750_000_000_000 as ReturnType<typeof import('../timing/clock.ts').wallClock.unixMs> };
  const fail = (error: unknown) => void failures.push(error);
  const done = scrub(sources, bytesPerSecond, { metrics, log, signal: stopping.signal, fail, clock, wall });
  const metric = async (name: string) => Number(new RegExp(`^test_${name} (.*)$`, 'm').exec(await metrics.text())?.[1]);
  return { clock, failures, metric, done, stop: () => stopping.abort(new Error('the test is over')) };
}

test('reads no faster than it may, all stores in turn, and starts again after five minutes', async () => {
  const [a, b] = [makeSource(1_000_000), makeSource(500_000)];
  const { clock, metric, stop, done, failures } = running([a, b], 100_000);
  await settle();
  for (let second = 1; second <= 5; second += 1) {
    await clock.advance(1_000);
    expect(a.read).toBeLessThanOrEqual(second * 100_000 + 65_536);
  }
  expect(a.read).toBeGreaterThan(400_000);
  for (let second = 6; second <= 20; second += 1) await clock.advance(1_000);
  expect([a.read, b.read]).toEqual([1_000_000, 500_000]);
  expect(await metric('scrub_passes_total')).toBe(1);
  expect(await metric('scrub_records_total')).toBe(1_500_000);
  expect(await metric('scrub_last_pass_timestamp_seconds')).toBe(1_750_000_000);
  await clock.advance(280_000);
  expect(a.read).toBeGreaterThan(1_000_000);
  stop();
  await done;
  expect(failures).toEqual([]);
});

test('damage is counted and stops the process', async () => {
  const damage = new Error('damaged');
  const broken: ScrubSource = {
    directory: '/data',
    step() {
      throw damage;
    },
  };
  const { failures, done, metric, clock } = running([makeSource(10), broken], 1_000_000);
  await settle();
  await clock.advance(1_000);
  await done;
  expect(failures).toEqual([damage]);
  expect(await metric('scrub_errors_total')).toBe(1);
});

test('a rate of zero reads nothing', async () => {
  const source = makeSource(10);
  await running([source], 0).done;
  expect(source.read).toBe(0);
});
