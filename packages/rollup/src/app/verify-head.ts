import type { Snapshot } from '@switchyard/machine';
import { fromHex, rollupBlockHash, toHex } from '@switchyard/protocol';
import { getBlock } from './stored-blocks.ts';
import { commitmentRows } from './tables.ts';

/**
 * Whether the soft block matches its hash, and it commits to the state. The state itself is
 * checked against its root by the store.
 *
 * @returns the fault.
 */
export function headProblem(snapshot: Snapshot): string | undefined {
  const rows = commitmentRows.get(snapshot);
  if (rows === undefined) return snapshot.height === undefined ? undefined : 'the commitments are missing';
  if (rows.firm > rows.soft) return `the firm block is ${rows.firm}, above the soft block ${rows.soft}`;
  for (const number of new Set([rows.soft, rows.firm])) {
    const block = getBlock(snapshot, number);
    if (block === undefined) return `block ${number} is missing, to which the node has committed`;
    // The genesis has a hash of its own.
    if (number === 0n) continue;
    const hash = rollupBlockHash({
      number,
      contentHash: fromHex(block.contentHash),
      parentHash: block.parentHash,
      sequencerBlockHash: block.sequencerBlockHash,
      stateRoot: fromHex(block.stateRoot),
      receiptsHash: fromHex(block.receiptsHash),
    });
    if (hash !== block.hash) return `block ${number} has hash ${hash}, expected ${block.hash}`;
    if (number === rows.soft && block.stateRoot !== toHex(snapshot.root)) {
      return `the state root after block ${number} is ${toHex(snapshot.root)}, expected ${block.stateRoot}`;
    }
  }
  return undefined;
}
