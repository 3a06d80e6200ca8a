import {
  blockHash,
  decodeValue,
  encodeValue,
  raw,
  type StateReader,
  type StateWriter,
  struct,
  table,
  u32,
  u64,
  u64Key,
} from '@switchyard/machine';
import { type BlockHash, blockHashFromBytes } from '@switchyard/protocol';
import { contentHash } from './block-hash.ts';

/*
 * Executed blocks by number. A row is whole, or, for a block that holds nothing, has only what such a block does not
 * share with an earlier one: its parent's hash is in the row before, its state and receipts are those of the whole row
 * that it names, and its content hash is computed.
 */

const whole = struct({
  hash: blockHash,
  parentHash: blockHash,
  seconds: u64,
  nanos: u32,
  sequencerBlockHash: blockHash,
  contentHash: blockHash,
  stateRoot: blockHash,
  receiptsHash: blockHash,
  executed: u32,
  refused: u32,
  deposits: u32,
  skippedDeposits: u32,
});
/** `base`: how many blocks before this one the row is that has the rest. */
const short = struct({ hash: blockHash, sequencerBlockHash: blockHash, seconds: u64, nanos: u32, base: u32 });
const SHORT_BYTES = 80;
const HASH_BYTES = 32;

export type StoredBlock = ReturnType<(typeof whole)['read']>;

const rows = table({ prefix: 'index/blocks/', key: u64Key, value: raw });

export function getBlock(state: StateReader, number: bigint): StoredBlock | undefined {
  const row = rows.get(state, number);
  if (row === undefined) return undefined;
  return row.length === SHORT_BYTES ? restored(state, number, decodeValue(short, row)) : decodeValue(whole, row);
}

/** Blocks are put in order of their numbers. */
export function putBlock(state: StateWriter, number: bigint, block: StoredBlock): void {
  const shortRow = shortened(state, number, block);
  rows.put(state, number, shortRow === undefined ? encodeValue(whole, block) : encodeValue(short, shortRow));
}

export function deleteBlock(state: StateWriter, number: bigint): void {
  rows.delete(state, number);
}

/** Lowest number of a row that is needed to read this block beside the row before it: its own, if it is whole. */
export function baseOf(state: StateReader, number: bigint): bigint {
  const row = rows.get(state, number);
  return row?.length === SHORT_BYTES ? number - BigInt(decodeValue(short, row).base) : number;
}

type ShortRow = ReturnType<(typeof short)['read']>;

function shortened(state: StateReader, number: bigint, block: StoredBlock): ShortRow | undefined {
  if (number === 0n || !isEmpty(block)) return undefined;
  const distance = number - baseOf(state, number - 1n);
  if (distance > 0xffff_ffffn) return undefined;
  const { hash, sequencerBlockHash, seconds, nanos } = block;
  const row = { hash, sequencerBlockHash, seconds, nanos, base: Number(distance) };
  const again = restored(state, number, row);
  return again !== undefined && isSame(again, block) ? row : undefined;
}

function restored(state: StateReader, number: bigint, row: ShortRow): StoredBlock | undefined {
  const before = rows.get(state, number - 1n);
  const base = rows.get(state, number - BigInt(row.base));
  if (before === undefined || base === undefined || base.length === SHORT_BYTES) return undefined;
  const parentHash: BlockHash = blockHashFromBytes(before.subarray(0, HASH_BYTES));
  const { stateRoot, receiptsHash } = decodeValue(whole, base);
  const { hash, sequencerBlockHash, seconds, nanos } = row;
  return {
    hash,
    parentHash,
    seconds,
    nanos,
    sequencerBlockHash,
    contentHash: blockHashFromBytes(contentHash(parentHash, [], [], { seconds, nanos })),
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
  return Buffer.compare(encodeValue(whole, left), encodeValue(whole, right)) === 0;
}
