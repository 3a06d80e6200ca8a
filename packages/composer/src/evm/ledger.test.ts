import { txHashOf } from '@switchyard/protocol';
import { expect, test } from 'vitest';
import { type Known, Ledger } from './ledger.ts';

const submission = txHashOf(Uint8Array.of(1));

function ledger() {
  const made = new Ledger();
  const state = { known: 'unknown' as Known, now: 0, block: 100n };
  const listed = (minutes: number, blocks: bigint) => {
    state.now += minutes * 60_000;
    state.block += blocks;
    return made.listed('0xa', () => state.known, state.now, state.block);
  };
  return { made, state, listed };
}

test('what is new is taken once, unless it was dropped', () => {
  const { made, listed } = ledger();
  expect([listed(0, 0n), made.take('0xa'), made.take('0xa'), listed(0, 0n)]).toEqual([true, true, false, false]);
  made.drop('0xa');
  expect(made.take('0xa')).toBe(true);
});

test('what waits, or was refused for good, is left alone however long it is listed', () => {
  const { made, state, listed } = ledger();
  made.take('0xa');
  made.submitted('0xa', submission);
  for (const known of ['waiting', 'refused'] as const) {
    state.known = known;
    expect([listed(10, 100n), listed(10, 100n)]).toEqual([false, false]);
  }
});

test('what a node still lists long after it was sequenced is submitted again, a few times', () => {
  const { made, state, listed } = ledger();
  made.take('0xa');
  made.submitted('0xa', submission);
  state.known = 'sequenced';
  // Noticed; then too soon; then without blocks in between; then due.
  expect([listed(1, 5n), listed(0.5, 20n)]).toEqual([false, false]);
  expect([listed(2, 0n)]).toEqual([true]);
  expect([listed(0, 0n), listed(1, 50n), listed(1, 0n)]).toEqual([false, false, true]);
  let again = 0;
  for (let minutes = 0; minutes < 300; minutes += 1) if (listed(1, 60n)) again += 1;
  expect(again).toBe(3);
});

test('a node that stands still has not skipped it', () => {
  const { made, state, listed } = ledger();
  made.take('0xa');
  made.submitted('0xa', submission);
  state.known = 'sequenced';
  expect([listed(1, 0n), listed(600, 5n), listed(1, 5n)]).toEqual([false, false, true]);
});

test('a block number that was wrong once does not put the next try off for ever', () => {
  const { made, state, listed } = ledger();
  made.take('0xa');
  made.submitted('0xa', submission);
  state.known = 'sequenced';
  listed(1, 9_000_000n);
  expect([listed(1, -9_000_000n), listed(1, 50n)]).toEqual([false, true]);
});

test('only the newest are remembered', () => {
  const { made } = ledger();
  for (let index = 0; index <= 100_000; index += 1) made.take(String(index));
  expect([made.take('0'), made.take('100000')]).toEqual([true, false]);
});
