/**
 * Blobs as shares, the 512 bytes of which a square is made. Each begins with its namespace (29 bytes) and a byte with the
 * version (7 bits) and whether a sequence starts here (1 bit). In the first of a sequence follow the length of the data
 * (4 bytes, big-endian) and, in version 1, the author (20 bytes). Then data, then zeros.
 *
 * @see go-square v4, share/share.go and share/split_sparse_shares.go
 */
import { Rejected } from '../errors.ts';
import { type CelestiaAccount, celestiaAccountBytes, celestiaAccountFromBytes } from './account.ts';
import { NAMESPACE_LENGTH, type Namespace, namespaceBytes } from './namespace.ts';

export const SHARE_LENGTH = 512;

const INFO = NAMESPACE_LENGTH;
const LENGTH = INFO + 1;
const AUTHOR = LENGTH + 4;
const AUTHOR_LENGTH = 20;
const CONTINUED = INFO + 1;
/** Version of shares that have an author. */
const AUTHORED = 1;

export interface CelestiaBlob {
  readonly namespace: Namespace;
  readonly data: Uint8Array;
  /** The account that paid, which validators check. With one it is of share version 1, without of version 0. */
  readonly author: CelestiaAccount | undefined;
}

/** A blob and the position of its first share among the parsed shares. */
export interface PlacedBlob extends CelestiaBlob {
  readonly share: number;
}

export function getShareVersion({ author }: Pick<CelestiaBlob, 'author'>): 0 | 1 {
  return author === undefined ? 0 : AUTHORED;
}

/** Shares that this many bytes take. */
export function shareCount(dataLength: number, version: 0 | 1): number {
  const rest = dataLength - roomOfFirst(version);
  return rest <= 0 ? 1 : 1 + Math.ceil(rest / (SHARE_LENGTH - CONTINUED));
}

/** The shares are views of one array. @throws {Rejected} `empty` for a blob without data, which Celestia refuses too. */
export function sharesOfBlob(blob: CelestiaBlob): Uint8Array[] {
  const { data, author } = blob;
  if (data.length === 0) throw new Rejected('empty', { field: 'blob' });
  const version = getShareVersion(blob);
  const namespace = namespaceBytes(blob.namespace);
  const bytes = new Uint8Array(SHARE_LENGTH * shareCount(data.length, version));
  const shares: Uint8Array[] = [];
  for (let at = 0, used = 0; at < bytes.length; at += SHARE_LENGTH) {
    const share = bytes.subarray(at, at + SHARE_LENGTH);
    share.set(namespace);
    share[INFO] = (version << 1) | (at === 0 ? 1 : 0);
    if (at === 0) new DataView(bytes.buffer).setUint32(LENGTH, data.length);
    if (at === 0 && author !== undefined) share.set(celestiaAccountBytes(author), AUTHOR);
    const start = at === 0 ? SHARE_LENGTH - roomOfFirst(version) : CONTINUED;
    share.set(data.subarray(used, used + SHARE_LENGTH - start), start);
    used += SHARE_LENGTH - start;
    shares.push(share);
  }
  return shares;
}

/** A share that only fills its place: the start of a sequence of nothing. */
export function paddingShare(namespace: Namespace): Uint8Array {
  const share = new Uint8Array(SHARE_LENGTH);
  share.set(namespaceBytes(namespace));
  share[INFO] = 1;
  return share;
}

/**
 * The blobs in all shares of one namespace at one height, in their order; data is copied. Padding is passed over, and so
 * are sequences of later versions: a stranger who posts one to our namespace must not stop its readers.
 *
 * @param shares Proven to be of the namespace; their namespaces are not read.
 * @throws {Rejected} `malformed` for a share that is not 512 bytes, a sequence that is cut short or has no start.
 */
export function blobsInShares(namespace: Namespace, shares: readonly Uint8Array[]): PlacedBlob[] {
  const blobs: PlacedBlob[] = [];
  for (let index = 0; index < shares.length; ) {
    const first = shareAt(shares, index);
    if (!isStart(first)) throw malformed(index, 'continues no sequence');
    const version = (first[INFO] ?? 0) >> 1;
    const length = new DataView(first.buffer, first.byteOffset + LENGTH).getUint32(0);
    if (version > AUTHORED) {
      do index++;
      while (index < shares.length && !isStart(shareAt(shares, index)));
    } else if (length === 0) {
      index++;
    } else {
      const known = version === AUTHORED ? AUTHORED : 0;
      const sequence = shares.slice(index, index + shareCount(length, known));
      const author = known === 0 ? undefined : celestiaAccountFromBytes(first.subarray(AUTHOR, AUTHOR + AUTHOR_LENGTH));
      blobs.push({ namespace, data: getData(sequence, index, known, length), author, share: index });
      index += sequence.length;
    }
  }
  return blobs;
}

function getData(sequence: readonly Uint8Array[], index: number, version: 0 | 1, length: number): Uint8Array {
  // Before memory is taken for a length that anyone could have written.
  if (sequence.length < shareCount(length, version))
    throw malformed(index, `starts ${length} bytes, which do not follow`);
  const data = new Uint8Array(length);
  let filled = 0;
  for (const [position, share] of sequence.entries()) {
    shareAt(sequence, position);
    if (position > 0 && share[INFO] !== version << 1) throw malformed(index + position, 'is none of its sequence');
    const start = position === 0 ? SHARE_LENGTH - roomOfFirst(version) : CONTINUED;
    const piece = share.subarray(start, start + length - filled);
    data.set(piece, filled);
    filled += piece.length;
  }
  return data;
}

function roomOfFirst(version: 0 | 1): number {
  return SHARE_LENGTH - AUTHOR - (version === AUTHORED ? AUTHOR_LENGTH : 0);
}

function isStart(share: Uint8Array): boolean {
  return ((share[INFO] ?? 0) & 1) === 1;
}

function shareAt(shares: readonly Uint8Array[], index: number): Uint8Array {
  const share = shares[index];
  if (share?.length === SHARE_LENGTH) return share;
  throw malformed(index, `is of ${share?.length ?? 0} bytes`);
}

function malformed(share: number, problem: string): Rejected {
  return new Rejected('malformed', { share, problem });
}
