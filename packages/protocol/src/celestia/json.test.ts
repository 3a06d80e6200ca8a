import fc from 'fast-check';
import { expect, test } from 'vitest';
import { extendedHeaderFromJson, namespaceRowsFromJson } from './json.ts';
import { renderExtendedHeader, renderNamespaceRows } from './render.ts';
import { Vector, vector } from './vectors.testing.ts';

const recorded = vector('namespace-data.json').at('namespaceData');
const [row] = recorded.list();
const share = row?.at('shares').list()[0]?.text() ?? '';
const node = row?.at('proof').at('nodes').list()[0]?.text() ?? '';
const read = (shares: unknown, proof: object) =>
  namespaceRowsFromJson(new Vector([{ shares, proof: { is_max_namespace_ignored: true, ...proof } }]));

test('what Go omits is zero or empty', () => {
  expect(namespaceRowsFromJson(new Vector(null))).toEqual([]);
  expect(read(null, {})).toEqual([{ shares: [], proof: { start: 0, end: 0, nodes: [], absent: undefined } }]);
});

test('what is written is what was read', () => {
  const header = vector('header.json').at('header');
  const written = JSON.parse(JSON.stringify(renderExtendedHeader(extendedHeaderFromJson(header))));
  expect(written).toMatchObject(Object(header.value));
  const rows = namespaceRowsFromJson(recorded);
  expect(namespaceRowsFromJson(new Vector(JSON.parse(JSON.stringify(renderNamespaceRows(rows)))))).toEqual(rows);
});

test.each<[string, unknown, object, string]>([
  ['a share of 511 bytes', [Buffer.alloc(511).toString('base64')], {}, '512 bytes in base64'],
  ['a share of a megabyte', ['A'.repeat(1_000_000)], {}, '512 bytes in base64'],
  ['a share that is no base64', [`?${share.slice(1)}`], {}, 'bytes in base64'],
  ['more shares than a row has', Array(1_025).fill(share), {}, 'a list'],
  ['more siblings than a row has', [share], { nodes: Array(21).fill(node) }, 'a list'],
  ['a sibling of 89 bytes', [], { nodes: [Buffer.alloc(89).toString('base64')] }, '90 bytes in base64'],
  ['a leaf of no bytes', [], { leaf_hash: '' }, '90 bytes in base64'],
  ['a place that is a text', [], { start: '1' }, 'a number'],
  ['a proof by other rules', [], { is_max_namespace_ignored: false }, 'true, as in every tree of a square'],
  ['a proof that states no rules', [], { is_max_namespace_ignored: undefined }, 'true, as in every tree'],
])('refuses %s', (_, shares, proof, problem) => {
  expect(() => read(shares, proof)).toThrow(problem);
});

test('refuses more rows than a square has', () => {
  expect(() => namespaceRowsFromJson(new Vector(Array(1_025).fill(row?.value)))).toThrow('a list');
  const header = Object(vector('header.json').at('header').value);
  const dah = { row_roots: Array(1_025).fill(node), column_roots: [] };
  expect(() => extendedHeaderFromJson(new Vector({ ...header, dah }))).toThrow('a list');
});

test('no answer makes reading throw anything but the error of the reader', () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      for (const from of [extendedHeaderFromJson, namespaceRowsFromJson]) {
        try {
          from(new Vector(value));
        } catch (error) {
          expect(error).toBeInstanceOf(TypeError);
          expect(String(error)).toContain('expected');
        }
      }
    }),
  );
});
