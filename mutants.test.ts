import { expect, test } from 'vitest';
import { mutantsOf } from './scripts/test/mutants.mjs';

const changes = (source: string) => mutantsOf(source).map(({ text }) => text);

test.each([
  ['if (a < 1) b();', ['if (a <= 1) b();', 'if (a < 2) b();']],
  ['x = 0x1f + 2n;', ['x = 32 + 2n;', 'x = 0x1f + 3n;']],
  ['f((a) => a >= 32_000)', ['f((a) => a > 32_000)', 'f((a) => a >= 32001)']],
  ["// 1 < 2\nt = '1 === 2'; /* 3 */", []],
  ['a === b', ['a !== b']],
  ['word32 = list.at1 ?? 0;', []],
])('one number or comparison at a time: %s', (source, expected) => {
  expect(changes(source)).toEqual(expected);
});

test('names the line and the change', () => {
  expect(mutantsOf('a();\n  const GAS = 5;\nb();')).toEqual([
    { text: 'a();\n  const GAS = 6;\nb();', line: 'const GAS = 5;', change: '5 -> 6' },
  ]);
});
