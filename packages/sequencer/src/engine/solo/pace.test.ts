import { expect, test } from 'vitest';
import { type Made, NOTHING_MADE, nextDue, noteBlock, type Pace } from './pace.ts';

const pace: Pace = { blockIntervalMs: 1_000, emptyBlockIntervalMs: 2_000 };

test('the first block is due at once, asked for or not', () => {
  expect(nextDue(pace, NOTHING_MADE, true)).toBe(Number.NEGATIVE_INFINITY);
  expect(nextDue(pace, NOTHING_MADE, false)).toBe(Number.NEGATIVE_INFINITY);
});

test('an idle chain makes a block every empty block interval', () => {
  expect(nextDue(pace, { asked: undefined, any: 500 }, false)).toBe(2_500);
});

test('a heartbeat does not delay what is asked for right after it', () => {
  const afterHeartbeat = noteBlock(pace, { asked: 0, any: 0 }, 2_000, 2_000, false);
  expect(nextDue(pace, afterHeartbeat, true)).toBe(1_000);
});

test('two blocks that were asked for are an interval apart', () => {
  const made = noteBlock(pace, NOTHING_MADE, 100, Number.NEGATIVE_INFINITY, true);
  expect(nextDue(pace, made, true)).toBe(1_100);
});

test('a heartbeat comes in time although blocks are asked for more seldom than that', () => {
  const slow: Pace = { blockIntervalMs: 5_000, emptyBlockIntervalMs: 2_000 };
  expect(nextDue(slow, { asked: 0, any: 0 }, true)).toBe(2_000);
});

test('a timer that fires late does not make the chain slower', () => {
  const fast: Pace = { blockIntervalMs: 10, emptyBlockIntervalMs: 2_000 };
  let made: Made = { asked: 0, any: 0 };
  let now = 0;
  for (let block = 0; block < 100; block += 1) {
    const due = nextDue(fast, made, true);
    now = Math.max(now, due) + 1.3;
    made = noteBlock(fast, made, now, due, true);
  }
  expect(now).toBeCloseTo(1_001.3);
});

test('a chain that was late by more than an interval does not hurry to catch up', () => {
  const made = noteBlock(pace, { asked: 0, any: 0 }, 7_500, 1_000, true);
  expect(nextDue(pace, made, true)).toBe(8_500);
});
