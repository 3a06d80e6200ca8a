import { expect, test } from 'vitest';
import { type Made, NOTHING_MADE, nextDue, noteBlock, type Pace, QUIET_AFTER_MS, SLOWER_AFTER_MS } from './pace.ts';

const pace: Pace = { blockIntervalMs: 1_000, emptyBlockIntervalMs: 2_000 };

test('the first block is due at once, asked for or not', () => {
  expect(nextDue(pace, NOTHING_MADE, true)).toBe(Number.NEGATIVE_INFINITY);
  expect(nextDue(pace, NOTHING_MADE, false)).toBe(Number.NEGATIVE_INFINITY);
});

test('an idle chain makes a block every empty block interval', () => {
  expect(nextDue(pace, { asked: undefined, any: 500, busy: 500 }, false)).toBe(2_500);
});

test('a heartbeat does not delay what is asked for right after it', () => {
  const afterHeartbeat = noteBlock(pace, { asked: 0, any: 0, busy: 0 }, 2_000, 2_000, false);
  expect(nextDue(pace, afterHeartbeat, true)).toBe(1_000);
});

test('two blocks that were asked for are an interval apart', () => {
  const made = noteBlock(pace, NOTHING_MADE, 100, Number.NEGATIVE_INFINITY, true);
  expect(nextDue(pace, made, true)).toBe(1_100);
});

test('a heartbeat comes in time although blocks are asked for more seldom than that', () => {
  const slow: Pace = { blockIntervalMs: 5_000, emptyBlockIntervalMs: 2_000 };
  expect(nextDue(slow, { asked: 0, any: 0, busy: 0 }, true)).toBe(2_000);
});

test('a timer that fires late does not make the chain slower', () => {
  const fast: Pace = { blockIntervalMs: 10, emptyBlockIntervalMs: 2_000 };
  let made: Made = { asked: 0, any: 0, busy: 0 };
  let now = 0;
  for (let block = 0; block < 100; block += 1) {
    const due = nextDue(fast, made, true);
    now = Math.max(now, due) + 1.3;
    made = noteBlock(fast, made, now, due, true);
  }
  expect(now).toBeCloseTo(1_001.3);
});

const DAY_MS = 86_400_000;

test('a chain that was late by more than an interval does not hurry to catch up', () => {
  const made = noteBlock(pace, { asked: 0, any: 0, busy: 0 }, 7_500, 1_000, true);
  expect(nextDue(pace, made, true)).toBe(8_500);
});

// Defect: Idle network grew by 209 MB a day, with a block every two seconds
test('a day without transactions has few blocks, the last minute of activity many, and what is asked for is never late', () => {
  const quiet: Pace = { ...pace, quietBlockIntervalMs: 12_000 };
  const heartbeats = (from: Made, until: number): Made[] => {
    const all = [from];
    for (let last = from, due = 0; ; all.push(last)) {
      due = nextDue(quiet, last, false);
      if (due > until) return all.slice(1);
      last = noteBlock(quiet, last, due, due, false);
    }
  };
  const start = noteBlock(quiet, NOTHING_MADE, 0, Number.NEGATIVE_INFINITY, false);
  const minutes = heartbeats(start, SLOWER_AFTER_MS);
  expect(minutes).toHaveLength(QUIET_AFTER_MS / 2_000 + (SLOWER_AFTER_MS - QUIET_AFTER_MS) / 12_000);
  // From then on the distance grows with the time, until it is two minutes.
  const day = heartbeats(start, DAY_MS).map(({ any = 0 }) => any);
  const distances = day.slice(1).map((due, index) => Math.round(due - (day[index] ?? 0)));
  expect(distances.toSorted((a, b) => a - b)).toStrictEqual(distances);
  expect(distances.at(-1)).toBe(120_000);
  expect(day.length).toBeGreaterThan(DAY_MS / 120_000);
  expect(day.length).toBeLessThan(DAY_MS / 120_000 + 200);
  const last = heartbeats(start, DAY_MS).at(-1) ?? start;
  expect(nextDue(quiet, last, true)).toBe(Number.NEGATIVE_INFINITY);
  const now = DAY_MS + 500;
  const wanted = noteBlock(quiet, last, now, now, true);
  expect(heartbeats(wanted, now + QUIET_AFTER_MS)).toHaveLength(QUIET_AFTER_MS / 2_000);
  // Without the setting, and with a shorter one, nothing changes.
  expect(nextDue(pace, last, false)).toBe((last.any ?? 0) + 2_000);
  expect(nextDue({ ...pace, quietBlockIntervalMs: 100 }, last, false)).toBe((last.any ?? 0) + 2_000);
});
