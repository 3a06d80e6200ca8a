import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { Pacer, pauseAfter } from './pacing.ts';

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setImmediate', 'clearImmediate'] }));
afterEach(() => void vi.useRealTimers());

/** A pacer whose frames cost `cost` ms. */
function pacer(cost = 0) {
  let now = 0;
  const frames: number[] = [];
  const made = new Pacer(
    () => {
      frames.push(now);
      now += cost;
    },
    () => now,
  );
  const run = (ms: number) => {
    for (let step = 0; step < ms; step += 10) {
      now += 10;
      vi.advanceTimersByTime(10);
    }
  };
  return { pacer: made, frames, run };
}

test('frames take a small part of the time, but one a second comes', () => {
  expect([pauseAfter(0), pauseAfter(1), pauseAfter(3), pauseAfter(15), pauseAfter(500)]).toEqual([
    100, 100, 200, 1_000, 1_000,
  ]);
});

test('a thousand changes are one frame now and then', () => {
  const { pacer: made, frames, run } = pacer(4);
  for (let change = 0; change < 200; change += 1) {
    made.later();
    run(10);
  }
  expect(frames.length).toBeGreaterThan(4);
  expect(frames.length).toBeLessThan(20);
});

test('a key is drawn at once, also right after a frame, and takes what waits with it', () => {
  const { pacer: made, frames, run } = pacer();
  made.later();
  run(10);
  made.later();
  made.defer();
  made.defer();
  vi.advanceTimersByTime(0);
  vi.runAllTicks();
  run(10);
  expect(frames.length).toBe(2);
  run(500);
  expect(frames.length).toBe(2);
});

test('after the end nothing is drawn', () => {
  const { pacer: made, frames, run } = pacer();
  made.later();
  made.stop();
  run(500);
  expect(frames).toEqual([]);
});
