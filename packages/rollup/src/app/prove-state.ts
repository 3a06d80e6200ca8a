import type { ProvenBlock, StateProofAnswer } from '@switchyard/client/rollup-contract';
import type { Snapshot } from '@switchyard/machine';
import { toHex } from '@switchyard/protocol';
import { HttpError } from '@switchyard/service';
import type { RollupNode } from './node.ts';
import { getBlock } from './stored-blocks.ts';

type Node = Pick<RollupNode, 'genesis' | 'view'>;

/**
 * Proofs of the values of these keys, all of the same version of the state: that after the newest block.
 *
 * @throws {HttpError} 503 before block 1, since the hash of block 0 covers nothing.
 */
export function proveState(node: Node, keys: readonly string[]): StateProofAnswer {
  const { snapshot, soft } = node.view;
  if (soft === 0n) {
    throw new HttpError(503, 'no-block', 'nothing commits to the state before block 1 is executed; ask again then');
  }
  return { block: provenBlock(node, soft), entries: keys.map((key) => toEntry(snapshot, key)) };
}

/** @throws {HttpError} 410 if the block is not kept. */
export function provenBlock({ genesis, view }: Node, number: bigint): ProvenBlock {
  const block = getBlock(view.snapshot, number);
  if (block === undefined) throw new HttpError(410, 'pruned', `block ${number} is not kept by this node`);
  const { hash, contentHash, parentHash, sequencerBlockHash, stateRoot, receiptsHash } = block;
  const sequencerHeight = genesis.sequencerGenesisBlockHeight + number;
  return { number, hash, contentHash, parentHash, sequencerBlockHash, stateRoot, receiptsHash, sequencerHeight };
}

function toEntry(snapshot: Snapshot, key: string): StateProofAnswer['entries'][number] {
  const value = snapshot.get(key);
  const { siblings, other } = snapshot.prove(key);
  return {
    key,
    value: value === undefined ? null : toHex(value),
    siblings: siblings.map(toHex),
    other: other === undefined ? null : { keyHash: toHex(other.keyHash), valueHash: toHex(other.valueHash) },
  };
}
