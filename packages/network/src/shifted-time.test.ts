import { sleep, systemClock, wallClock } from '@switchyard/service';
import { expect, test } from 'vitest';
import { holdTime } from './shifted-time.ts';

const HOUR = 3_600_000;

test('timers that are due fire once each in their order, what they cause runs before the next, and later ones wait', async () => {
  const { time, release } = holdTime();
  const fired: string[] = [];
  const note = (name: string) => (): void => void fired.push(name);
  const later = systemClock.after(2 * HOUR, note('later'));
  void sleep(HOUR).then(note('hour'));
  void sleep(HOUR / 2)
    .then(note('half'))
    .then(() => sleep(0))
    .then(note('at once'));
  const stopHour = systemClock.after(HOUR, note('taken back'));
  systemClock.after(HOUR / 4, stopHour);
  // Begun from a timer: it counts from the new time.
  systemClock.after(HOUR / 3, () => systemClock.after(HOUR, note('begun meanwhile')));
  await time.advance(HOUR + 1);
  expect(fired.filter((name) => name !== 'at once')).toEqual(['half', 'hour']);
  await time.advance(HOUR);
  expect(fired.slice(-2)).toEqual(['later', 'begun meanwhile']);
  later();
  release();
});

test('clocks go forward together for all who hold the time, and are given back by the last one', () => {
  const before = [systemClock.now(), wallClock.unixMs()] as const;
  const [one, other] = [holdTime(), holdTime()];
  expect(other.time).toBe(one.time);
  void one.time.advance(HOUR);
  const ahead = () => systemClock.now() - before[0] >= HOUR && wallClock.unixMs() - before[1] >= HOUR;
  expect(ahead()).toBe(true);
  one.release();
  one.release();
  expect(ahead()).toBe(true);
  other.release();
  expect(ahead()).toBe(false);
});

test('real time passes as usual, also after the clocks were set forward', async () => {
  const { time, release } = holdTime();
  await time.advance(HOUR);
  const start = performance.now();
  const shifted = systemClock.now();
  await sleep(5);
  expect(systemClock.now() - shifted).toBeGreaterThanOrEqual(4);
  expect(systemClock.now() - shifted).toBeLessThanOrEqual(performance.now() - start + 2);
  // A timer that has not fired yet is due this much earlier.
  let isOver = false;
  systemClock.after(HOUR + 5, () => {
    isOver = true;
  });
  await time.advance(HOUR);
  await expect.poll(() => isOver).toBe(true);
  release();
});
