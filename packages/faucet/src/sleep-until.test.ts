import { Notifier } from '@switchyard/service';
import { manualClock, settle } from '@switchyard/service/testing';
import { expect, test } from 'vitest';
import { sleepUntil } from './sleep-until.ts';

function asleep() {
  const [clock, notifier, stop] = [manualClock(), new Notifier(), new AbortController()];
  let isOver = false;
  const sleeping = sleepUntil(notifier, 100, stop.signal, clock).then(() => {
    isOver = true;
  });
  return { clock, notifier, stop, sleeping, isOver: () => isOver };
}

test('it ends after its time, and not before', async () => {
  const { clock, isOver } = asleep();
  await clock.advance(99);
  expect(isOver()).toBe(false);
  await clock.advance(1);
  expect(isOver()).toBe(true);
});

test.each<[string, (sleeper: ReturnType<typeof asleep>) => void]>([
  ['a notification', ({ notifier }) => notifier.notify()],
  ['the end of everything', ({ stop }) => stop.abort()],
])('%s ends it, and leaves no timer', async (_, wake) => {
  const sleeper = asleep();
  await settle();
  wake(sleeper);
  await sleeper.sleeping;
  expect(sleeper.clock.pending).toBe(0);
});
