import type { Hash } from '@switchyard/evm-machine/types';
import { encodeRlp, encodeRlpOnce, keccakHex, keccakView, listHead } from '@switchyard/protocol/ethereum';

/**
 * Root of the Merkle-Patricia trie that holds each value under the RLP of its position: how a header commits to
 * transactions, receipts and withdrawals (Yellow Paper, 4.3.2).
 */
export function orderedRoot(values: readonly Uint8Array[]): Hash {
  if (values.length === 0) return EMPTY_ROOT;
  return keccakHex(buildNode(sortedLeaves(values), 0, values.length, 0));
}

/** Keccak-256 of the RLP of nothing. */
export const EMPTY_ROOT: Hash = '0x56e81f171bcc55a6ff8345e692c0f86e5b48e01b996cadc001622fb5e363b421';

interface Leaf {
  readonly nibbles: readonly number[];
  readonly value: Uint8Array;
}

/** Leaves in the order of their keys: RLP writes 0 as 0x80, between 127 and 128. */
function sortedLeaves(values: readonly Uint8Array[]): Leaf[] {
  const leaf = (index: number): Leaf => ({ nibbles: toNibbles(index), value: values[index] ?? EMPTY });
  const leaves: Leaf[] = [];
  for (let index = 1; index < Math.min(values.length, 128); index += 1) leaves.push(leaf(index));
  leaves.push(leaf(0));
  for (let index = 128; index < values.length; index += 1) leaves.push(leaf(index));
  return leaves;
}

/** Nibbles of positions that some block had: they are the same in all blocks. */
const KNOWN: (readonly number[])[] = [];

/** Nibbles of the RLP of a position. */
function toNibbles(index: number): readonly number[] {
  const known = KNOWN[index];
  if (known !== undefined) return known;
  const nibbles: number[] = [];
  for (let rest = index; rest > 0; rest = Math.floor(rest / 256)) nibbles.unshift((rest >> 4) & 15, rest & 15);
  if (index === 0 || index >= 0x80) nibbles.unshift(8, nibbles.length / 2);
  if (index < MAX_KNOWN) KNOWN[index] = nibbles;
  return nibbles;
}

const MAX_KNOWN = 8_192;
const EMPTY = new Uint8Array();

/**
 * RLP of the node for the leaves from `from` to `to`, which agree up to `depth`; good until the next encoding. No key is
 * the beginning of another, so branches hold no value.
 */
function buildNode(leaves: readonly Leaf[], from: number, to: number, depth: number): Uint8Array {
  const first = leaves[from];
  const last = leaves[to - 1];
  if (first === undefined || last === undefined) throw new Error('a trie node without leaves');
  const { nibbles } = first;
  if (first === last) return encodeRlpOnce([packed(nibbles, depth, nibbles.length, true), first.value]);
  // Sorted, so that the common prefix of the ends is that of all.
  let shared = depth;
  while (nibbles[shared] === last.nibbles[shared]) shared += 1;
  const branch = buildBranch(leaves, from, to, shared);
  if (shared === depth) return branch;
  const node = new Uint8Array(HASH_REFERENCE);
  const reference = node.subarray(0, putReference(branch, node, 0));
  const path = encodeRlp(packed(nibbles, depth, shared, false));
  return Buffer.concat([listHead(path.length + reference.length), path, reference]);
}

function buildBranch(leaves: readonly Leaf[], from: number, to: number, depth: number): Uint8Array {
  const node = new Uint8Array(MAX_HEAD + 16 * HASH_REFERENCE + 1);
  let end = MAX_HEAD;
  let first = from;
  for (let nibble = 0; nibble < 16; nibble += 1) {
    let next = first;
    while (next < to && leaves[next]?.nibbles[depth] === nibble) next += 1;
    if (next === first) node[end++] = NOTHING;
    else end = putReference(buildNode(leaves, first, next, depth + 1), node, end);
    first = next;
  }
  node[end++] = NOTHING;
  const head = listHead(end - MAX_HEAD);
  node.set(head, MAX_HEAD - head.length);
  return node.subarray(MAX_HEAD - head.length, end);
}

/** RLP of an empty string. */
const NOTHING = 0x80;
/** Bytes of the head of a list as long as a branch. */
const MAX_HEAD = 3;
const HASH_REFERENCE = 33;

/** A node of fewer than 32 bytes stands in its parent itself, of others the hash. @returns its end. */
function putReference(node: Uint8Array, into: Uint8Array, at: number): number {
  const isHash = node.length >= 32;
  if (isHash) into[at] = 0x80 + 32;
  into.set(isHash ? keccakView(node) : node, isHash ? at + 1 : at);
  return at + (isHash ? HASH_REFERENCE : node.length);
}

/** Hex-prefix encoding of part of a key. */
function packed(nibbles: readonly number[], from: number, to: number, isLeaf: boolean): Uint8Array {
  const isOdd = (to - from) % 2 === 1;
  const flag = (isLeaf ? 2 : 0) + (isOdd ? 1 : 0);
  const bytes = new Uint8Array(1 + ((to - from) >> 1));
  bytes[0] = (flag << 4) | (isOdd ? (nibbles[from] ?? 0) : 0);
  for (let at = 1, next = isOdd ? from + 1 : from; at < bytes.length; at += 1, next += 2)
    bytes[at] = ((nibbles[next] ?? 0) << 4) | (nibbles[next + 1] ?? 0);
  return bytes;
}
