import { systemClock } from '@switchyard/service';
import { expect, test } from 'vitest';
import { FaultyWays } from './link.ts';

const BROKEN = 'the connection between a and b is broken';

test('between two parts without faults everything arrives at once', () => {
  const ways = new FaultyWays();
  expect(ways.travel('a', 'b')).toBe(undefined);
  expect(ways.lost('a', 'b').aborted).toBe(false);
  expect(ways.lost('b', 'a')).toBe(ways.lost('a', 'b'));
});

test('a cut breaks what is under way and all that follows, both ways and between these two only, until it heals', async () => {
  const ways = new FaultyWays();
  const underWay = [ways.lost('a', 'b'), ways.lost('a', 'c')];
  ways.between('a', 'b').cut();
  expect(underWay.map(({ aborted }) => aborted)).toEqual([true, false]);
  await expect(ways.travel('a', 'b')).rejects.toThrow(BROKEN);
  await expect(ways.travel('b', 'a')).rejects.toThrow(BROKEN);
  expect(ways.travel('a', 'c')).toBe(undefined);
  ways.between('b', 'a').heal();
  expect(ways.travel('a', 'b')).toBe(undefined);
  expect(ways.lost('a', 'b').aborted).toBe(false);
});

test('the next few calls or answers are lost, whichever way they go', async () => {
  const ways = new FaultyWays();
  ways.between('a', 'b').drop(2);
  await expect(ways.travel('a', 'b')).rejects.toThrow(BROKEN);
  expect(ways.travel('a', 'c')).toBe(undefined);
  await expect(ways.travel('b', 'a')).rejects.toThrow(BROKEN);
  expect(ways.travel('a', 'b')).toBe(undefined);
  expect(ways.lost('a', 'b').aborted).toBe(false);
});

test('what is delayed takes its time', async () => {
  const ways = new FaultyWays();
  ways.between('b', 'a').delay(20);
  const start = systemClock.now();
  await ways.travel('a', 'b');
  expect(systemClock.now() - start).toBeGreaterThanOrEqual(19);
  ways.between('a', 'b').delay(0);
  expect(ways.travel('a', 'b')).toBe(undefined);
});
