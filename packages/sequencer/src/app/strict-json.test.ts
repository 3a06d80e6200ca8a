import fc from 'fast-check';
import { expect, test } from 'vitest';
import { flag, list, mapped, object, optional, type Problem, required, text, uint64 } from './strict-json.ts';

const shape = object({
  someName: required(text),
  ics20Fee: optional(uint64),
  flags: optional(list(flag)),
  inner: optional(object({ size: required(mapped(uint64, Number)) })),
});

function read(value: unknown) {
  const problems: Problem[] = [];
  const found = shape(value, 'root', problems);
  return { found, problems: problems.map(({ path, message }) => `${path}: ${message}`) };
}

test('reads either spelling, and null as absent', () => {
  expect(read({ some_name: 'a', ics20_fee: 7, flags: [true], inner: null }).found).toEqual({
    someName: 'a',
    ics20Fee: 7n,
    flags: [true],
    inner: undefined,
  });
  expect(read({ someName: 'a', ics20Fee: '18446744073709551615' }).found).toMatchObject({ ics20Fee: (1n << 64n) - 1n });
});

test.each<[string, unknown, string]>([
  ['a missing member', {}, 'root.some_name: missing'],
  ['a null for a required member', { some_name: null }, 'root.some_name: missing'],
  ['an unknown key', { some_name: 'a', other: 1 }, 'root.other: unknown key'],
  ['both spellings', { some_name: 'a', someName: 'b' }, 'root.someName: given twice'],
  [
    'a number that is too large',
    { some_name: 'a', ics20_fee: '18446744073709551616' },
    'root.ics20_fee: expected an integer',
  ],
  ['a fraction', { some_name: 'a', ics20_fee: 1.5 }, 'root.ics20_fee: expected an integer'],
  [
    'one bad item of a list',
    { some_name: 'a', flags: [true, 'x', false] },
    'root.flags[1]: expected true or false, got "x"',
  ],
  ['a mistake far inside', { some_name: 'a', inner: { size: 'x' } }, 'root.inner.size: expected an integer'],
  ['a name that every object has', { some_name: 'a', constructor: 1 }, 'root.constructor: unknown key'],
])('names %s by its path', (_, value, start) => {
  const { found, problems } = read(value);
  expect(found).toBeUndefined();
  expect(problems).toEqual([expect.stringContaining(start)]);
});

test('takes any JSON without throwing, and either reads it or reports problems', () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      const { found, problems } = read(value);
      expect(problems.length === 0).toBe(found !== undefined);
    }),
  );
});
