import type { AccountProof } from '@switchyard/evm-machine/state';
import type { Address, Hash } from '@switchyard/evm-machine/types';
import { accountTrie, pathOfKey, storageTrie } from './leaves.ts';
import type { Base } from './sealed.ts';
import { BRANCH, EXTENSION, LEAF } from './trie/branch.ts';
import { nibbleAt } from './trie/node-rlp.ts';
import { branchAt, type Node, nodeRlp, rootNode, type TrieSource } from './trie/update.ts';

/** Nodes from the root down to an account, and from its storage root down to each slot: EIP-1186. */
export function prove(state: Base, address: Address, slots: readonly Hash[]): AccountProof {
  const account = state.account(address);
  const storage = storageTrie(state, address);
  return {
    account,
    nodes: proofNodes(accountTrie(state), pathOfKey(address)),
    storage: slots.map((slot) => ({
      slot,
      value: state.storage(address, slot),
      nodes: account === undefined ? [] : proofNodes(storage, pathOfKey(slot)),
    })),
  };
}

/**
 * RLP of the nodes that a key's path leads through, down to its leaf or to the node that shows that there is none. Nodes
 * that stand in the one above them are not repeated.
 *
 * @param path Keccak-256 of the key: 64 hex digits.
 */
function proofNodes(trie: TrieSource, path: string): Uint8Array[] {
  const nodes: Uint8Array[] = [];
  let node: Node | undefined = rootNode(trie);
  let depth = 0;
  while (node !== undefined) {
    const rlp = nodeRlp(trie, node, depth).slice();
    if (depth === 0 || rlp.length >= 32) nodes.push(rlp);
    if (node.kind === 'leaf' || !path.startsWith(node.path)) break;
    // An extension and the branch below it are two nodes.
    if (node.path.length > depth) {
      const branch = node.branch.rlp();
      if (branch.length >= 32) nodes.push(branch.slice());
    }
    depth = node.path.length + 1;
    node = below(trie, node, path);
  }
  return nodes;
}

function below(trie: TrieSource, { path, branch }: Node & { kind: 'branch' }, target: string): Node | undefined {
  const nibble = nibbleAt(target, path.length);
  const kind = branch.kind(nibble);
  const note = branch.note(nibble);
  if (kind === LEAF) return { kind: 'leaf', key: note, path: undefined, value: undefined };
  if (kind !== BRANCH && kind !== EXTENSION) return undefined;
  const next = path + nibble.toString(16) + note;
  return { kind: 'branch', path: next, branch: branchAt(trie, next) };
}
