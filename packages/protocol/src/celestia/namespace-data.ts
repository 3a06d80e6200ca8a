/**
 * All that a namespace has at one height, as `share.GetNamespaceData` returns it. The header states which rows may have
 * shares of it, and each of these rows proves that it has shown all of them or has none, so a node can neither add, change
 * nor leave out, and "nothing there" is never taken on trust.
 */
import { Rejected } from '../errors.ts';
import { type DataAvailabilityHeader, getRows } from './dah.ts';
import type { Namespace } from './namespace.ts';
import { type NamespaceProof, verifyNamespaceProof } from './range-proof.ts';
import { blobsInShares, type CelestiaBlob } from './shares.ts';

export interface NamespaceRow {
  /** 512 bytes each; none if the proof is of absence. */
  readonly shares: readonly Uint8Array[];
  readonly proof: NamespaceProof;
}

/** A blob and its beginning. */
export interface FoundBlob extends CelestiaBlob {
  /** Row times the width of the extended square, plus column: as `blob.GetAll` counts. */
  readonly index: number;
}

/**
 * The blobs of the namespace in the block that the header describes, in their order: proven to be all of them. Empty if it has none.
 *
 * @param dah Verified against a header that is trusted. @param rows Rows that {@link rowsOf} names, in their order.
 * @throws {Rejected} `malformed` for rows that do not prove it, and for shares that make no blobs, which no block of honest validators has.
 */
export function blobsOfNamespace(
  dah: DataAvailabilityHeader,
  namespace: Namespace,
  rows: readonly NamespaceRow[],
): FoundBlob[] {
  const proven = provenRows(dah, namespace, rows);
  const indices = proven.flatMap(({ shares, first }) => shares.map((_, column) => first + column));
  const blobs = blobsInShares(
    namespace,
    proven.flatMap(({ shares }) => shares),
  );
  return blobs.map(({ share, ...blob }) => ({ ...blob, index: indices[share] ?? 0 }));
}

/** With the index of the first share of each. */
export function provenRows(dah: DataAvailabilityHeader, namespace: Namespace, rows: readonly NamespaceRow[]) {
  const expected = getRows(dah, namespace);
  if (rows.length !== expected.length) {
    throw new Rejected('malformed', { problem: 'other rows', namespace, expected: expected.length, got: rows.length });
  }
  const width = dah.rowRoots.length;
  return rows.map(({ shares, proof }, position) => {
    const row = expected[position] ?? 0;
    verifyNamespaceProof({ root: dah.rowRoots[row] ?? new Uint8Array(), width }, namespace, shares, proof);
    return { shares, first: row * width + proof.start };
  });
}
