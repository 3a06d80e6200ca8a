import fc from 'fast-check';
import { expect, test, vi } from 'vitest';
import { manualClock, settle } from '../testing.ts';
import { aborted, deadline, isAbort, sleep, TimedOut, withDeadline } from './abort.ts';
import { sinceStored, systemClock } from './clock.ts';
import { Notifier } from './notify.ts';
import { backoffMs, retry } from './retry.ts';

const never = new AbortController().signal;

test('sleeping ends on time, or at once when aborted, and leaves nothing behind', async () => {
  const clock = manualClock();
  const controller = new AbortController();
  const seen: string[] = [];
  const short = sleep(10, never, clock).then(() => seen.push('slept'));
  const long = sleep(1_000, controller.signal, clock).catch((error: Error) => seen.push(error.message));
  await clock.advance(10);
  controller.abort(new Error('stop'));
  await Promise.all([short, long]);
  expect(seen).toEqual(['slept', 'stop']);
  expect(clock.pending).toBe(0);
});

test('a deadline aborts with what took too long', async () => {
  const signal = deadline(1, undefined, 'asking the node');
  await aborted(signal);
  expect(signal.reason).toEqual(new TimedOut('asking the node', 1));
});

test('a deadline passes on the abort of its parent', () => {
  const controller = new AbortController();
  const signal = deadline(60_000, controller.signal);
  controller.abort(new Error('stop'));
  expect(signal.reason).toEqual(new Error('stop'));
});

test('work under a deadline ends with the reason, however it wraps it', async () => {
  const work = withDeadline({ ms: 1, what: 'the call' }, async (signal) => {
    await aborted(signal);
    throw new Error('some wrapper');
  });
  await expect(work).rejects.toThrow('the call took longer than 1 ms');
});

test('a stored time keeps its age, and one in the future counts as now', () => {
  const clock = manualClock(5_000);
  clock.setWall(1_750_000_000_000);
  const now = clock.unixMs();
  expect(sinceStored(now - 3_000, { clock, wall: clock })).toBe(2_000);
  expect(sinceStored(now + 3_600_000, { clock, wall: clock })).toBe(5_000);
});

test('the system clock does not step with the time of day', () => {
  const before = systemClock.now();
  const wall = vi.spyOn(Date, 'now').mockReturnValue(0);
  expect(systemClock.now()).toBeGreaterThanOrEqual(before);
  wall.mockRestore();
});

test('retries with growing pauses until it succeeds', async () => {
  const clock = manualClock();
  const pauses: number[] = [];
  const result = retry(
    async (attempt) => {
      if (attempt < 5) throw new Error('not yet');
      return attempt;
    },
    {
      signal: never,
      initialMs: 100,
      maxMs: 300,
      random: () => 0.5,
      clock,
      onRetry: (_, __, pause) => pauses.push(pause),
    },
  );
  await clock.advance(10_000);
  expect(await result).toBe(5);
  expect(pauses).toEqual([75, 150, 225, 225]);
});

test.each([
  ['an error that repeating does not fix', { retryIf: () => false }],
  ['its last attempt', { attempts: 1 }],
])('gives up after %s', async (_, options) => {
  const failing = retry(() => Promise.reject(new Error('no')), { signal: never, ...options });
  await expect(failing).rejects.toThrow('no');
});

test('stops retrying when aborted', async () => {
  const clock = manualClock();
  const controller = new AbortController();
  const failing = retry(() => Promise.reject(new Error('no')), { signal: controller.signal, clock });
  const outcome = failing.catch((error: unknown) => isAbort(error, controller.signal));
  await settle();
  controller.abort();
  expect(await outcome).toBe(true);
  expect(clock.pending).toBe(0);
});

test('a pause is between half and all of what the doubling gives', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 2_000 }),
      fc.double({ min: 0, max: 0.999, noNaN: true }),
      (attempt, chance) => {
        const pause = backoffMs(attempt, { initialMs: 100, maxMs: 5_000 }, () => chance);
        const full = Math.min(5_000, 100 * 2 ** (attempt - 1));
        expect(pause).toBeGreaterThanOrEqual(full / 2);
        expect(pause).toBeLessThanOrEqual(full);
      },
    ),
  );
});

test('a notification wakes everybody who waits, once', async () => {
  const notifier = new Notifier();
  let woken = 0;
  const wait = () =>
    notifier.wait(never).then(() => {
      woken += 1;
    });
  void wait();
  void wait();
  await settle();
  expect(woken).toBe(0);
  notifier.notify();
  notifier.notify();
  void wait();
  await settle();
  expect(woken).toBe(2);
});
