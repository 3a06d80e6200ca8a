/* Which items of a segment have a term: rows of a fixed number of buckets, each sorted by the hash of the term. */

/** 4 bytes hash of the term, 2 bytes offset of the item in its segment. */
const ENTRY_BYTES = 6;
export const BUCKETS = 32;

export function getBucket(hash: number): number {
  return hash % BUCKETS;
}

/** @param items Hashes of the terms of each item. @returns a row for each bucket, empty if it has none. */
export function encodeBuckets(items: readonly (readonly number[])[]): readonly Uint8Array[] {
  const offsetsOf = itemsByHash(items);
  // Bucket and hash in one number that a double holds exactly, so that sorting needs no function.
  const order = Float64Array.from(offsetsOf.keys(), (hash) => getBucket(hash) * HASHES + hash).sort();
  let size = 0;
  for (const { length } of offsetsOf.values()) size += length * ENTRY_BYTES;
  const rows = Buffer.allocUnsafe(size);
  const starts: number[] = [];
  let end = 0;
  for (const place of order) {
    const hash = place % HASHES;
    const bucket = Math.floor(place / HASHES);
    while (starts.length <= bucket) starts.push(end);
    for (const offset of offsetsOf.get(hash) ?? []) {
      rows.writeUInt32BE(hash, end);
      rows.writeUInt16BE(offset, end + 4);
      end += ENTRY_BYTES;
    }
  }
  while (starts.length <= BUCKETS) starts.push(end);
  return Array.from({ length: BUCKETS }, (_, bucket) => rows.subarray(starts[bucket], starts[bucket + 1]));
}

const HASHES = 2 ** 32;

/** Ascending, each item once: most texts share most of their words, so there are far fewer hashes than terms. */
function itemsByHash(items: readonly (readonly number[])[]): Map<number, number[]> {
  const found = new Map<number, number[]>();
  for (const [offset, hashes] of items.entries()) {
    for (const hash of hashes) {
      const offsets = found.get(hash);
      if (offsets === undefined) found.set(hash, [offset]);
      else if (offsets.at(-1) !== offset) offsets.push(offset);
    }
  }
  return found;
}

/** Offsets of the items whose term has this hash, ascending. */
export function offsetsIn(bytes: Uint8Array, hash: number): number[] {
  const row = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  let low = 0;
  let high = row.length / ENTRY_BYTES;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (row.readUInt32BE(middle * ENTRY_BYTES) < hash) low = middle + 1;
    else high = middle;
  }
  const offsets: number[] = [];
  for (let at = low * ENTRY_BYTES; at < row.length && row.readUInt32BE(at) === hash; at += ENTRY_BYTES) {
    offsets.push(row.readUInt16BE(at + 4));
  }
  return offsets;
}
