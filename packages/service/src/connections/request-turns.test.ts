import { expect, test } from 'vitest';
import { RequestTurns } from './request-turns.ts';

/** Requests whose work, of `workMs` on a clock of its own, is done after all of their round have been begun. */
function turns(workMs: number) {
  const rounds: (() => void)[] = [];
  let now = 0;
  let begun = 0;
  const fair = new RequestTurns(
    (round) => void rounds.push(round),
    () => now,
  );
  const order: string[] = [];
  const work = (): void => {
    now += begun * workMs;
    begun = 0;
  };
  return {
    order,
    work,
    take: (peer: string, what: string) =>
      fair.run(peer, () => {
        order.push(what);
        begun += 1;
      }),
    /** The next round. @returns what it began. */
    round(): number {
      work();
      rounds.shift()?.();
      return begun;
    },
    isIdle: () => rounds.length === 0,
  };
}

test('what comes alone is begun at once', () => {
  const { take, round, order, isIdle } = turns(1);
  take('a', 'first');
  expect(order).toEqual(['first']);
  round();
  expect(isIdle()).toBe(true);
  take('a', 'second');
  expect(order).toEqual(['first', 'second']);
});

test('what a round has no time for is begun in later ones, peers in rotation, each in its order', () => {
  const { take, work, round, order } = turns(3);
  take('greedy', 'g0');
  work();
  for (const what of ['g1', 'g2', 'g3']) take('greedy', what);
  take('honest', 'h1');
  take('honest', 'h2');
  expect(order).toEqual(['g0']);
  while (round() > 0);
  expect(order).toEqual(['g0', 'g1', 'h1', 'g2', 'h2', 'g3']);
});

test.each([
  ['few', 10, 1],
  ['many', 0.01, 64],
])('a round begins %s of those that take %d ms', (_, workMs, expected) => {
  const { take, work, round } = turns(workMs);
  for (let count = 0; count < 300; count += 1) take('a', '');
  work();
  for (let count = 0; count < 500; count += 1) take('a', '');
  const counts = Array.from({ length: 9 }, round);
  expect(Math.max(...counts)).toBe(expected);
});
