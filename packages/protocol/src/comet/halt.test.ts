import { expect, test } from 'vitest';
import { haltReason } from './halt.ts';

/** Validators with these powers; negative: it is not active. */
const facts = (ageMs: number, ...powers: readonly number[]) => ({
  height: 994,
  ageMs,
  validators: powers.map((power) => ({ power: BigInt(Math.abs(power)), isActive: power > 0 })),
  activity: 'answer' as const,
});
const voting = (...args: Parameters<typeof facts>) => ({ ...facts(...args), activity: 'vote' as const });

test.each([
  [facts(9_000, 10, 10, -10, -10), undefined],
  [facts(120_000, 10, 10, -10, -10), '2 of 4 validators answer, 3 are needed, no block since height 994 (2 minutes)'],
  [facts(59_999, 10, 10, -10), '2 of 3 validators answer, 3 are needed, no block since height 994 (59 seconds)'],
  [facts(59_999, 10, 10, 10, -10), undefined],
  [
    facts(3_600_000, 10, 10, 10, -10),
    'no block since height 994 (1 hour), and 3 of 4 validators answer, which is enough',
  ],
  [facts(61_000, 10), 'no block since height 994 (1 minute)'],
  [
    facts(200_000_000, 60, 30, -45),
    '2 of 3 validators answer, with 66 % of the voting power, and more than two thirds are needed, no block since height 994 (2 days)',
  ],
  [facts(59_000), undefined],
  [voting(59_999, 10, 10, -10, -10), undefined],
  [voting(120_000, 10, 10, -10, -10), '2 of 4 validators vote, 3 are needed, no block since height 994 (2 minutes)'],
])('of case %#, the reason is what the powers and the time of the newest block tell', (chain, reason) => {
  expect(haltReason(chain)).toBe(reason);
});
