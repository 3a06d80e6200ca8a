import type { Snapshot } from '@switchyard/machine';
import type { AccountId, RollupId } from '@switchyard/protocol';
import type { BlockRecord, CreditedDeposit } from './commits.ts';
import { getEvents } from './event-rows.ts';
import { openReceipts } from './outcomes.ts';
import { getBlock } from './stored-blocks.ts';
import { depositRows } from './tables.ts';

/** A block whose events are in their bytes: those of one transaction together, or each alone. */
export type RecordInBytes = BlockRecord<{ readonly bytes: Uint8Array }>;

/**
 * A stored block as its hook was given it.
 *
 * @param first Number of the first deposit of the block. @returns with the number of the first one behind it.
 */
export function storedRecord(
  rollup: RollupId,
  snapshot: Snapshot,
  number: bigint,
  first: bigint,
): { readonly record: RecordInBytes; readonly next: bigint } {
  const block = getBlock(snapshot, number) ?? missing(`block ${number}`);
  const next = first + BigInt(block.deposits + block.skippedDeposits);
  const deposits: CreditedDeposit[] = [];
  for (let id = first; id < next; id += 1n) {
    const row = depositRows.get(snapshot, id) ?? missing(`deposit ${id} of block ${number}`);
    const { account, message, bridge, bridgePrefix, block: _, ...facts } = row;
    if (account === '') continue;
    const deposit = { bridge: { account: bridge, prefix: bridgePrefix }, rollup, ...facts };
    // Rows have an account or none.
    deposits.push({ deposit, account: account as AccountId, ...(message !== '' && { message }) });
  }
  const getReceipt = openReceipts(snapshot, number);
  const events = getEvents(snapshot, number).map(({ index, signer, events: bytes }) => {
    const transaction = getReceipt(index)?.hash ?? missing(`receipt ${index} of block ${number}`);
    return { event: { bytes }, signer, transaction };
  });
  const { hash, seconds, nanos } = block;
  return { record: { number, hash, time: { seconds, nanos }, events, deposits }, next };
}

function missing(row: string): never {
  throw new Error(`the store lacks ${row}`);
}
