/**
 * Celestia's data availability header: the roots of the trees over all rows and columns of an extended square, which is
 * twice as wide as the square of the block, the rest being parity. The data hash of a header is over them.
 *
 * @see celestia-app v9, pkg/da/data_availability_header.go
 */

import { equalBytes, toHex } from '../accounts/ids.ts';
import { merkleRoot } from '../blocks/merkle.ts';
import { Rejected } from '../errors.ts';
import { type Namespace, namespaceBytes } from './namespace.ts';
import { compareMax, compareMin, NODE_LENGTH } from './nodes.ts';

/** Governance may raise the width of a square up to 512 shares. */
export const MAX_ROWS = 2 * 512;

export interface DataAvailabilityHeader {
  /** 90 bytes each: 2 to 1024, a power of two. Row r stands at index r. */
  readonly rowRoots: readonly Uint8Array[];
  /** Roots of the columns, as many as of rows. */
  readonly columnRoots: readonly Uint8Array[];
}

/** 32 bytes: the Merkle root (RFC 6962) over the roots of rows, then of columns. */
export function dahHash({ rowRoots, columnRoots }: DataAvailabilityHeader): Uint8Array {
  return merkleRoot([...rowRoots, ...columnRoots]);
}

/**
 * Checks that these are the roots to which the data hash of a header belongs.
 *
 * @throws {Rejected} `malformed`, also for numbers and lengths of roots that no square has.
 */
export function verifyDah(dah: DataAvailabilityHeader, dataHash: Uint8Array): void {
  const { rowRoots, columnRoots } = dah;
  const rows = rowRoots.length;
  // Lengths count: rows and columns could be divided in another way, and a root be cut in two.
  if (rows < 2 || rows > MAX_ROWS || (rows & (rows - 1)) !== 0 || columnRoots.length !== rows) {
    throw new Rejected('malformed', { problem: 'no square', rows, columns: columnRoots.length });
  }
  for (const root of [...rowRoots, ...columnRoots]) {
    if (root.length !== NODE_LENGTH) throw new Rejected('malformed', { root: `${root.length} bytes` });
  }
  if (!equalBytes(dahHash(dah), dataHash)) {
    throw new Rejected('malformed', { problem: 'roots of another block', expected: toHex(dataHash) });
  }
}

/** The rows whose range covers the namespace, so that each of them has shares of it or proves that it has none. */
export function getRows({ rowRoots }: DataAvailabilityHeader, namespace: Namespace): number[] {
  const bytes = namespaceBytes(namespace);
  const rows: number[] = [];
  for (const [row, root] of rowRoots.entries()) {
    if (compareMin(root, bytes) <= 0 && compareMax(root, bytes) >= 0) rows.push(row);
  }
  return rows;
}
