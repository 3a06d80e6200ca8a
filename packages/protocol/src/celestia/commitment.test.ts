import { expect, test } from 'vitest';
import { base64FromJson, hexFromJson } from '../comet/json.ts';
import { Rejected } from '../errors.ts';
import { merkleRoot, verifyMerkleProof } from '../merkle.ts';
import { celestiaAccountFromBytes } from './account.ts';
import { blobCommitment, subtreeWidth } from './commitment.ts';
import { type CommitmentProof, verifyCommitmentProof } from './commitment-proof.ts';
import { extendedHeaderFromJson, namespaceRowsFromJson, rangeProofFromJson } from './json.ts';
import { namespaceFromBytes } from './namespace.ts';
import { verifyShares } from './range-proof.ts';
import { type Vector, vector } from './vectors.testing.ts';

const bytes = (input: Vector) => base64FromJson(input);
const { header, dah } = extendedHeaderFromJson(vector('header.json').at('header'));
const recorded = vector('proofs.json');
const commitment = bytes(recorded.at('commitment'));
const rowAt = (index: number) => ({ root: dah.rowRoots[index] ?? new Uint8Array(), width: dah.rowRoots.length });

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
const proof: CommitmentProof = {
  subtreeRoots: part.at('subtree_roots').list().map(bytes),
  firstRow: part.at('row_proof').at('start_row').integer(),
  rows: part.at('subtree_root_proofs').list().map(rangeProofFromJson),
};

test('a recorded proof shows the commitment in the block', () => {
  expect(() => verifyCommitmentProof(dah, commitment, proof)).not.toThrow();
});

const [firstRoot = new Uint8Array(), ...restOfRoots] = proof.subtreeRoots;
const [firstRow, ...restOfRows] = proof.rows;
if (firstRow === undefined) throw new Error('vector without rows');
const widened = [{ ...firstRow, end: 32, nodes: [] }, ...restOfRows];
test.each<[string, CommitmentProof, string]>([
  ['a subtree root left out', { ...proof, subtreeRoots: restOfRoots }, 'other root'],
  ['a subtree root twice', { ...proof, subtreeRoots: [...proof.subtreeRoots, firstRoot] }, 'another commitment'],
  ['no subtree roots', { ...proof, subtreeRoots: [] }, 'subtree root missing'],
  ['a short subtree root', { ...proof, subtreeRoots: [firstRoot.subarray(1), ...restOfRoots] }, 'subtree root missing'],
  ['the rows after it', { ...proof, firstRow: proof.firstRow + 1 }, 'other root'],
  ['rows beyond the square', { ...proof, firstRow: 32 }, 'no such row'],
  ['a row before the first', { ...proof, firstRow: -1 }, 'no such row'],
  ['a row left out', { ...proof, rows: restOfRows, firstRow: proof.firstRow + 1 }, 'other root'],
  ['the last row left out', { ...proof, rows: proof.rows.slice(0, -1) }, 'another commitment'],
  [
    'shares of parity in the last row',
    { ...proof, rows: [...proof.rows.slice(0, -1), { ...firstRow, end: 17 }] },
    'shares apart',
  ],
  ['no rows', { ...proof, rows: [] }, 'rows'],
  ['shares of parity', { ...proof, rows: widened }, 'shares apart'],
  ['a gap between rows', { ...proof, rows: [{ ...firstRow, end: 8 }, ...restOfRows] }, 'shares apart'],
])('refuses %s', (_, forged, problem) => {
  expect(() => verifyCommitmentProof(dah, commitment, forged)).toThrow(Rejected);
  expect(() => verifyCommitmentProof(dah, commitment, forged)).toThrow(problem);
});

test('refuses a proof of another commitment', () => {
  const changed = commitment.slice().fill(0, 0, 1);
  expect(() => verifyCommitmentProof(dah, changed, proof)).toThrow('another commitment');
  expect(merkleRoot(proof.subtreeRoots)).toEqual(commitment);
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

test('recorded proofs show the shares of a blob in its rows', () => {
  const rows = namespaceRowsFromJson(vector('namespace-data.json').at('namespaceData'));
  const proofs = recorded.at('getProof').list().map(rangeProofFromJson);
  expect(proofs).toHaveLength(6);
  for (const [index, each] of proofs.entries()) {
    const shares = rows[index + 1]?.shares ?? [];
    expect(() => verifyShares(rowAt(index + 1), shares, each)).not.toThrow();
    expect(() => verifyShares(rowAt(index + 2), shares, each)).toThrow('other root');
  }
});

test('a recorded range shows some of the shares, and the row in the data hash', () => {
  const found = recorded.at('getRange').at('result');
  const shares = found.at('Shares').list().map(bytes);
  const [shareProof] = found.at('Proof').at('share_proofs').list();
  const rowProof = found.at('Proof').at('row_proof');
  if (shareProof === undefined) throw new Error('vector without a proof');
  const range = { ...shareProof, ...rangeFrom(shareProof) };
  const root = hexFromJson(rowProof.at('row_roots').list()[0] ?? rowProof);
  expect(root).toEqual(rowAt(1).root);
  expect(() => verifyShares(rowAt(1), shares, range)).not.toThrow();
  expect(() => verifyShares(rowAt(1), shares.slice(1), { ...range, start: 1 })).toThrow(Rejected);
});

/** This call leaves out whose rules the proof follows. */
function rangeFrom(input: Vector) {
  return {
    start: input.at('start').optional((start) => start.integer()) ?? 0,
    end: input.at('end').integer(),
    nodes: input.at('nodes').list().map(bytes),
  };
}
