import type { Hash } from '@switchyard/evm-machine/types';
import type { Forwarded } from '@switchyard/rollup/execution';
import { manualClock } from '@switchyard/service/testing';
import { expect, test } from 'vitest';
import { Waiters } from './waiters.ts';

const WITHIN_MS = 1_000;
const ACCEPTED: Forwarded = { kind: 'accepted' };
const hash = (n: number): Hash => `0x${n.toString(16).padStart(64, '0')}`;

function waiting() {
  const clock = manualClock();
  const waiters = new Waiters(clock, WITHIN_MS);
  const seen: [name: string, outcome: string, at: number][] = [];
  const wait = (name: string, n: number) =>
    waiters.add(hash(n), (outcome) => seen.push([name, outcome?.kind ?? 'too late', clock.now()]));
  return { clock, waiters, seen, wait };
}

test('all who wait for a transaction get its outcome once, and no other', async () => {
  const { clock, waiters, seen, wait } = waiting();
  wait('first', 1);
  wait('second', 1);
  wait('other', 2);
  waiters.settle(hash(1), ACCEPTED);
  waiters.settle(hash(1), ACCEPTED);
  expect(seen).toEqual([
    ['first', 'accepted', 0],
    ['second', 'accepted', 0],
  ]);
  await clock.advance(WITHIN_MS);
  expect(seen.slice(2)).toEqual([['other', 'too late', WITHIN_MS]]);
});

test('each waits for its own time', async () => {
  const { clock, waiters, seen, wait } = waiting();
  wait('first', 1);
  await clock.advance(300);
  wait('between', 2);
  await clock.advance(300);
  wait('again', 1);
  waiters.settle(hash(2), ACCEPTED);
  await clock.advance(2 * WITHIN_MS);
  expect(seen).toEqual([
    ['between', 'accepted', 600],
    ['first', 'too late', WITHIN_MS],
    ['again', 'too late', 600 + WITHIN_MS],
  ]);
  waiters.settle(hash(1), ACCEPTED);
  expect(seen).toHaveLength(3);
});

test('no timer is left when nothing waits: it would keep the process alive', async () => {
  const { clock, waiters, wait } = waiting();
  wait('one', 1);
  wait('two', 2);
  expect(clock.pending).toBe(1);
  waiters.settle(hash(1), ACCEPTED);
  expect(clock.pending).toBe(1);
  waiters.settle(hash(2), ACCEPTED);
  expect(clock.pending).toBe(0);
  wait('three', 3);
  await clock.advance(WITHIN_MS);
  expect(clock.pending).toBe(0);
});
