import { expect, test } from 'vitest';
import { outcomesUrl, withOutcomes } from './evm-outcomes.ts';
import type { Journey } from './facts.ts';

const journey = (hash: string, over: Partial<Journey> = {}): Journey => ({ hash, rollup: 'r', queuedAt: 1, ...over });

test('the node is asked about what has no end yet', () => {
  const path = [
    journey('a'),
    journey('b', { evm: { hash: '0xb', end: { kind: 'succeeded' } } }),
    journey('c', { evm: { hash: '0xc' } }),
    journey('d', { refused: { at: 2, reason: 'full' } }),
  ];
  expect(outcomesUrl('http://n', path)).toBe('http://n/v1/outcomes?submissions=a,c');
  expect(outcomesUrl('http://n', path.slice(1, 2))).toBeUndefined();
});

test('what it answers is added, and what was known stays', () => {
  const before = [journey('a', { evm: { hash: '0xa', end: { kind: 'succeeded' } } })];
  const path = ['a', 'b', 'c', 'd', 'e', 'f'].map((hash) => journey(hash));
  const transactions = [
    { submission: 'b', hash: '0xb', outcome: { kind: 'included', success: true } },
    { submission: 'c', hash: '0xc', outcome: { kind: 'included', success: false } },
    { submission: 'd', hash: '0xd', outcome: { kind: 'refused', reason: 'no funds' } },
    { submission: 'e', hash: '0xe' },
    { submission: 'f', hash: '0xf', outcome: { kind: 'replaced', by: '0x1' } },
    'nonsense',
  ];
  expect(withOutcomes(path, before, { transactions }).map(({ evm }) => evm)).toEqual([
    { hash: '0xa', end: { kind: 'succeeded' } },
    { hash: '0xb', end: { kind: 'succeeded' } },
    { hash: '0xc', end: { kind: 'reverted' } },
    { hash: '0xd', end: { kind: 'skipped', why: 'refused: no funds' } },
    { hash: '0xe' },
    { hash: '0xf', end: { kind: 'skipped', why: 'replaced by 0x1' } },
  ]);
  expect(withOutcomes(path, [], undefined)).toBe(path);
});
