import { sha256 } from '@switchyard/protocol';
import { EMPTY_ROOT } from './store.ts';

/*
 * Nodes of the state tree: a binary tree over the bits of sha256(key), first bit of the first byte on top.
 * A subtree without keys is `undefined`, a subtree with one key is that key's leaf, wherever it is met.
 */

/** sha256(0, key hash, value hash). */
export function leafHash(keyHash: Uint8Array, valueHash: Uint8Array): Uint8Array {
  return hashPair(0, keyHash, valueHash);
}

/** sha256(1, left, right), where a side without keys is 32 zero bytes. */
export function innerHash(left: Uint8Array, right: Uint8Array): Uint8Array {
  return hashPair(1, left, right);
}

/** Filled anew for every hash: one joined input is hashed faster than three parts. */
const scratch = new Uint8Array(65);

function hashPair(tag: number, first: Uint8Array, second: Uint8Array): Uint8Array {
  scratch[0] = tag;
  scratch.set(first, 1);
  scratch.set(second, 33);
  return sha256(scratch);
}

export class Leaf {
  readonly kind = 'leaf';
  readonly keyHash: Uint8Array;
  readonly valueHash: Uint8Array;
  #hash: Uint8Array | undefined;

  constructor(keyHash: Uint8Array, valueHash: Uint8Array) {
    this.keyHash = keyHash;
    this.valueHash = valueHash;
  }

  /** Not stored, and computed only where a neighbour has changed. */
  get hash(): Uint8Array {
    this.#hash ??= leafHash(this.keyHash, this.valueHash);
    return this.#hash;
  }
}

/** At least two keys are below. */
export interface Inner {
  readonly kind: 'inner';
  readonly hash: Uint8Array;
  readonly left: Node | undefined;
  readonly right: Node | undefined;
}

/** An inner node whose subtree is in a page of its own, at the path where it stands. */
export interface Cut {
  readonly kind: 'cut';
  readonly hash: Uint8Array;
}

export type Node = Leaf | Inner | Cut;

export function hashOf(node: Node | undefined): Uint8Array {
  return node === undefined ? EMPTY_ROOT : node.hash;
}

export function inner(left: Node | undefined, right: Node | undefined): Inner {
  return { kind: 'inner', hash: innerHash(hashOf(left), hashOf(right)), left, right };
}

/** 0 or 1: to the left or to the right below depth `depth`. */
export function bitAt(keyHash: Uint8Array, depth: number): number {
  // A hash has 32 bytes and depth stays below 256.
  return ((keyHash[depth >> 3] as number) >> (7 - (depth & 7))) & 1;
}
