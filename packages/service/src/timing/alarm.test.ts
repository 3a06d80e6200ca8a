import { expect, test } from 'vitest';
import { manualClock, settle } from '../testing.ts';
import { Alarm } from './alarm.ts';

function waiting(alarm: Alarm, signal = new AbortController().signal) {
  const state = { over: false };
  void alarm.wait(100, signal).then(() => {
    state.over = true;
  });
  return state;
}

test('a wait ends after its time, at a ring, or by the signal, and leaves no timer', async () => {
  const clock = manualClock();
  const alarm = new Alarm(clock);
  const byTime = waiting(alarm);
  await clock.advance(99);
  expect(byTime.over).toBe(false);
  await clock.advance(1);
  expect(byTime.over).toBe(true);

  const byRing = waiting(alarm);
  alarm.ring();
  await settle();
  expect(byRing.over).toBe(true);

  const stop = new AbortController();
  const bySignal = waiting(alarm, stop.signal);
  stop.abort();
  await settle();
  expect([bySignal.over, clock.pending]).toEqual([true, 0]);
});

test('a ring without a waiter ends the next wait, and only that one', async () => {
  const alarm = new Alarm(manualClock());
  alarm.ring();
  const first = waiting(alarm);
  await settle();
  const second = waiting(alarm);
  await settle();
  expect([first.over, second.over]).toEqual([true, false]);
});
