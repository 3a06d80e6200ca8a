import fc from 'fast-check';
import { expect, test } from 'vitest';
import { toHex } from '../accounts/ids.ts';
import { base64FromJson } from '../comet/json.ts';
import { Rejected } from '../errors.ts';
import { blobCommitment } from './commitment.ts';
import { extendedHeaderFromJson, namespaceRowsFromJson } from './json.ts';
import { namespaceBytes, namespaceFromBytes, namespaceFromId } from './namespace.ts';
import { blobsOfNamespace, type NamespaceRow, provenRows } from './namespace-data.ts';
import { sharesOfBlob } from './shares.ts';
import { buildSquare, getAnswer } from './square.ts';
import { namespacedTree, rootOfTree } from './tree.ts';
import { vector } from './vectors.testing.ts';

const { dah } = extendedHeaderFromJson(vector('header.json').at('header'));
const recorded = vector('namespace-data.json');
const namespace = namespaceFromBytes(base64FromJson(recorded.at('namespace')));
const rows = namespaceRowsFromJson(recorded.at('namespaceData'));

test('finds the blobs that the light node found', () => {
  const expected = recorded
    .at('getAll')
    .list()
    .map((blob) => ({
      namespace,
      data: base64FromJson(blob.at('data')),
      author: undefined,
      index: blob.at('index').integer(),
    }));
  const found = blobsOfNamespace(dah, namespace, rows);
  expect(found).toEqual(expected);
  expect(found.map((blob) => toHex(blobCommitment(blob)))).toEqual(
    recorded
      .at('blobs')
      .list()
      .map((blob) => toHex(base64FromJson(blob.at('commitment')))),
  );
});

test.each(['gap', 'beyond', 'low'])('proves that nothing is there: %s', (name) => {
  const absent = vector('absence.json').at(name);
  const none = namespaceFromBytes(base64FromJson(absent.at('namespace')));
  const answer = namespaceRowsFromJson(absent.at('namespaceData'));
  expect(answer).toHaveLength(1);
  expect(provenRows(dah, none, answer).flatMap(({ shares }) => shares)).toEqual([]);
});

const empty = extendedHeaderFromJson(vector('header-empty-block.json')).dah;

test('an empty block needs no proof that nothing is there', () => {
  expect(provenRows(empty, namespace, [])).toEqual([]);
  expect(() => provenRows(empty, namespace, rows)).toThrow('other rows');
});

const row = rows[1];
if (row === undefined) throw new Error('vector without rows');
const { shares, proof } = row;
const damage = (bytes: Uint8Array | undefined, at: number) => {
  const copy = Uint8Array.from(bytes ?? []);
  copy[at] = (copy[at] ?? 0) ^ 1;
  return copy;
};
const lastLeaf = rootOfTree(namespacedTree(shares.slice(-1), () => namespaceBytes(namespace)));
const gap = namespaceRowsFromJson(vector('absence.json').at('gap').at('namespaceData'));

/* Each is given in the place of the second of seven rows, which is all of this namespace. */
test.each<[string, readonly NamespaceRow[], string]>([
  ['a row without a share', [{ shares: shares.slice(1), proof }], 'not as many shares as leaves'],
  [
    'a row without its last share, the range made to fit',
    [{ shares: shares.slice(0, -1), proof: { ...proof, end: proof.end - 1, nodes: [lastLeaf, ...proof.nodes] } }],
    'leaves left out',
  ],
  ['a row with a share twice', [{ shares: [...shares, ...shares.slice(0, 1)], proof }], 'not as many shares'],
  ['a changed share', [{ shares: [damage(shares[0], 100), ...shares.slice(1)], proof }], 'other root'],
  ['a changed sibling', [{ shares, proof: { ...proof, nodes: [damage(proof.nodes[0], 60)] } }], 'other root'],
  ['a row without siblings', [{ shares, proof: { ...proof, nodes: [] } }], 'sibling missing'],
  ['a sibling twice', [{ shares, proof: { ...proof, nodes: [...proof.nodes, ...proof.nodes] } }], 'more siblings'],
  ['a row that is moved', [{ shares, proof: { ...proof, start: 1, end: 17 } }], 'leaves left out'],
  ['another row of the namespace', rows.slice(2, 3), 'other root'],
  ['proof of the absence of another', gap, 'leaves left out'],
  ['no row', [], 'other rows'],
  ['a row twice', [row, row], 'other rows'],
])('refuses %s', (_, instead, problem) => {
  const forged = [...rows.slice(0, 1), ...instead, ...rows.slice(2)];
  expect(() => provenRows(dah, namespace, forged)).toThrow(Rejected);
  expect(() => provenRows(dah, namespace, forged)).toThrow(problem);
});

test.each([
  ['the last row left out', rows.slice(0, -1)],
  ['the first row left out', rows.slice(1)],
  ['nothing at all', []],
  ['two rows exchanged', [...rows.slice(0, 1), ...rows.slice(2, 3), ...rows.slice(1, 2), ...rows.slice(3)]],
])('refuses %s', (_, forged) => {
  expect(() => provenRows(dah, namespace, forged)).toThrow(Rejected);
});

test('of any square it finds all blobs of any namespace, wherever they lie', () => {
  const anyBlob = fc.record({ byte: fc.integer({ min: 1, max: 6 }), length: fc.integer({ min: 1, max: 3_000 }) });
  fc.assert(
    fc.property(fc.array(anyBlob, { maxLength: 8 }), fc.integer({ min: 1, max: 6 }), (list, wanted) => {
      const blobs = [...list]
        .sort((left, right) => left.byte - right.byte)
        .map(({ byte, length }) => ({
          namespace: namespaceFromId(new Uint8Array(10).fill(byte)),
          data: new Uint8Array(length).fill(length),
          author: undefined,
        }));
      const square = buildSquare(blobs.flatMap(sharesOfBlob));
      const mine = namespaceFromId(new Uint8Array(10).fill(wanted));
      const found = blobsOfNamespace(square.dah, mine, getAnswer(square, mine));
      expect(found.map(({ index: _, ...blob }) => blob)).toEqual(blobs.filter((blob) => blob.namespace === mine));
    }),
    { numRuns: 30 },
  );
});
