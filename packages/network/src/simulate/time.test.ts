import { sleep, systemClock, turn, useTime, wallClock } from '@switchyard/service';
import { afterEach, expect, test } from 'vitest';
import { Chance } from './chance.ts';
import { SimulatedTime } from './time.ts';

let giveBack = (): void => undefined;
afterEach(() => giveBack());

function simulated(): SimulatedTime {
  const time = new SimulatedTime({ unixMs: 1_000_000, chance: new Chance(1) });
  giveBack = useTime(() => time).giveBack;
  return time;
}

test('hours pass at once, and timers fire in the order of their moments, then of their making', async () => {
  const time = simulated();
  const fired: string[] = [];
  systemClock.after(3_600_000, () => fired.push(`an hour: ${systemClock.now()}`));
  systemClock.after(5, () => fired.push('second of a moment'));
  systemClock.after(2, () => {
    fired.push('first');
    systemClock.after(3, () => fired.push('third of a moment'));
  });
  const taken = systemClock.after(1, () => fired.push('never'));
  taken();
  void sleep(10).then(() => fired.push(`slept: ${wallClock.unixMs()}`));
  expect(await time.pass(3_600_000)).toBe(false);
  expect(fired).toEqual(['first', 'second of a moment', 'third of a moment', 'slept: 1000010', 'an hour: 3600000']);
});

test('no time passes while something is ready, or the system works', async () => {
  const time = simulated();
  const seen: (readonly [string, number])[] = [];
  const work = async (name: string, ms: number): Promise<void> => {
    await time.outside(new Promise((resolve) => setTimeout(resolve, ms)));
    for (let count = 0; count < 3; count += 1) await turn();
    seen.push([name, systemClock.now()]);
  };
  // The first to be begun is the first to continue, although the second is done before it.
  void Promise.all([work('slow', 30), work('quick', 1)]);
  await time.pass(1_000, () => seen.length === 2);
  expect(seen).toEqual([
    ['slow', 0],
    ['quick', 0],
  ]);
});

test('a set clock changes the time of day and no timer', async () => {
  const time = simulated();
  const seen: number[] = [];
  systemClock.after(100, () => seen.push(wallClock.unixMs()));
  time.stepWall(-50_000);
  await time.pass(200);
  expect(seen).toEqual([950_100]);
});
