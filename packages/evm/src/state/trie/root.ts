import { EMPTY_ROOT } from '@switchyard/evm-machine/account';
import type { Hash } from '@switchyard/evm-machine/types';
import { bytesToHex, keccak256 } from '@switchyard/protocol/ethereum';
import { BRANCH, Branch } from './branch.ts';
import { extensionRlp, leafRlp, nibbleAt } from './node-rlp.ts';

/** A key that a trie holds. */
export interface Leaf {
  /** Keccak-256 of the key: 64 hex digits. */
  readonly path: string;
  /** RLP of the leaf's value. Called once, in the order of the paths. */
  readonly value: () => Uint8Array;
}

/** Root of the trie of these leaves alone. Needs memory for the leaves and for the nodes of one path. */
export function trieRoot(leaves: readonly Leaf[]): Hash {
  if (leaves.length === 0) return EMPTY_ROOT;
  const sorted = [...leaves].sort((a, b) => (a.path < b.path ? -1 : 1));
  return bytesToHex(keccak256(getNode(sorted, 0, sorted.length, 0)));
}

/** RLP of the node that stands below `depth` nibbles, which leaves `first` to `end` share. Valid until the next call. */
function getNode(leaves: readonly Leaf[], first: number, end: number, depth: number): Uint8Array {
  const { path, value } = leafAt(leaves, first);
  if (end - first === 1) return leafRlp(path, depth, value());
  const last = leafAt(leaves, end - 1).path;
  let fork = depth;
  while (path.charCodeAt(fork) === last.charCodeAt(fork)) fork++;
  const branch = new Branch();
  for (let at = first; at < end; ) {
    const nibble = nibbleAt(leafAt(leaves, at).path, fork);
    let next = at + 1;
    while (next < end && nibbleAt(leafAt(leaves, next).path, fork) === nibble) next++;
    // The kind and the note serve searches for the nodes below.
    branch.set(nibble, BRANCH, getNode(leaves, at, next, fork + 1), '');
    at = next;
  }
  const rlp = branch.rlp();
  if (fork === depth) return rlp;
  const embedded = rlp.length < 32;
  return extensionRlp(path, depth, fork, embedded ? rlp : keccak256(rlp), embedded);
}

function leafAt(leaves: readonly Leaf[], index: number): Leaf {
  const leaf = leaves[index];
  if (leaf === undefined) throw new RangeError(`no leaf ${index} of ${leaves.length}`);
  return leaf;
}
