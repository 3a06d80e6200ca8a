import type { Snapshot, StateReader, StateWriter } from '@switchyard/machine';
import { timestampToMillis } from '@switchyard/protocol';
import { type Retention, retainFrom } from '@switchyard/service';
import { deleteEvents } from './event-rows.ts';
import { deleteRun, endOfRun } from './outcomes.ts';
import { deleteBlock, getBlock, rowsBelow } from './stored-blocks.ts';
import { blockNumbers, type Kept, kept, openOutcomes, receiptRows, refusalRows } from './tables.ts';

/** Blocks that go with each commit, and for each block that comes with it, at most. */
const MAX_CONCURRENT = 64n;
const MAX_FOR_EACH = 2n;
/** Empty places are passed over too, and cost less. */
const RECEIPTS_AT_ONCE = 512n;

const ALL: Kept = { blocks: 1n, receipts: 1n, run: 0n };

/** First blocks and runs that are kept, as of a committed version. */
export function keptIn(state: StateReader): Kept {
  return kept.get(state) ?? ALL;
}

export interface PruneInput {
  /** The version before this commit. */
  readonly snapshot: Snapshot;
  readonly soft: bigint;
  readonly firm: bigint;
  /** Blocks that this commit brings. */
  readonly moved: number;
  /** The first block whose transactions are in no run yet, and are found through its receipts. */
  readonly openSince: bigint | undefined;
}

/** Deletes blocks above the limits, some with every commit. Block 0 and the firm block stay. */
export function prune(
  state: StateWriter,
  retention: Retention,
  { snapshot, soft, firm, moved, openSince }: PruneInput,
): void {
  if (retention.blocks === undefined && retention.ageMs === undefined) return;
  const before = keptIn(snapshot);
  const limit = retainFrom(
    retention,
    {
      first: before.blocks,
      newest: soft,
      getTime(number) {
        const block = getBlock(state, number);
        return block && timestampToMillis(block);
      },
    },
    MAX_CONCURRENT + MAX_FOR_EACH * BigInt(moved),
  );
  const blocks = firm > 0n && firm < limit ? firm : limit;
  if (blocks > before.blocks) deleteBlocks(state, snapshot, before.blocks, blocks);
  const after = { blocks, receipts: deleteReceipts(state, before.receipts, blocks, openSince), run: before.run };
  // A run goes when all of its blocks are gone.
  if (after.run < (openOutcomes.get(snapshot)?.nextRun ?? 0n) && endOfRun(snapshot, after.run) < blocks) {
    deleteRun(state, snapshot, after.run);
    after.run += 1n;
  }
  if (after.blocks !== before.blocks || after.receipts !== before.receipts || after.run !== before.run) {
    kept.put(state, after);
  }
}

/** Deletes the blocks from `first` up to, but not with, `next`; rows from which `next` is read stay. */
function deleteBlocks(state: StateWriter, snapshot: Snapshot, first: bigint, next: bigint): void {
  const needed = new Set(rowsBelow(state, next));
  // The rows that `first` was read from.
  const old = [...rowsBelow(state, first)];
  for (let number = first; number < next; number += 1n) {
    const block = getBlock(state, number);
    if (block !== undefined && blockNumbers.get(state, block.hash) === number) blockNumbers.delete(state, block.hash);
    refusalRows.delete(state, number);
    if (block !== undefined && block.executed > 0) deleteEvents(state, snapshot, number);
  }
  for (let number = first; number < next; number += 1n) old.push(number);
  for (const number of old) if (number > 0n && !needed.has(number)) deleteBlock(state, number);
}

/** @returns the first block whose receipts are kept. */
function deleteReceipts(state: StateWriter, first: bigint, blocks: bigint, openSince = blocks): bigint {
  const limit = [blocks, openSince, first + RECEIPTS_AT_ONCE].reduce((a, b) => (a < b ? a : b));
  for (let number = first; number < limit; number += 1n) {
    if (receiptRows.has(state, number)) receiptRows.delete(state, number);
  }
  return limit > first ? limit : first;
}
