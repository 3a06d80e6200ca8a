/* Which items of a segment have a term: rows of a fixed number of buckets, each sorted by the hash of the term. */

/** The hash of the term divided by the number of buckets, and in the last 10 bits the offset of the item in its segment. */
const ENTRY_BYTES = 5;
const OFFSETS = 1_024;
export const BUCKETS = 32;

const toEntry = (hash: number, offset: number): number => Math.floor(hash / BUCKETS) * OFFSETS + offset;

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
      rows.writeUIntBE(toEntry(hash, offset), end, ENTRY_BYTES);
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
  const entryAt = (index: number): number => row.readUIntBE(index * ENTRY_BYTES, ENTRY_BYTES);
  let low = 0;
  const count = row.length / ENTRY_BYTES;
  for (let high = count; low < high; ) {
    const middle = (low + high) >>> 1;
    if (entryAt(middle) < toEntry(hash, 0)) low = middle + 1;
    else high = middle;
  }
  const offsets: number[] = [];
  for (; low < count && entryAt(low) < toEntry(hash, OFFSETS); low += 1) offsets.push(entryAt(low) % OFFSETS);
  return offsets;
}
