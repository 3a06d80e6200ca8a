import {
  raw,
  type Snapshot,
  type StateReader,
  type StateWriter,
  table,
  u32Key,
  u64,
  u64Key,
} from '@switchyard/machine';
import {
  type AccountId,
  type AssetId,
  accountIdFromBytes,
  assetIdFromBytes,
  parseDenom,
  type Timestamp,
  type TxHash,
  txHashFromBytes,
} from '@switchyard/protocol';
import { type BlockRecord, TermIndex, termHash } from '@switchyard/rollup';
import type { MessengerEvent } from '../actions/handler.ts';

/** A transfer, a credited deposit or a withdrawal. Messages are kept by themselves. */
export type JournalEntry = Transfer | CreditedDeposit | Withdrawal;

interface Common {
  /** Consecutive from 0. */
  readonly id: bigint;
  readonly block: bigint;
  readonly time: Timestamp;
  /** Hash of the transfer, or of the deposit on the sequencer. */
  readonly transaction: TxHash;
  readonly from: AccountId;
  readonly to: AccountId;
  readonly asset: AssetId;
  readonly amount: bigint;
}
export interface Transfer extends Common {
  readonly kind: 'transfer';
}
export interface CreditedDeposit extends Common {
  /** `from` is the bridge account. */
  readonly kind: 'deposit';
}

export interface Withdrawal extends Common {
  /** `to` is an account of the sequencer. */
  readonly kind: 'withdrawal';
}

/** Entries of one block, some at a time, under the id of the first. Older versions wrote none. */
const chunks = table({ prefix: 'index/journal/', key: u64Key, value: raw });
const counts = table({ prefix: 'index/journal-count/', key: u32Key, value: u64, absent: 0n });

const CHUNK_ENTRIES = 64;
/** Block (8 bytes), seconds (8), nanos (4). */
const HEADER_BYTES = 20;
/** Kind (1 byte), transaction (32), from (20), to (20), asset (32), amount (16). */
const ENTRY_BYTES = 121;
const KINDS = ['transfer', 'deposit', 'withdrawal'] as const;

export function journalCount(state: StateReader): bigint {
  return counts.get(state, 0);
}

/** Which entries are an account's. */
export function journalIndex(keep: bigint | undefined): TermIndex {
  const chunk = (state: StateReader, first: bigint) =>
    journalChunk(state, first).map(({ from, to }) => [termHash(from), termHash(to)]);
  return new TermIndex('index/journal-terms/', { count: journalCount, chunk }, keep);
}

/** Writes what a block moved. */
export function writeJournal(state: StateWriter, block: BlockRecord<MessengerEvent>): void {
  const entries = entriesOf(block);
  if (entries.length === 0) return;
  let next = journalCount(state);
  for (let start = 0; start < entries.length; start += CHUNK_ENTRIES) {
    const some = entries.slice(start, start + CHUNK_ENTRIES);
    const row = Buffer.alloc(HEADER_BYTES + some.length * ENTRY_BYTES);
    row.writeBigUInt64BE(block.number);
    row.writeBigUInt64BE(block.time.seconds, 8);
    row.writeUInt32BE(block.time.nanos, 16);
    for (const [index, entry] of some.entries()) writeEntry(row, HEADER_BYTES + index * ENTRY_BYTES, entry);
    chunks.put(state, next, row);
    next += BigInt(some.length);
  }
  counts.put(state, 0, next);
}

type NewEntry = Pick<JournalEntry, 'kind' | 'transaction' | 'from' | 'to' | 'asset' | 'amount'>;

function entriesOf({ events, deposits }: BlockRecord<MessengerEvent>): NewEntry[] {
  const entries = deposits.map(
    ({ deposit, account }): NewEntry => ({
      kind: 'deposit',
      transaction: deposit.sourceTransaction,
      from: deposit.bridge.account,
      to: account,
      asset: parseDenom(deposit.asset).id,
      amount: deposit.amount,
    }),
  );
  for (const { event, signer, transaction } of events) {
    if (event.kind === 'transfer' || event.kind === 'withdrawal') entries.push({ ...event, transaction, from: signer });
  }
  return entries;
}

function writeEntry(row: Buffer, at: number, { kind, transaction, from, to, asset, amount }: NewEntry): void {
  row[at] = KINDS.indexOf(kind);
  row.write(transaction, at + 1, 'hex');
  row.write(from, at + 33, 'hex');
  row.write(to, at + 53, 'hex');
  row.write(asset, at + 73, 'hex');
  row.writeBigUInt64BE(amount >> 64n, at + 105);
  row.writeBigUInt64BE(amount & 0xffff_ffff_ffff_ffffn, at + 113);
}

function journalChunk(state: StateReader, first: bigint): JournalEntry[] {
  const value = chunks.get(state, first);
  return value === undefined ? [] : readChunk(first, value);
}

function readChunk(first: bigint, value: Uint8Array): JournalEntry[] {
  const row = Buffer.from(value.buffer, value.byteOffset, value.length);
  const block = row.readBigUInt64BE();
  const time = { seconds: row.readBigUInt64BE(8), nanos: row.readUInt32BE(16) };
  const entries: JournalEntry[] = [];
  for (let at = HEADER_BYTES; at < row.length; at += ENTRY_BYTES) {
    entries.push({
      kind: KINDS[row.readUInt8(at)] ?? 'transfer',
      id: first + BigInt(entries.length),
      block,
      time,
      transaction: txHashFromBytes(row.subarray(at + 1, at + 33)),
      from: accountIdFromBytes(row.subarray(at + 33, at + 53)),
      to: accountIdFromBytes(row.subarray(at + 53, at + 73)),
      asset: assetIdFromBytes(row.subarray(at + 73, at + 105)),
      amount: (row.readBigUInt64BE(at + 105) << 64n) | row.readBigUInt64BE(at + 113),
    });
  }
  return entries;
}

export function journalEntry(snapshot: Snapshot, id: bigint): JournalEntry | undefined {
  const [holding] = chunks.range(snapshot, { before: id + 1n, reverse: true, limit: 1 });
  return holding && readChunk(...holding).find((entry) => entry.id === id);
}
