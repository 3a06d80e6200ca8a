import {
  type BlockHash,
  blockHashFromBytes,
  rollupBlockHash,
  rollupContentHash,
  type Timestamp,
} from '@switchyard/protocol';
import type { BlockOutcome } from './execute-block.ts';
import type { StoredBlock } from './row-format.ts';

/** Place of a block in its chain, and the sequencer block that it is made from. */
export interface BlockPlace {
  readonly number: bigint;
  readonly parentHash: BlockHash;
  readonly sequencerBlockHash: BlockHash;
  readonly timestamp: Timestamp;
}

/** A block as it is known by its hash. @param stateRoot Root of the state after it. */
export function executedBlock(
  { number, parentHash, sequencerBlockHash, timestamp }: BlockPlace,
  { executed, credited, skipped, receipts, receiptsHash }: BlockOutcome,
  stateRoot: Uint8Array,
): StoredBlock {
  const sources = credited.map(({ deposit }) => deposit.sourceTransaction);
  const contentHash = rollupContentHash(parentHash, executed, sources, timestamp);
  const hash = rollupBlockHash({ contentHash, parentHash, number, sequencerBlockHash, stateRoot, receiptsHash });
  const withoutRefusal = receipts.filter(({ code }) => code === 0).length;
  return {
    hash,
    parentHash,
    seconds: timestamp.seconds,
    nanos: timestamp.nanos,
    sequencerBlockHash,
    contentHash: blockHashFromBytes(contentHash),
    stateRoot: blockHashFromBytes(stateRoot),
    receiptsHash: blockHashFromBytes(receiptsHash),
    executed: withoutRefusal,
    refused: receipts.length - withoutRefusal,
    deposits: credited.length,
    skippedDeposits: skipped.length,
  };
}
