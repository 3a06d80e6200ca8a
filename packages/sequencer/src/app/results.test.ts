import { testTxHash } from '@switchyard/machine/testing';
import { expect, test } from 'vitest';
import { RecentResults } from './results.ts';
import type { TxResult } from './types.ts';

const result = (events: number): TxResult => ({
  code: 0,
  data: new Uint8Array(),
  log: '',
  info: '',
  gasWanted: 0n,
  gasUsed: 0n,
  events: Array.from({ length: events }, () => ({ type: 'e', attributes: [] })),
  codespace: '',
});

function results(limits: { count?: number; events?: number; ageMs?: number }) {
  const clock = { now: 0 };
  const recent = new RecentResults({ now: () => clock.now }, { count: 9, events: 99, ageMs: 60_000, ...limits });
  const known = () => [0, 1, 2].filter((number) => recent.get(testTxHash(number)) !== undefined);
  return { recent, clock, known };
}

test.each([
  ['number', { count: 2 }, 1],
  ['events', { events: 10 }, 5],
])('forgets the oldest by %s', (_, limits, events) => {
  const { recent, known } = results(limits);
  for (const number of [0, 1, 2]) recent.add(testTxHash(number), 1n, result(events));
  expect(known()).toEqual([1, 2]);
});

test('forgets by age', () => {
  const { recent, clock, known } = results({});
  recent.add(testTxHash(0), 1n, result(1));
  clock.now = 30_000;
  recent.add(testTxHash(1), 2n, result(1));
  clock.now = 60_000;
  expect(known()).toEqual([1]);
});
