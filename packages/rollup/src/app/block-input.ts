import { decodeRollupData, type FilteredBlock, Rejected, type RollupId, toHex } from '@switchyard/protocol';
import type { BlockEntry, BlockInput } from '../execution/executor.ts';

/** The input of a rollup's block from a sequencer block with all of its data, which the caller has checked. */
export function blockInput({ rollups, header, hash }: FilteredBlock, rollup: RollupId): BlockInput {
  const entries = rollups.find((each) => each.rollup === rollup)?.transactions ?? [];
  return { entries: entries.map(getEntry), timestamp: header.time, sequencerBlockHash: toHex(hash) };
}

/** Entries that do not decode are passed over, the same on every node. */
function getEntry(bytes: Uint8Array): BlockEntry {
  try {
    return decodeRollupData(bytes);
  } catch (error) {
    if (error instanceof Rejected) return { kind: 'unknown' };
    throw error;
  }
}
