/** How the journal's records are encoded: protobuf's wire format, without a schema file because nobody else reads it. */
import {
  Reader,
  rollupIdBytes,
  rollupIdFromBytes,
  txHashBytes,
  txHashFromBytes,
  txHashOf,
  Writer,
} from '@switchyard/protocol';
import type { Chunk, Item, Range } from './backlog.ts';
import type { Bundle, Candidate, Fate } from './journal.ts';

export function encodeChunk({ items }: Chunk): Uint8Array {
  const bytes = items.reduce((sum, { data }) => sum + data.length + 48, 64);
  const writer = new Writer(bytes);
  for (const { rollup, data } of items) {
    writer.message(1, (item) => item.bytesAlways(1, rollupIdBytes(rollup)).bytes(2, data));
  }
  return writer.finish();
}

export function decodeChunk(id: number, bytes: Uint8Array): Chunk {
  const reader = new Reader(bytes, 'chunk');
  const items: Item[] = [];
  while (reader.next()) {
    const item = reader.message('item');
    let rollup: Uint8Array = new Uint8Array();
    let data: Uint8Array = new Uint8Array();
    while (item.next()) {
      if (item.field === 1) rollup = item.bytes();
      else data = item.bytes();
    }
    items.push({ rollup: rollupIdFromBytes(rollup), data, hash: txHashOf(data) });
  }
  return { id, items };
}

const writeRanges = (writer: Writer, ranges: readonly Range[]): Writer => {
  for (const { chunk, from, to } of ranges) {
    writer.message(2, (range) => range.uint64(1, BigInt(chunk)).uint64(2, BigInt(from)).uint64(3, BigInt(to)));
  }
  return writer;
};

export function encodeRanges(ranges: readonly Range[]): Uint8Array {
  return writeRanges(new Writer(64), ranges).finish();
}

export function decodeRanges(bytes: Uint8Array): Range[] {
  const reader = new Reader(bytes, 'ranges');
  const ranges: Range[] = [];
  while (reader.next()) ranges.push(readRange(reader.message('range')));
  return ranges;
}

function readRange(reader: Reader): Range {
  const [, chunk = 0, from = 0, to = 0] = numbers(reader);
  return { chunk, from, to };
}

/** The fields of a message that holds nothing but numbers below 2^53. */
function numbers(reader: Reader): number[] {
  const values: number[] = [];
  while (reader.next()) values[reader.field] = Number(reader.uint64());
  return values;
}

export function encodeBundle({ candidates }: Bundle): Uint8Array {
  const writer = new Writer(256);
  for (const { hash, ranges } of candidates) {
    writer.message(1, (candidate) => writeRanges(candidate.bytesAlways(1, txHashBytes(hash)), ranges));
  }
  return writer.finish();
}

export function decodeBundle(nonce: number, bytes: Uint8Array): Bundle {
  const reader = new Reader(bytes, 'bundle');
  const candidates: Candidate[] = [];
  while (reader.next()) {
    const candidate = reader.message('candidate');
    const ranges: Range[] = [];
    let hash: Uint8Array = new Uint8Array();
    while (candidate.next()) {
      if (candidate.field === 1) hash = candidate.bytes();
      else ranges.push(readRange(candidate.message('range')));
    }
    candidates.push({ hash: txHashFromBytes(hash), ranges });
  }
  return { nonce, candidates };
}

export function encodeFate({ outcome, hashes }: Fate): Uint8Array {
  const writer = new Writer(128 + hashes.length * 32);
  if (outcome.kind === 'sequenced') writer.uint64(1, outcome.height).bytesAlways(2, txHashBytes(outcome.transaction));
  else writer.string(3, outcome.reason);
  const all = new Uint8Array(hashes.length * 32);
  for (const [index, hash] of hashes.entries()) all.set(txHashBytes(hash), index * 32);
  return writer.bytesAlways(4, all).finish();
}

export function decodeFate(id: number, bytes: Uint8Array): Fate {
  const reader = new Reader(bytes, 'fate');
  let height = 0n;
  let transaction: Uint8Array | undefined;
  let reason = '';
  let all: Uint8Array = new Uint8Array();
  while (reader.next()) {
    if (reader.field === 1) height = reader.uint64();
    else if (reader.field === 2) transaction = reader.bytes();
    else if (reader.field === 3) reason = reader.string();
    else all = reader.bytes();
  }
  const hashes = Array.from({ length: all.length / 32 }, (_, index) =>
    txHashFromBytes(all.subarray(index * 32, index * 32 + 32)),
  );
  const outcome =
    transaction === undefined
      ? ({ kind: 'refused', reason } as const)
      : ({ kind: 'sequenced', height, transaction: txHashFromBytes(transaction) } as const);
  return { id, outcome, hashes };
}
