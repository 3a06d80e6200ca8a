import { hexOf } from '../hex.ts';
import { keccak256 } from '../keccak.ts';
import type { Hash } from '../types.ts';
import { encodeRlp, listHead } from './rlp.ts';

/**
 * Root of the Merkle-Patricia trie that holds each value under the RLP of its position: how a header commits to
 * transactions, receipts and withdrawals (Yellow Paper, 4.3.2).
 */
export function orderedRoot(values: readonly Uint8Array[]): Hash {
  if (values.length === 0) return EMPTY_ROOT;
  return hexOf(keccak256(nodeOf(sortedLeaves(values), 0)));
}

/** Keccak-256 of the RLP of nothing. */
export const EMPTY_ROOT: Hash = '0x56e81f171bcc55a6ff8345e692c0f86e5b48e01b996cadc001622fb5e363b421';

interface Leaf {
  readonly nibbles: readonly number[];
  readonly value: Uint8Array;
}

/** By key: RLP writes 0 as 0x80, between 127 and 128. */
function sortedLeaves(values: readonly Uint8Array[]): Leaf[] {
  const leaf = (index: number): Leaf => ({ nibbles: nibblesOf(index), value: values[index] ?? EMPTY });
  const leaves: Leaf[] = [];
  for (let index = 1; index < Math.min(values.length, 128); index += 1) leaves.push(leaf(index));
  leaves.push(leaf(0));
  for (let index = 128; index < values.length; index += 1) leaves.push(leaf(index));
  return leaves;
}

/** Of the RLP of a position. */
function nibblesOf(index: number): readonly number[] {
  const nibbles: number[] = [];
  for (let rest = index; rest > 0; rest = Math.floor(rest / 256)) nibbles.unshift((rest >> 4) & 15, rest & 15);
  if (index === 0 || index >= 0x80) nibbles.unshift(8, nibbles.length / 2);
  return nibbles;
}

const EMPTY = new Uint8Array();
const NOTHING = Uint8Array.of(0x80);

/** RLP of the node for leaves that agree up to `depth`. No key is the beginning of another, so branches hold no value. */
function nodeOf(leaves: readonly Leaf[], depth: number): Uint8Array {
  const [first] = leaves;
  const last = leaves.at(-1);
  if (first === undefined || last === undefined) throw new Error('a trie node without leaves');
  if (first === last) return encodeRlp([packed(first.nibbles, depth, first.nibbles.length, true), first.value]);
  // Sorted, so that what the ends agree in is what all agree in.
  let shared = depth;
  while (first.nibbles[shared] === last.nibbles[shared]) shared += 1;
  const branch = branchOf(leaves, shared);
  if (shared === depth) return branch;
  return join([encodeRlp(packed(first.nibbles, depth, shared, false)), referenceTo(branch)]);
}

function branchOf(leaves: readonly Leaf[], depth: number): Uint8Array {
  const items: Uint8Array[] = [];
  let from = 0;
  for (let nibble = 0; nibble < 16; nibble += 1) {
    let to = from;
    while (leaves[to]?.nibbles[depth] === nibble) to += 1;
    items.push(to === from ? NOTHING : referenceTo(nodeOf(leaves.slice(from, to), depth + 1)));
    from = to;
  }
  return join([...items, NOTHING]);
}

/** A node of fewer than 32 bytes stands in its parent itself. */
function referenceTo(node: Uint8Array): Uint8Array {
  if (node.length < 32) return node;
  const reference = new Uint8Array(33);
  reference[0] = 0x80 + 32;
  reference.set(keccak256(node), 1);
  return reference;
}

/** A list of items that are RLP already. */
function join(items: readonly Uint8Array[]): Uint8Array {
  const length = items.reduce((sum, item) => sum + item.length, 0);
  return Buffer.concat([listHead(length), ...items]);
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
