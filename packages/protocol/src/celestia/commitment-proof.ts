/** That a blob with a known commitment is in a block, without the blob: what `blob.GetCommitmentProof` returns. */
import { Rejected } from '../errors.ts';
import { equalBytes } from '../ids.ts';
import { merkleRoot } from '../merkle.ts';
import { subtreeWidth } from './commitment.ts';
import type { DataAvailabilityHeader } from './dah.ts';
import { type RangeProof, verifySubtrees } from './range-proof.ts';

export interface CommitmentProof {
  /** 90 bytes each: what the commitment is over. */
  readonly subtreeRoots: readonly Uint8Array[];
  readonly firstRow: number;
  /** Where the blob's shares stand, for each of its rows. */
  readonly rows: readonly RangeProof[];
}

/**
 * @param dah Verified against a header that is trusted. @param commitment 32 bytes.
 * @throws {Rejected} `malformed` for a proof that shows nothing.
 */
export function verifyCommitmentProof(
  dah: DataAvailabilityHeader,
  commitment: Uint8Array,
  proof: CommitmentProof,
): void {
  const { subtreeRoots, firstRow, rows } = proof;
  const width = dah.rowRoots.length;
  if (rows.length === 0 || rows.length > width) throw new Rejected('malformed', { problem: 'rows', got: rows.length });
  const size = subtreeWidth(rows.reduce((sum, { start, end }) => sum + end - start, 0));
  let used = 0;
  for (const [index, range] of rows.entries()) {
    const root = dah.rowRoots[firstRow + index];
    if (root === undefined) throw new Rejected('malformed', { problem: 'no such row', row: firstRow + index });
    // A blob that spans rows leaves no gap, and none of it is parity.
    const isJoined = (index === 0 || range.start === 0) && (index === rows.length - 1 || range.end === width / 2);
    if (!isJoined || range.end > width / 2)
      throw new Rejected('malformed', { problem: 'shares apart', row: firstRow + index });
    used += verifySubtrees({ root, width }, subtreeRoots.slice(used), size, range);
  }
  if (used !== subtreeRoots.length || !equalBytes(merkleRoot(subtreeRoots), commitment)) {
    throw new Rejected('malformed', { problem: 'another commitment' });
  }
}
