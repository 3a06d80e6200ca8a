import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type ExactJson, exactInteger, exactJsonText, InvalidJson, parseExactJson, parseJson } from './exact-json.ts';

test('keeps integers exact that a double would round', () => {
  expect(parseExactJson('{"lo": 18446744073709551615, "hi": [9007199254740993]}')).toEqual({
    lo: 18446744073709551615n,
    hi: [9007199254740993n],
  });
});

test('reads what JSON.parse reads, with integers as bigint', () => {
  const exact = (value: unknown): unknown => {
    if (typeof value === 'number' && !/[.e]/.test(JSON.stringify(value))) return BigInt(JSON.stringify(value));
    if (Array.isArray(value)) return value.map(exact);
    if (value !== null && typeof value === 'object') {
      return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, exact(each)]));
    }
    return value;
  };
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 4 }), fc.constantFrom(0, 2), (value, indent) => {
      const text = JSON.stringify(value, null, indent);
      const read = parseExactJson(text);
      expect(JSON.stringify(read, (_, each) => (typeof each === 'bigint' ? `n${each}` : each))).toBe(
        JSON.stringify(exact(JSON.parse(text)), (_, each) => (typeof each === 'bigint' ? `n${each}` : each)),
      );
    }),
  );
});

test.each([
  ['', 1, 1, 'expected a value'],
  ['{\n  "a": 1,\n  "a": 2\n}', 3, 3, 'the key "a" is there twice'],
  ['{"a": 1,}', 1, 9, 'expected a key in double quotes'],
  ['[1 2]', 1, 4, 'expected "," or "]"'],
  ['{"a" 1}', 1, 6, 'expected ":" after the key "a"'],
  ['{"a": "x', 1, 7, 'this string does not end, or has a character that must be escaped'],
  ['01', 1, 2, 'expected the end of the file'],
  ['{} x', 1, 4, 'expected the end of the file'],
  [`${'['.repeat(70)}`, 1, 66, 'more than 64 levels of nesting'],
])('reports where %j goes wrong', (text, line, column, problem) => {
  expect(() => parseExactJson(text)).toThrow(expect.objectContaining({ line, column, problem }));
});

test('throws nothing but its own error', () => {
  fc.assert(
    fc.property(fc.string(), (text) => {
      try {
        parseExactJson(text);
      } catch (error) {
        expect(error).toBeInstanceOf(InvalidJson);
      }
    }),
  );
});

test('agrees with JSON.parse on what is JSON', () => {
  const pieces = fc.array(
    fc.constantFrom(
      '{',
      '}',
      '[',
      ']',
      '"a"',
      ':',
      ',',
      '1',
      '-0',
      '1.5e3',
      'true',
      'null',
      ' ',
      '"\\u0041"',
      '"\u007f"',
      '\t',
    ),
  );
  fc.assert(
    fc.property(pieces, (parts) => {
      const text = parts.join('');
      const accepts = (read: (text: string) => unknown) => {
        try {
          read(text);
          return true;
        } catch (error) {
          return error instanceof InvalidJson && error.problem.includes('twice');
        }
      };
      expect(accepts(parseExactJson)).toBe(accepts(JSON.parse));
    }),
    { numRuns: 2_000 },
  );
});

const anyExact = fc.letrec<{ value: ExactJson }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4 },
    fc.bigInt({ min: -(1n << 80n), max: 1n << 80n }),
    fc.string(),
    fc.constantFrom(null, true, false, 1.5, -2e-7),
    fc.array(tie('value'), { maxLength: 4 }),
    fc.dictionary(fc.string(), tie('value'), { maxKeys: 4, noNullPrototype: false }),
  ),
})).value;

test('text made of a value is that value again', () => {
  fc.assert(
    fc.property(anyExact, (value) => {
      const text = exactJsonText(value);
      expect(exactJsonText(parseExactJson(text))).toBe(text);
    }),
  );
  expect(exactJsonText(parseExactJson('{"lo": 18446744073709551615, "a": ["x\\n", 1.50]}'))).toBe(
    '{"lo":18446744073709551615,"a":["x\\n",1.5]}',
  );
});

test.each([
  [' 1048576', 1_048_576n],
  ['-1\n', -1n],
  [9_007_199_254_740_993n, 9_007_199_254_740_993n],
  [7, 7n],
  [2 ** 53, undefined],
  ['', undefined],
  ['1 0', undefined],
  ['\u00a01', undefined],
  ['0x10', undefined],
  ['1.0', undefined],
  ['9'.repeat(1_000), undefined],
  [null, undefined],
])('the integer in %s is %s', (value, integer) => {
  expect(exactInteger(value)).toBe(integer);
});

const digits = fc.stringMatching(/^-?[1-9]\d{14,25}$/);
const number = fc.oneof(digits, fc.double({ noNaN: true, noDefaultInfinity: true }).map(String), fc.constant('1E20'));
/** Text of a value, and the value with integers as `bigint` if a double rounds them. */
const written: fc.Arbitrary<{ readonly text: string; readonly value: unknown }> = fc.letrec<{
  readonly any: { readonly text: string; readonly value: unknown };
}>((tie) => ({
  any: fc.oneof(
    { maxDepth: 3 },
    number.map((text) => {
      const isRounded = /^-?\d+$/.test(text) && !Number.isSafeInteger(Number(text));
      return { text, value: isRounded ? BigInt(text) : Number(text) };
    }),
    // With text that looks like a number, like the end of a string, and like both.
    fc
      .array(fc.oneof(fc.string({ maxLength: 3 }), digits, fc.constantFrom('"', '\\', ': ', ', ')))
      .map((parts) => ({ text: JSON.stringify(parts.join('')), value: parts.join('') })),
    fc
      .array(tie('any'), { maxLength: 4 })
      .map((all) => ({ text: `[${all.map(({ text }) => text).join(', ')}]`, value: all.map(({ value }) => value) })),
    fc.dictionary(fc.oneof(fc.string(), digits), tie('any'), { maxKeys: 4 }).map((all) => {
      const entries = Object.entries(all);
      return {
        text: `{${entries.map(([key, { text }]) => `${JSON.stringify(key)}:${text}`).join(',')}}`,
        value: Object.fromEntries(entries.map(([key, { value }]) => [key, value])),
      };
    }),
  ),
})).any;

test('of what JSON.parse reads, integers that a double would round are exact, and nothing else differs', () => {
  fc.assert(
    fc.property(written, ({ text, value }) => {
      expect(parseJson(text)).toEqual(value);
    }),
    { numRuns: 500 },
  );
});

test.each(['', '12345678901234567890x', '[12345678901234567890', '{"a": 12345678901234567890,}'])(
  '%j is no JSON',
  (text) => expect(() => parseJson(text)).toThrow(SyntaxError),
);

test('a number that no double holds is infinite', () => {
  expect(parseJson(`[${'9'.repeat(400)}]`)).toEqual([Number.POSITIVE_INFINITY]);
});
