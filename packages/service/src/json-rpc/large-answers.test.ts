import { expect, test } from 'vitest';
import { eventually, manualClock, settle } from '../testing.ts';
import { LargeAnswers } from './large-answers.ts';

const MB = 1024 * 1024;

const reader = (peer = 'a', onCut = (): void => undefined) => ({
  peer,
  page: undefined,
  turn: async () => undefined,
  isGone: () => false,
  cutOff: onCut,
});

test('few answers are made at a time, the others in the order in which they came', async () => {
  const large = new LargeAnswers(manualClock());
  const begun: number[] = [];
  const finish: (() => void)[] = [];
  const all = Array.from({ length: 7 }, (_, index) =>
    large.make(reader(), () => {
      begun.push(index);
      return new Promise((resolve) => finish.push(() => resolve({ text: 'x' })));
    }),
  );
  await eventually(() => begun.length === 4);
  await settle();
  expect(begun).toEqual([0, 1, 2, 3]);
  finish[2]?.();
  await settle();
  expect(begun).toEqual([0, 1, 2, 3, 4]);
  for (let index = 0; index < 7; index += 1) {
    finish[index]?.();
    await settle();
  }
  expect((await Promise.all(all)).map(({ text }) => text)).toEqual(Array(7).fill('x'));
});

// Defect: One address had all places for large answers
test('of those that wait, one of the peer for which fewest are made is next', async () => {
  const large = new LargeAnswers(manualClock());
  const begun: string[] = [];
  const finish: (() => void)[] = [];
  const ask = (peer: string) =>
    large.make(reader(peer), () => {
      begun.push(peer);
      return new Promise((resolve) => finish.push(() => resolve({ text: 'x' })));
    });
  for (let count = 0; count < 20; count += 1) void ask('greedy');
  void ask('other');
  await eventually(() => begun.length === 4);
  finish[0]?.();
  await settle();
  expect(begun).toEqual(['greedy', 'greedy', 'greedy', 'greedy', 'other']);
});

test('no more are made while what was made is not taken', async () => {
  const large = new LargeAnswers(manualClock());
  const held = [
    await large.make(reader(), async () => ({ text: 'x'.repeat(40 * MB) })),
    await large.make(reader(), async () => ({ text: 'x'.repeat(40 * MB) })),
  ];
  let made = false;
  const next = large.make(reader(), async () => {
    made = true;
    return { text: 'x' };
  });
  await settle();
  expect(made).toBe(false);
  held[0]?.release();
  held[0]?.release();
  await next;
  expect(made).toBe(true);
});

test('a failure gives its place free, and too many who wait are refused', async () => {
  const large = new LargeAnswers(manualClock());
  for (let count = 0; count < 10; count += 1) {
    await expect(large.make(reader(), () => Promise.reject(new Error('no')))).rejects.toThrow('no');
  }
  const stuck = Array.from({ length: 260 }, () => large.make(reader(), () => new Promise<never>(() => undefined)));
  for (const each of stuck) each.catch(() => undefined);
  await expect(large.make(reader(), async () => ({ text: 'x' }))).rejects.toThrow(
    'too many requests for large answers at once',
  );
  // A request of the peer with most waiting is refused, not that of another peer.
  const other = large.make(reader('b'), async () => ({ text: 'x' }));
  await expect(Promise.race([other.then(() => 'made'), ...stuck])).rejects.toThrow('too many requests');
});

// Defect: Others waited for unread WebSockets
test('who does not read is cut off when others wait for the memory, the peer that holds most first', async () => {
  const clock = manualClock();
  const large = new LargeAnswers(clock);
  const cut: string[] = [];
  const ask = async (peer: string, name: string, bytes: number) =>
    large.make(
      reader(peer, () => void cut.push(name)),
      async () => ({ text: 'x'.repeat(bytes) }),
    );
  await ask('honest', 'slow', 10 * MB);
  await ask('greedy', 'first', 30 * MB);
  await ask('greedy', 'second', 30 * MB);
  await clock.advance(60_000);
  // No request waits, so no reader is cut off.
  expect(cut).toEqual([]);
  const next = ask('honest', 'next', 1);
  await eventually(async () => {
    await clock.advance(1);
    return cut.length > 0;
  });
  expect([(await next).text, cut]).toEqual(['x', ['first']]);
});

test('a reader has time, also where others wait', async () => {
  const clock = manualClock();
  const large = new LargeAnswers(clock);
  const cut: string[] = [];
  const held = await large.make(
    reader('a', () => void cut.push('a')),
    async () => ({ text: 'x'.repeat(70 * MB) }),
  );
  const next = large.make(reader('b'), async () => ({ text: 'next' }));
  await clock.advance(500);
  expect(cut).toEqual([]);
  held.release();
  expect((await next).text).toBe('next');
  await clock.advance(10_000);
  expect(cut).toEqual([]);
});
