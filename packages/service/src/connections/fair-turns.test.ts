import { expect, test } from 'vitest';
import { FairTurns, type TurnTaker } from './fair-turns.ts';

function turns() {
  const rounds: (() => void)[] = [];
  const fair = new FairTurns((round) => void rounds.push(round));
  const order: string[] = [];
  return {
    order,
    take: (peer: string, what: string, taker?: TurnTaker) => void fair.take(peer, taker).then(() => order.push(what)),
    /** One round of the event loop. @returns how many are to come. */
    async round() {
      rounds.shift()?.();
      await new Promise((resolve) => setImmediate(resolve));
      return rounds.length;
    },
  };
}

test('one piece of work in each round, peers in rotation, each in its order', async () => {
  const { take, round, order } = turns();
  for (const what of ['a1', 'a2', 'a3', 'a4']) take('a', what);
  take('b', 'b1');
  take('c', 'c1');
  take('b', 'b2');
  await round();
  expect(order).toEqual(['a1']);
  while ((await round()) > 0);
  expect(order).toEqual(['a1', 'b1', 'c1', 'a2', 'b2', 'a3', 'a4']);
});

test('who comes later waits for one turn of each peer, however much these have to do', async () => {
  const { take, round, order } = turns();
  for (let count = 0; count < 1_000; count += 1) take('greedy', `g${count}`);
  await round();
  take('honest', 'h');
  await round();
  await round();
  expect(order.slice(0, 3)).toContain('h');
});

test('what comes when all is done is begun again', async () => {
  const { take, round, order } = turns();
  take('a', 'first');
  expect(await round()).toBe(0);
  take('a', 'second');
  expect(await round()).toBe(0);
  expect(order).toEqual(['first', 'second']);
});

test('within a peer, who has had fewest turns is next', async () => {
  const { take, round, order } = turns();
  const greedy = { turnsTaken: 0 };
  const honest = { turnsTaken: 0 };
  for (let count = 0; count < 5; count += 1) take('a', `greedy ${count}`, greedy);
  await round();
  take('a', 'honest', honest);
  while ((await round()) > 0);
  expect(order.slice(0, 3)).toEqual(['greedy 0', 'honest', 'greedy 1']);
  expect([greedy, honest]).toEqual([{ turnsTaken: 5 }, { turnsTaken: 1 }]);
});
