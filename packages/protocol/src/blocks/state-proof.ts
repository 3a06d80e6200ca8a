/** Proofs in the state tree, a binary tree over the bits of sha256(key): the hashes of its nodes, and the statements of proofs. */

import { equalBytes } from '../accounts/ids.ts';
import { HASH_LENGTH, sha256 } from '../bytes/hash.ts';

/** Root of a state without keys, and hash of a side without keys. */
export const EMPTY_ROOT: Uint8Array = new Uint8Array(HASH_LENGTH);

/** Nodes that are needed besides the root to show the value of a key, or that it has none. */
export interface StateProof {
  /** Hashes alongside the path of the key, from the root down. */
  readonly siblings: readonly Uint8Array[];
  /** For an absent key: the only key of the subtree of its place. None there: the subtree is empty. */
  readonly other: { readonly keyHash: Uint8Array; readonly valueHash: Uint8Array } | undefined;
}

const encoder = new TextEncoder();

/** Position of a key in the tree. */
export function hashKey(key: string): Uint8Array {
  return sha256(encoder.encode(key));
}

/** sha256(0, key hash, value hash). */
export function leafHash(keyHash: Uint8Array, valueHash: Uint8Array): Uint8Array {
  return hashPair(0, keyHash, valueHash);
}

/** sha256(1, left, right), in which a side without keys is 32 zero bytes. */
export function innerHash(left: Uint8Array, right: Uint8Array): Uint8Array {
  return hashPair(1, left, right);
}

/** Filled again for every hash: one joined input is hashed faster than three parts. */
const scratch = new Uint8Array(65);

function hashPair(tag: number, first: Uint8Array, second: Uint8Array): Uint8Array {
  scratch[0] = tag;
  scratch.set(first, 1);
  scratch.set(second, 33);
  return sha256(scratch);
}

/** 0 or 1: left or right of the inner node at `depth`. */
export function bitAt(keyHash: Uint8Array, depth: number): number {
  // A hash has 32 bytes, and depth stays below 256.
  return ((keyHash[depth >> 3] as number) >> (7 - (depth & 7))) & 1;
}

/** Whether `proof` shows that under `root` the key has this value, or none when `value` is undefined. */
export function verifyStateProof(
  root: Uint8Array,
  key: string,
  value: Uint8Array | undefined,
  proof: StateProof,
): boolean {
  const { siblings, other } = proof;
  if (siblings.length > 256 || siblings.some((hash) => hash.length !== HASH_LENGTH)) return false;
  const keyHash = hashKey(key);
  const end = endOfPath(keyHash, value, other, siblings.length);
  if (end === undefined) return false;
  const computed = siblings.reduceRight((below, beside, depth) => {
    return bitAt(keyHash, depth) === 1 ? innerHash(beside, below) : innerHash(below, beside);
  }, end);
  return equalBytes(computed, root);
}

/** Hash of the subtree in which the path ends, if the claim fits there at all. */
function endOfPath(keyHash: Uint8Array, value: Uint8Array | undefined, other: StateProof['other'], depth: number) {
  if (value !== undefined) return other === undefined ? leafHash(keyHash, sha256(value)) : undefined;
  if (other === undefined) return EMPTY_ROOT;
  if (other.keyHash.length !== HASH_LENGTH || other.valueHash.length !== HASH_LENGTH) return undefined;
  if (equalBytes(other.keyHash, keyHash)) return undefined;
  for (let i = 0; i < depth; i++) if (bitAt(other.keyHash, i) !== bitAt(keyHash, i)) return undefined;
  return leafHash(other.keyHash, other.valueHash);
}
