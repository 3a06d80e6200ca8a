import { expect, test } from 'vitest';
import { oneInARound, pauseEvery } from './pause.ts';
import { Rounds } from './rounds.ts';

test('one caller continues in each round, in the order in which they asked', async () => {
  const rounds: (() => void)[] = [];
  const turns = new Rounds((go) => void rounds.push(go));
  const gone: string[] = [];
  const work = async (name: string, pieces: number) => {
    for (let piece = 0; piece < pieces; piece++) {
      await turns.next();
      gone.push(name);
    }
  };
  const all = [work('a', 3), work('b', 1), work('c', 2)];
  for (let round = 1; rounds.length > 0; round++) {
    rounds.shift()?.();
    // The caller that continued asks for its next turn.
    for (let step = 0; step < 5; step++) await Promise.resolve();
    expect(gone).toHaveLength(round);
  }
  await Promise.all(all);
  expect(gone).toEqual(['a', 'b', 'c', 'a', 'c', 'a']);
});

test('however many calls run, what is asked meanwhile waits for a piece of one of them', async () => {
  let done = 0;
  let pieces = 0;
  const call = async () => {
    const pause = pauseEvery(0, { turn: oneInARound });
    for (let piece = 0; piece < 20; piece++) {
      await pause();
      pieces += 1;
    }
    done += 1;
  };
  const calls = Array.from({ length: 16 }, call);
  const between: number[] = [];
  while (done < calls.length) {
    const before = pieces;
    await new Promise(setImmediate);
    between.push(pieces - before);
  }
  await Promise.all(calls);
  expect(Math.max(...between)).toBeLessThanOrEqual(2);
});
