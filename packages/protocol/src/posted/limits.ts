/**
 * How large a posted list may be. Anybody may post, and well compressed data costs a reader far more than its author, so
 * readers take longer lists for a bomb, and relayers keep to it: users choose how well their data compresses.
 */

/** Largest size of a list once it is decompressed. */
export const MOST_LIST_BYTES = 64 * 1_048_576;
/** In the entries of one list; each costs memory before anything is proven. */
export const MOST_LIST_TRANSACTIONS = 1_000_000;
/** A list becomes no longer than this many times its compressed length, above the bytes that are free. */
const MOST_RATIO = 100;
const FREE_BYTES = 65_536;

/** Bytes that a blob of this many bytes may become. */
export function mostOpenedBytes(compressed: number): number {
  return Math.min(MOST_LIST_BYTES, Math.max(FREE_BYTES, MOST_RATIO * compressed));
}

/** Bytes that a list of this many must have at least once it is compressed. */
export function leastPostedBytes(listBytes: number): number {
  return listBytes <= FREE_BYTES ? 0 : Math.ceil(listBytes / MOST_RATIO);
}
