import fc from 'fast-check';
import { expect, test } from 'vitest';
import { indented } from './send.ts';

test('JSON is the same with and without its lines', () => {
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 4 }), (value) => {
      expect(JSON.parse(indented(JSON.stringify(value)))).toEqual(JSON.parse(JSON.stringify(value)));
    }),
  );
  expect(indented('{"a":[1,{}],"b":18446744073709551615}')).toBe(
    '{\n  "a": [\n    1,\n    {}\n  ],\n  "b": 18446744073709551615\n}',
  );
});
