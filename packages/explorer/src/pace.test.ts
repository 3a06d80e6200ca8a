import { manualClock } from '@switchyard/service/testing';
import { expect, test } from 'vitest';
import { budgetAfter, type CpuTimes, machineCpu, Pace, paced, shareOfOthers, smoothed } from './pace.ts';
import type { IndexStore } from './store/store.ts';

const times = (own: number, used: number, capacity: number): CpuTimes => ({ own, used, capacity });

test('its own work does not make a machine busy', () => {
  expect(shareOfOthers(times(0, 0, 0), times(900, 1_000, 1_000))).toBeCloseTo(0.1);
  expect(shareOfOthers(times(0, 0, 0), times(0, 1_000, 1_000))).toBe(1);
  expect(shareOfOthers(times(5, 5, 5), times(5, 5, 5))).toBe(0);
});

test('load counts at once, and relief bit by bit', () => {
  expect(smoothed(0.2, 0.9)).toBe(0.9);
  expect(smoothed(1, 0.6)).toBeCloseTo(0.9);
});

test('on a busy machine work gets its share of the time, and on another one all', () => {
  expect(budgetAfter(-1_000, 500, 10, 2, 0.5)).toBe(50);
  // 2 % of one core is 1 % of two.
  expect(budgetAfter(0, 10, 1_000, 2, 0.9)).toBeCloseTo(10);
  expect(budgetAfter(40, 0, 1_000, 2, 0.9)).toBe(50);
  expect(budgetAfter(50, 150, 0, 2, 1)).toBe(-100);
  // What five seconds make up for.
  expect(budgetAfter(0, 10_000, 0, 2, 1)).toBeCloseTo(-100);
});

/** Two cores, of which others take `others` while the clock runs, and a store that records what is written when. */
function pacedStore() {
  const clock = manualClock();
  const machine = { own: 0, others: 1, busy: 0, capacity: 0 };
  const pace = new Pace({
    clock,
    cores: 2,
    cpu: () => times(machine.own, machine.busy + machine.own, machine.capacity),
  });
  const written: number[] = [];
  const store: IndexStore = {
    place: 'memory',
    read: async () => [],
    close: async () => undefined,
    write: async () => void written.push(clock.now()),
  };
  const index = paced(store, pace, new AbortController().signal);
  return {
    machine,
    written,
    index,
    async pass(ms: number) {
      for (let at = 0; at < ms; at += 50) {
        machine.capacity += 100;
        machine.busy += 100 * machine.others;
        await clock.advance(50);
      }
    },
    /** Writes a batch for which the process has taken so much. */
    async write(own: number) {
      machine.own += own;
      await index.write([]);
    },
  };
}

test('a batch that took more than its share is made up for', async () => {
  const { pass, write, written } = pacedStore();
  await pass(1_000);
  // 50 ms are free at once: 90 more at 20 ms a second.
  const first = write(140);
  await pass(4_250);
  expect(written).toEqual([]);
  await pass(500);
  await first;
  expect(written).toHaveLength(1);
});

test('two that index at the same time have one share together', async () => {
  const { pass, write, written } = pacedStore();
  await pass(1_000);
  const both = [write(70), write(70)];
  await pass(4_250);
  expect(written).toHaveLength(0);
  await pass(500);
  await Promise.all(both);
  expect(written).toHaveLength(2);
});

test('a rest ends soon after the load does', async () => {
  const { machine, pass, write, written } = pacedStore();
  await pass(1_000);
  const first = write(500);
  await pass(2_000);
  machine.others = 0.2;
  await pass(750);
  await first;
  expect(written).toHaveLength(1);
});

test('the index advances where the rest of the process takes all of its share', async () => {
  const { machine, pass, write, written } = pacedStore();
  await pass(1_000);
  const first = write(100);
  for (let second = 0; second < 6; second += 1) {
    machine.own += 100;
    await pass(1_000);
  }
  await first;
  expect(written).toHaveLength(1);
});

test('a stop does not wait for the end of a rest', async () => {
  const clock = manualClock();
  let now = times(0, 0, 0);
  const pace = new Pace({ clock, cores: 1, cpu: () => now });
  const stop = new AbortController();
  await clock.advance(1_000);
  now = times(500, 1_500, 1_500);
  const rest = pace.rest(stop.signal);
  stop.abort();
  await rest;
});

test('the machine reports times that rise', () => {
  const before = machineCpu();
  let after = machineCpu();
  while (after.own === before.own) after = machineCpu();
  expect(after.own).toBeGreaterThan(before.own);
  expect(after.capacity).toBeGreaterThanOrEqual(before.capacity);
});
