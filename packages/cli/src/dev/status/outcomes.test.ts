import { expect, test } from 'vitest';
import type { Journey } from './journey.ts';
import { askOutcomes, withOutcomes } from './outcomes.ts';

const journey = (hash: string, over: Partial<Journey> = {}): Journey => ({ hash, rollup: 'r', queuedAt: 1, ...over });
const sequenced = { at: 2, height: 7 };
const EVM = { service: 'evm', kind: 'evm', url: 'http://n' } as const;
const MESSENGER = { service: 'rollup', kind: 'messenger', url: 'http://m' } as const;

async function ask(rollup: Parameters<typeof askOutcomes>[0], path: readonly Journey[], answers: object = {}) {
  const urls: string[] = [];
  const outcomes = await askOutcomes(rollup, 'r', path, async (url) => {
    urls.push(url);
    return (answers as Record<string, unknown>)[url];
  });
  return { urls, ends: withOutcomes(path, outcomes).map(({ outcome }) => outcome) };
}

test('a rollup is asked about its own transactions that have no outcome yet', async () => {
  const path = [
    journey('a'),
    journey('b', { outcome: { hash: '0xb', end: { kind: 'succeeded' } } }),
    journey('c', { outcome: { hash: '0xc' } }),
    journey('d', { refused: { at: 2, reason: 'full' } }),
    journey('e', { rollup: 'other', sequenced }),
    journey('f', { sequenced }),
  ];
  expect((await ask(EVM, path)).urls).toEqual(['http://n/v1/outcomes?submissions=a,c,f']);
  expect((await ask(MESSENGER, path)).urls).toEqual(['http://m/v1/transactions/f']);
  expect((await ask(EVM, path.slice(1, 2))).urls).toEqual([]);
});

test('what the EVM node answers is added', async () => {
  const path = ['a', 'b', 'c', 'd', 'e', 'f'].map((hash) => journey(hash));
  const transactions = [
    { submission: 'b', hash: '0xb', outcome: { kind: 'included', success: true } },
    { submission: 'c', hash: '0xc', outcome: { kind: 'included', success: false } },
    { submission: 'd', hash: '0xd', outcome: { kind: 'refused', reason: 'no funds' } },
    { submission: 'e', hash: '0xe' },
    { submission: 'f', hash: '0xf', outcome: { kind: 'replaced', by: '0x1' } },
    'nonsense',
  ];
  const answers = { 'http://n/v1/outcomes?submissions=a,b,c,d,e,f': { transactions } };
  expect((await ask(EVM, path, answers)).ends).toEqual([
    undefined,
    { hash: '0xb', end: { kind: 'succeeded' } },
    { hash: '0xc', end: { kind: 'reverted' } },
    { hash: '0xd', end: { kind: 'skipped', why: 'refused: no funds' } },
    { hash: '0xe' },
    { hash: '0xf', end: { kind: 'skipped', why: 'replaced by 0x1' } },
  ]);
});

test('what the messenger answers is added, a few at a time', async () => {
  const path = ['a', 'b', 'c', 'd', 'e'].map((hash) => journey(hash, { sequenced }));
  const answers = {
    'http://m/v1/transactions/a': { state: 'firm' },
    'http://m/v1/transactions/b': { state: 'refused', reason: 'nonce 7, the next one is 3' },
    'http://m/v1/transactions/c': { state: 'sequenced' },
  };
  const { urls, ends } = await ask(MESSENGER, path, answers);
  expect(urls).toHaveLength(4);
  expect(ends).toEqual([
    { hash: 'a', end: { kind: 'succeeded' } },
    { hash: 'b', end: { kind: 'skipped', why: 'refused: nonce 7, the next one is 3' } },
    undefined,
    undefined,
    undefined,
  ]);
});

test('an outcome that is known stays', () => {
  const path = [journey('a', { outcome: { hash: '0xa', end: { kind: 'succeeded' } } })];
  expect(withOutcomes(path, new Map([['a', { hash: '0xa', end: { kind: 'reverted' } }]]))).toEqual(path);
  expect(withOutcomes(path, new Map())).toBe(path);
});
