import { expect, test } from 'vitest';
import { getSteps, untilMs } from './way.ts';

const time = (second: number) => new Date(1_700_000_000_000 + second * 1_000).toISOString();
const traced = {
  accepted: { at: time(0), bundledAt: time(1) },
  sequencer: { time: time(3) },
  execution: { seen: time(3.5), isFirm: false },
  layer: null,
};
const seen = (steps: ReturnType<typeof getSteps>) => steps.map(({ stage, isDone, tookMs }) => [stage, isDone, tookMs]);

test('steps have the time from the one before, and those that are to come are not done', () => {
  const steps = getSteps(traced);
  expect(seen(steps)).toEqual([
    ['accepted', true, undefined],
    ['bundled', true, 1_000],
    ['sequenced', true, 2_000],
    ['executed', true, 500],
    ['posted', false, undefined],
    ['firm', false, undefined],
  ]);
  expect([untilMs(steps, 'executed'), untilMs(steps, 'posted')]).toEqual([3_500, undefined]);
});

test('a step without a time, or before its predecessor by another clock, took no time that is shown', () => {
  const steps = getSteps({
    ...{ accepted: null, sequencer: { time: null }, layer: { height: 9, at: time(1) } },
    execution: { seen: time(2), isFirm: true },
  });
  expect(seen(steps)).toEqual([
    ['sequenced', true, undefined],
    ['executed', true, undefined],
    ['posted', true, undefined],
    ['firm', true, undefined],
  ]);
});
