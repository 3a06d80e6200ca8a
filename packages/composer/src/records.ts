/** How the journal's records are encoded: protobuf's wire format, without a schema file because only the composer reads it. */

import {
  Reader,
  type RollupId,
  rollupIdBytes,
  rollupIdFromBytes,
  type TxHash,
  txHashBytes,
  txHashFromBytes,
  txHashOf,
  Writer,
} from '@switchyard/protocol';
import type { Chunk } from './backlog.ts';
import { beginsGroup, type Entry, GROUPS, groupOf, type Item, type Space } from './items.ts';
import type { Range } from './ranges.ts';

/** A signed transaction that may have reached a sequencer, and the items in it. */
export interface Candidate {
  readonly hash: TxHash;
  readonly ranges: readonly Range[];
}

/** A nonce of the paying account and everything that was ever signed under it: at most one of them can execute. */
export interface Bundle {
  readonly nonce: number;
  /** Account and chain that the nonce belongs to. */
  readonly payer: string;
  /** The last one is the one that is being sent. */
  readonly candidates: readonly Candidate[];
}

/** Outcome of items of one rollup, or of groups, that are no longer in the backlog. */
export interface OutcomeRecord {
  /** Rises. */
  readonly id: number;
  readonly space: Space;
  readonly outcome:
    | { readonly kind: 'sequenced'; readonly height: bigint; readonly transaction: TxHash }
    | { readonly kind: 'refused'; readonly reason: string };
  /** `hash` of the items or groups, and `keyed` of those that have it, 32 bytes each, in a row. */
  readonly hashes: Uint8Array;
  /** When it was decided, in milliseconds of `RunningTime`; undefined in records of older versions. */
  readonly at?: number | undefined;
}

const NOTHING = new Uint8Array();

/**
 * A rollup id stands before the data of its items, once for those that follow each other; `keyed` before its data; the
 * number of its items, and its `keyed`, before a group. Versions that know no groups refuse the number where they expect bytes.
 */
export function encodeChunk({ items }: Chunk): Uint8Array {
  const writer = new Writer(items.reduce((sum, { data }) => sum + data.length + 6, 64));
  let last: RollupId | undefined;
  for (const item of items) {
    const { rollup, data, keyed, group } = item;
    if (group !== undefined && beginsGroup(item)) {
      writer.uint64(4, BigInt(group.items.length));
      if (group.keyed !== undefined) writer.bytesAlways(3, txHashBytes(group.keyed));
    }
    if (rollup !== last) writer.bytesAlways(1, rollupIdBytes(rollup));
    if (keyed !== undefined) writer.bytesAlways(3, txHashBytes(keyed));
    writer.bytesAlways(2, data);
    last = rollup;
  }
  return writer.finish();
}

export function decodeChunk(first: number, bytes: Uint8Array): Chunk {
  const reader = new Reader(bytes, 'chunk');
  const items: Item[] = [];
  let rollup: RollupId | undefined;
  let keyed: TxHash | undefined;
  let grouped = 0;
  let entries: Entry[] = [];
  while (reader.next()) {
    if (reader.field === 4) {
      grouped = Number(reader.uint64());
      continue;
    }
    const value = reader.bytes();
    if (reader.field === 1) rollup = rollupIdFromBytes(value);
    else if (reader.field === 3) keyed = txHashFromBytes(value);
    else if (rollup === undefined) throw new Error(`the journal's chunk ${first} has data of no rollup`);
    else if (grouped > 0) {
      entries.push({ rollup, data: value });
      if (entries.length < grouped) continue;
      const id = keyed;
      items.push(...groupOf(entries, () => id).items);
      keyed = undefined;
      grouped = 0;
      entries = [];
    } else {
      items.push({ rollup, data: value, hash: txHashOf(value), ...(keyed === undefined ? {} : { keyed }) });
      keyed = undefined;
    }
  }
  if (grouped > 0)
    throw new Error(`the journal's chunk ${first} has ${entries.length} of ${grouped} entries of a group`);
  return { first, items };
}

export function encodeRanges(ranges: readonly Range[]): Uint8Array {
  return writeRanges(new Writer(), ranges).finish();
}

export function decodeRanges(bytes: Uint8Array): Range[] {
  const reader = new Reader(bytes, 'ranges');
  const ranges: Range[] = [];
  while (reader.next()) ranges.push(readRange(reader));
  return ranges;
}

function writeRanges(writer: Writer, ranges: readonly Range[]): Writer {
  for (const { from, to } of ranges) {
    writer.message(2, (range) => range.uint64(1, BigInt(from)).uint64(2, BigInt(to)));
  }
  return writer;
}

function readRange(reader: Reader): Range {
  const range = reader.message('range');
  let from = 0;
  let to = 0;
  while (range.next()) {
    if (range.field === 1) from = Number(range.uint64());
    else to = Number(range.uint64());
  }
  return { from, to };
}

export function encodeBundle({ candidates, payer }: Bundle): Uint8Array {
  const writer = new Writer(256).string(2, payer);
  for (const { hash, ranges } of candidates) {
    writer.message(1, (candidate) => writeRanges(candidate.bytesAlways(1, txHashBytes(hash)), ranges));
  }
  return writer.finish();
}

export function decodeBundle(nonce: number, bytes: Uint8Array): Bundle {
  const reader = new Reader(bytes, 'bundle');
  const candidates: Candidate[] = [];
  let payer = '';
  while (reader.next()) {
    if (reader.field === 1) candidates.push(readCandidate(reader));
    else payer = reader.string();
  }
  return { nonce, payer, candidates };
}

function readCandidate(reader: Reader): Candidate {
  const candidate = reader.message('candidate');
  const ranges: Range[] = [];
  let hash: Uint8Array = NOTHING;
  while (candidate.next()) {
    if (candidate.field === 1) hash = candidate.bytes();
    else ranges.push(readRange(candidate));
  }
  return { hash: txHashFromBytes(hash), ranges };
}

export function encodeOutcome({ space, outcome, hashes, at }: OutcomeRecord): Uint8Array {
  const writer = new Writer(128 + hashes.length);
  if (outcome.kind === 'sequenced') writer.uint64(1, outcome.height).bytesAlways(2, txHashBytes(outcome.transaction));
  else writer.string(3, outcome.reason);
  writer.bytesAlways(4, hashes);
  if (space !== GROUPS) writer.bytesAlways(5, rollupIdBytes(space));
  if (at !== undefined) writer.uint64(6, BigInt(at));
  return writer.finish();
}

export function decodeOutcome(id: number, bytes: Uint8Array): OutcomeRecord {
  const reader = new Reader(bytes, 'outcome');
  let height = 0n;
  let transaction: TxHash | undefined;
  let reason = '';
  let hashes: Uint8Array = NOTHING;
  let space: Space = GROUPS;
  let at: number | undefined;
  while (reader.next()) {
    if (reader.field === 1) height = reader.uint64();
    else if (reader.field === 2) transaction = txHashFromBytes(reader.bytes());
    else if (reader.field === 3) reason = reader.string();
    else if (reader.field === 4) hashes = reader.bytes();
    else if (reader.field === 6) at = Number(reader.uint64());
    else space = rollupIdFromBytes(reader.bytes());
  }
  const outcome: OutcomeRecord['outcome'] =
    transaction === undefined ? { kind: 'refused', reason } : { kind: 'sequenced', height, transaction };
  return { id, space, outcome, hashes, ...(at === undefined ? {} : { at }) };
}
