import { expect, test } from 'vitest';
import { merkleRoot, verifyMerkleProof } from '../blocks/merkle.ts';
import { base64FromJson } from '../comet/json.ts';
import { celestiaAccountFromBytes } from './account.ts';
import { blobCommitment, subtreeWidth } from './commitment.ts';
import { extendedHeaderFromJson } from './json.ts';
import { namespaceFromBytes } from './namespace.ts';
import { type Vector, vector } from './vectors.testing.ts';

const bytes = (input: Vector) => base64FromJson(input);
const { header } = extendedHeaderFromJson(vector('header.json').at('header'));
const recorded = vector('proofs.json');

test.each(vector('pfb.json').at('blobs').list())('commits to a recorded blob of version 0', (blob) => {
  const namespace = namespaceFromBytes(bytes(blob.at('namespace')));
  expect(blobCommitment({ namespace, data: bytes(blob.at('data')), author: undefined })).toEqual(
    bytes(blob.at('commitment')),
  );
});

test('commits to a recorded blob of version 1, and to its author', () => {
  const [blob] = vector('blob-v1.json').at('getAll').list();
  if (blob === undefined) throw new Error('no blob');
  const namespace = namespaceFromBytes(bytes(blob.at('namespace')));
  const author = celestiaAccountFromBytes(bytes(blob.at('signer')));
  const data = bytes(blob.at('data'));
  expect(blobCommitment({ namespace, data, author })).toEqual(bytes(blob.at('commitment')));
  expect(blobCommitment({ namespace, data, author: undefined })).not.toEqual(bytes(blob.at('commitment')));
});

// go-square v4, inclusion/blob_share_commitment_rules.md, with a threshold of 64.
test.each([
  [1, 1],
  [64, 1],
  [65, 2],
  [128, 2],
  [129, 4],
  [4_096, 64],
  [4_097, 128],
])('%i shares are cut into trees of up to %i', (shares, width) => {
  expect(subtreeWidth(shares)).toBe(width);
});

const part = recorded.at('getCommitmentProof');

test('the recorded roots of subtrees lead to the commitment', () => {
  expect(merkleRoot(part.at('subtree_roots').list().map(bytes))).toEqual(bytes(recorded.at('commitment')));
});

test('recorded row roots lead to the data hash', () => {
  const rows = part.at('row_proof').at('proofs').list();
  const roots = part.at('row_proof').at('row_roots').list().map(bytes);
  expect(rows.map((row) => Number(row.at('index').big()))).toEqual([1, 2, 3, 4, 5, 6]);
  for (const [index, row] of rows.entries()) {
    const path = row.at('aunts').list().map(bytes);
    const merkle = { path, index: Number(row.at('index').big()), leaves: Number(row.at('total').big()) };
    expect(verifyMerkleProof(merkle, roots[index] ?? new Uint8Array(), header.dataHash)).toBe(true);
  }
});
