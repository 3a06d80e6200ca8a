import { expect, test } from 'vitest';
import { getDoubts, keyOfUse, mixesScripts, nameSkeleton } from './look-alike.ts';

test.each([
  ['alice', 'аlісе'],
  ['alice', 'AIice'],
  ['alice', 'a1ice'],
  ['alice', 'ａｌｉｃｅ'],
  ['alice', 'àlicé'],
  ['alice', 'al\u200bice'],
  ['alice', 'a-l_i.c e'],
  ['bob', 'ВОВ'],
  ['bob', 'b0b'],
  ['marnie', 'mamie'],
  ['david', 'clavicl'],
])('%s and %s may be taken for each other', (known, other) => {
  expect(nameSkeleton(other)).toBe(nameSkeleton(known));
});

test('names that differ to the eye have different skeletons', () => {
  const names = ['alice', 'alicia', 'bob', 'bobby', 'иван', 'Ολα', '愛', '아리', 'mira', 'nira'];
  expect(new Set(names.map(nameSkeleton)).size).toBe(names.length);
});

test('mixed scripts are named, except where they are usual', () => {
  expect(['аlice', 'αlpha', 'Аlex'].map(mixesScripts)).toEqual([true, true, true]);
  expect(['alice', 'Алиса', 'Αλίκη', 'Suzukiさん', '김 Kim', '123 ✨'].map(mixesScripts)).toEqual(
    Array.from({ length: 6 }, () => false),
  );
});

test('whoever used a name first keeps it, and the accounts of this browser come before all others', () => {
  const doubts = getDoubts(
    [['ann', 'mine']],
    [
      ['bob', 'one'],
      ['b0b', 'two'],
      ['bob', 'one'],
      ['b0b', 'one'],
      ['Ann', 'three'],
      ['іvаn', 'four'],
    ],
  );
  expect(Object.fromEntries(doubts)).toEqual({
    [keyOfUse('b0b', 'two')]: { kind: 'look-alike', name: 'bob', address: 'one' },
    [keyOfUse('Ann', 'three')]: { kind: 'look-alike', name: 'ann', address: 'mine' },
    [keyOfUse('іvаn', 'four')]: { kind: 'mixed-scripts' },
  });
});
