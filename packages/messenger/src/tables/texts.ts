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
import { type AccountId, accountIdFromBytes, type Timestamp, type TxHash, txHashFromBytes } from '@switchyard/protocol';
import type { BlockRecord } from '@switchyard/rollup';
import type { MessengerEvent } from '../actions/handler.ts';

/** A text as it was posted. The greeting has neither sender nor transaction. */
export interface Text {
  /** Consecutive from 0, which is the greeting. */
  readonly id: bigint;
  readonly name: string;
  readonly text: string;
  readonly sender: AccountId | undefined;
  readonly block: bigint;
  readonly time: Timestamp;
  readonly transaction: TxHash | undefined;
}

/** Texts of one block, some at a time, under the id of the first: rows are few, and are written in order. */
const chunks = table({ prefix: 'index/texts/', key: u64Key, value: raw });
const counts = table({ prefix: 'index/text-count/', key: u32Key, value: u64, absent: 0n });

const CHUNK_TEXTS = 64;
const CHUNK_BYTES = 16_384;

/** Number of texts, the greeting included; also the id of the next one. */
export function textCount(state: StateReader): bigint {
  return counts.get(state, 0);
}

/** Writes text 0. */
export function writeGreeting(state: StateWriter): void {
  append(state, { number: 0n, time: { seconds: 0n, nanos: 0 } }, [
    { sender: '00'.repeat(20), transaction: '00'.repeat(32), name: 'astria', text: 'hello world' },
  ]);
}

/** Writes the texts of a block. */
export function writeTexts(state: StateWriter, block: BlockRecord<MessengerEvent>): void {
  const posted = block.events.flatMap(({ event, signer, transaction }) =>
    event.kind === 'text' ? [{ sender: signer, transaction, name: event.name, text: event.text }] : [],
  );
  if (posted.length > 0) append(state, block, posted);
}

interface Posted {
  readonly sender: string;
  readonly transaction: string;
  readonly name: string;
  readonly text: string;
}

/** Block (8 bytes), seconds (8), nanos (4); then for each text: hash (32), sender (20), two lengths (2 each), name, text. */
const HEADER_BYTES = 20;
const RECORD_BYTES = 56;

function append(
  state: StateWriter,
  { number, time }: Pick<BlockRecord<unknown>, 'number' | 'time'>,
  posted: readonly Posted[],
): void {
  let next = textCount(state);
  for (let start = 0; start < posted.length; ) {
    let size = HEADER_BYTES;
    let end = start;
    for (; end < posted.length && end - start < CHUNK_TEXTS; end += 1) {
      const bytes = recordBytes(posted[end]);
      if (end > start && size + bytes > CHUNK_BYTES) break;
      size += bytes;
    }
    const row = Buffer.alloc(size);
    row.writeBigUInt64BE(number);
    row.writeBigUInt64BE(time.seconds, 8);
    row.writeUInt32BE(time.nanos, 16);
    let at = HEADER_BYTES;
    for (const each of posted.slice(start, end)) at = writeRecord(row, at, each);
    chunks.put(state, next, row);
    next += BigInt(end - start);
    start = end;
  }
  counts.put(state, 0, next);
}

function recordBytes(posted: Posted | undefined): number {
  return posted === undefined ? 0 : RECORD_BYTES + Buffer.byteLength(posted.name) + Buffer.byteLength(posted.text);
}

function writeRecord(row: Buffer, at: number, { sender, transaction, name, text }: Posted): number {
  row.write(transaction, at, 'hex');
  row.write(sender, at + 32, 'hex');
  const nameBytes = row.write(name, at + RECORD_BYTES, 'utf8');
  const textBytes = row.write(text, at + RECORD_BYTES + nameBytes, 'utf8');
  row.writeUInt16BE(nameBytes, at + 52);
  row.writeUInt16BE(textBytes, at + 54);
  return at + RECORD_BYTES + nameBytes + textBytes;
}

function* readChunk(firstId: bigint, value: Uint8Array): Iterable<Text> {
  const row = Buffer.from(value.buffer, value.byteOffset, value.length);
  const block = row.readBigUInt64BE();
  const time = { seconds: row.readBigUInt64BE(8), nanos: row.readUInt32BE(16) };
  for (let at = HEADER_BYTES, id = firstId; at < row.length; id += 1n) {
    const nameEnd = at + RECORD_BYTES + row.readUInt16BE(at + 52);
    const end = nameEnd + row.readUInt16BE(at + 54);
    yield {
      id,
      name: row.toString('utf8', at + RECORD_BYTES, nameEnd),
      text: row.toString('utf8', nameEnd, end),
      sender: block === 0n ? undefined : accountIdFromBytes(row.subarray(at + 32, at + 52)),
      block,
      time,
      transaction: block === 0n ? undefined : txHashFromBytes(row.subarray(at, at + 32)),
    };
    at = end;
  }
}

/** The texts of the chunk that begins at `first`. */
export function textChunk(state: StateReader, first: bigint): Text[] {
  const row = chunks.get(state, first);
  return row === undefined ? [] : [...readChunk(first, row)];
}

/** The text with this id. */
export function textById(snapshot: Snapshot, id: bigint): Text | undefined {
  if (id >= textCount(snapshot)) return undefined;
  const [holding] = chunks.range(snapshot, { before: id + 1n, reverse: true, limit: 1 });
  if (holding !== undefined) for (const text of readChunk(...holding)) if (text.id === id) return text;
  return undefined;
}

const ROWS_BATCH_SIZE = 8;

/** Up to `limit` texts in ascending order, from `first` on. */
export function textsFrom(snapshot: Snapshot, first: bigint, limit: number): Text[] {
  const found: Text[] = [];
  const count = textCount(snapshot);
  let next = first;
  while (next < count && found.length < limit) {
    // The chunk that holds the text begins at its id or before it.
    const [holding] = chunks.range(snapshot, { before: next + 1n, reverse: true, limit: 1 });
    const start = holding?.[0] ?? 0n;
    const rows = [
      ...chunks.range(snapshot, { ...(start === 0n ? {} : { after: start - 1n }), limit: ROWS_BATCH_SIZE }),
    ];
    for (const [firstId, row] of rows) {
      for (const text of readChunk(firstId, row)) {
        if (text.id >= next && found.length < limit) found.push(text);
      }
    }
    const last = found.at(-1);
    if (last === undefined) break;
    next = last.id + 1n;
  }
  return found;
}
