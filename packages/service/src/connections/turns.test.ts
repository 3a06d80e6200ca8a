import { expect, test } from 'vitest';
import { Turns } from './turns.ts';

test('one piece of work is begun in each round, in the order in which it was asked for', async () => {
  const rounds: (() => void)[] = [];
  const turns = new Turns((round) => void rounds.push(round));
  const begun: string[] = [];
  for (const each of ['a', 'b', 'c']) void turns.take().then(() => begun.push(each));
  const seen: string[] = [];
  while (rounds.length > 0) {
    rounds.shift()?.();
    await Promise.resolve();
    seen.push(begun.join(''));
  }
  expect(seen).toEqual(['a', 'ab', 'abc']);
  void turns.take();
  expect(rounds).toHaveLength(1);
});
