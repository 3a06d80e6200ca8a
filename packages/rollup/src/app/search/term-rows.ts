/* Which items of a segment have a term: rows of a fixed number of buckets, each sorted by the hash of the term. */

/** 4 bytes hash of the term, 2 bytes offset of the item in its segment. */
const ENTRY_BYTES = 6;
export const BUCKETS = 32;

/** FNV-1a over the code units. Readers check the items themselves, since terms may share a hash. */
export function termHash(term: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < term.length; at += 1) hash = Math.imul(hash ^ term.charCodeAt(at), 0x01000193);
  return hash >>> 0;
}

export function bucketOf(hash: number): number {
  return hash % BUCKETS;
}

/** @param items The terms of each item, each term once. @returns a row for each bucket, empty where it has none. */
export function encodeBuckets(items: readonly Iterable<string>[]): readonly Uint8Array[] {
  // Hash and offset in one number that a double holds exactly, so that sorting needs no function.
  const buckets = Array.from({ length: BUCKETS }, (): number[] => []);
  items.forEach((terms, offset) => {
    for (const term of terms) {
      const hash = termHash(term);
      buckets[bucketOf(hash)]?.push(hash * 0x1_0000 + offset);
    }
  });
  return buckets.map((entries) => {
    const row = Buffer.alloc(entries.length * ENTRY_BYTES);
    Float64Array.from(entries)
      .sort()
      .forEach((entry, index) => void row.writeUIntBE(entry, index * ENTRY_BYTES, ENTRY_BYTES));
    return row;
  });
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
