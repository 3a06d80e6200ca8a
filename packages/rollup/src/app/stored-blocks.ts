import type { StateReader, StateWriter } from '@switchyard/machine';
import { blockHashFromBytes, rollupContentHash } from '@switchyard/protocol';
import { deleteRow, encodeWhole, getRow, putRow, type ShortBlock, type StoredBlock } from './row-format.ts';
import { shortestDigest } from './stored-digests.ts';

export type { StoredBlock } from './row-format.ts';

/*
 * Executed blocks by number. A row is whole, or, for a block that holds nothing, has only the parts that such a block does not
 * share with an earlier one: its parent's hash is in the row before, its state and receipts are those of the whole row
 * that it names, and its content hash is computed.
 */

export function getBlock(state: StateReader, number: bigint): StoredBlock | undefined {
  const row = getRow(state, number);
  return row?.form === 'short' ? restored(state, number, row.block) : row?.block;
}

/**
 * Blocks are put in order of their numbers.
 *
 * @param digest Input digest of the block: `getInputDigest` reads it.
 */
export function putBlock(state: StateWriter, number: bigint, block: StoredBlock, digest?: Uint8Array): void {
  const shortBlock = shortened(state, number, block);
  if (shortBlock === undefined) {
    putRow(state, number, { form: 'whole', block, digest });
    return;
  }
  const shortDigest = digest && shortestDigest(state, number, shortBlock, digest);
  putRow(state, number, { form: 'short', block: shortBlock, digest: shortDigest });
}

export function deleteBlock(state: StateWriter, number: bigint): void {
  deleteRow(state, number);
}

/** Numbers of the rows below a block that it is read from, with its digest. */
export function rowsBelow(state: StateReader, number: bigint): readonly bigint[] {
  const row = getRow(state, number);
  const below = [number - 1n];
  if (row?.form === 'short') below.push(number - BigInt(row.block.base));
  const steps = typeof row?.digest === 'number' ? row.digest : 0;
  for (let step = 2; step <= steps; step += 1) below.push(number - BigInt(step));
  return below;
}

function shortened(state: StateReader, number: bigint, block: StoredBlock): ShortBlock | undefined {
  if (number === 0n || !isEmpty(block)) return undefined;
  const before = getRow(state, number - 1n);
  const distance = before?.form === 'short' ? before.block.base + 1 : 1;
  if (distance > 0xffff_ffff) return undefined;
  const { hash, sequencerBlockHash, seconds, nanos } = block;
  const row = { hash, sequencerBlockHash, seconds, nanos, base: distance };
  const again = restored(state, number, row);
  return again !== undefined && isSame(again, block) ? row : undefined;
}

function restored(state: StateReader, number: bigint, row: ShortBlock): StoredBlock | undefined {
  const before = getRow(state, number - 1n);
  const base = getRow(state, number - BigInt(row.base));
  if (before === undefined || base?.form !== 'whole') return undefined;
  const parentHash = before.block.hash;
  const { stateRoot, receiptsHash } = base.block;
  const { hash, sequencerBlockHash, seconds, nanos } = row;
  return {
    hash,
    parentHash,
    seconds,
    nanos,
    sequencerBlockHash,
    contentHash: blockHashFromBytes(rollupContentHash(parentHash, [], [], { seconds, nanos })),
    stateRoot,
    receiptsHash,
    executed: 0,
    refused: 0,
    deposits: 0,
    skippedDeposits: 0,
  };
}

function isEmpty({ executed, refused, deposits, skippedDeposits }: StoredBlock): boolean {
  return executed === 0 && refused === 0 && deposits === 0 && skippedDeposits === 0;
}

function isSame(left: StoredBlock, right: StoredBlock): boolean {
  return Buffer.compare(encodeWhole(left), encodeWhole(right)) === 0;
}
