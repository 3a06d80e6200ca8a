import { expect, test } from 'vitest';
import { evaluate, recoveredAt } from './verdict.ts';

const flat = (ms: number) => Array.from({ length: 200 }, () => ms);
const quiet = { read: flat(10), submit: flat(20), floor: flat(1) };
const measured = { kind: 'x', quiet, during: { read: flat(30), submit: flat(60), floor: flat(9) }, recoveryMs: 10_000 };

test('three times as long and ten seconds are within the bounds', () => {
  expect(evaluate(measured).violations).toEqual([]);
});

test('one slow answer of a hundred decides', () => {
  const during = { ...quiet, read: [...flat(10), 31, 31, 31] };
  expect(evaluate({ ...measured, during }).violations).toEqual(['read: p99 is 3.1 x quiet']);
  expect(evaluate({ ...measured, during: { ...quiet, read: [...flat(10), 31] } }).violations).toEqual([]);
});

test('a slow recovery, or none, is a violation', () => {
  expect(evaluate({ ...measured, recoveryMs: 10_001 }).violations).toEqual(['recovery: 10.0 s']);
  expect(evaluate({ ...measured, recoveryMs: undefined }).violations).toEqual(['recovery: not within the time']);
});

test('nothing measured is a violation', () => {
  const violations = evaluate({ ...measured, during: { read: [], submit: [], floor: [] } }).violations;
  expect(violations).toHaveLength(2);
});

test('recovered is from the first answer of a run that is good throughout', () => {
  const answers = [50, 5, 5, 50, 5, 5, 5].map((ms, index) => ({ at: index * 100, ms }));
  expect(recoveredAt(answers, { boundMs: 10, inARow: 3 })).toBe(400);
  expect(recoveredAt(answers, { boundMs: 10, inARow: 4 })).toBeUndefined();
  expect(recoveredAt(answers, { boundMs: 100, inARow: 3 })).toBe(0);
});
