import {
  ACCOUNT_LENGTH,
  type AccountId,
  accountIdFromBytes,
  type Timestamp,
  type TxHash,
  txHashFromBytes,
} from '@switchyard/protocol';

/*
 * How texts lie in the database: some of one block in a row. Block (8 bytes), seconds (8), nanos (4); then for each text:
 * hash (32), sender (20), two lengths (2 each), name, text.
 */

export const HEADER_BYTES = 20;
const RECORD_BYTES = 56;

/** A posted text. The greeting has neither sender nor transaction. */
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

/** A text that is to be written. */
export interface Posted {
  readonly sender: string;
  readonly transaction: string;
  readonly name: string;
  readonly text: string;
}

export function recordBytes({ name, text }: Posted): number {
  return RECORD_BYTES + Buffer.byteLength(name) + Buffer.byteLength(text);
}

/** @param size Bytes of the row: those of the header and of each record. */
export function encodeRow(
  { number, time }: { readonly number: bigint; readonly time: Timestamp },
  posted: readonly Posted[],
  size: number,
): Uint8Array {
  const row = Buffer.alloc(size);
  row.writeBigUInt64BE(number);
  row.writeBigUInt64BE(time.seconds, 8);
  row.writeUInt32BE(time.nanos, 16);
  let at = HEADER_BYTES;
  for (const each of posted) at = writeRecord(row, at, each);
  return row;
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

/** Position of a text in its row: names and texts in UTF-8. The greeting has no sender. */
export interface StoredText extends Places {
  readonly row: Buffer;
  readonly sender: number | undefined;
}

export function storedTexts(value: Uint8Array): StoredText[] {
  const row = Buffer.from(value.buffer, value.byteOffset, value.length);
  const isGreeting = row.readBigUInt64BE() === 0n;
  const found: StoredText[] = [];
  for (let at = HEADER_BYTES; at < row.length; ) {
    const { name, text, end } = placesAt(row, at);
    found.push({ row, name, text, end, sender: isGreeting ? undefined : at + 32 });
    at = end;
  }
  return found;
}

/** Texts of a row whose first one is `first`: those from `from` on, at most this many. Others are not decoded. */
export function decodeTexts(value: Uint8Array, first: bigint, from: bigint, limit: number): Text[] {
  const row = Buffer.from(value.buffer, value.byteOffset, value.length);
  const block = row.readBigUInt64BE();
  const time = { seconds: row.readBigUInt64BE(8), nanos: row.readUInt32BE(16) };
  const texts: Text[] = [];
  let id = first;
  for (let at = HEADER_BYTES; at < row.length && texts.length < limit; id += 1n) {
    const { name, text, end } = placesAt(row, at);
    if (id >= from) {
      texts.push({
        id,
        name: row.toString('utf8', name, text),
        text: row.toString('utf8', text, end),
        sender: block === 0n ? undefined : accountIdFromBytes(row.subarray(at + 32, at + 32 + ACCOUNT_LENGTH)),
        block,
        time,
        transaction: block === 0n ? undefined : txHashFromBytes(row.subarray(at, at + 32)),
      });
    }
    at = end;
  }
  return texts;
}

/** Beginnings of the parts of a record, and its end. */
interface Places {
  readonly name: number;
  readonly text: number;
  readonly end: number;
}

function placesAt(row: Buffer, at: number): Places {
  const name = at + RECORD_BYTES;
  const text = name + row.readUInt16BE(at + 52);
  return { name, text, end: text + row.readUInt16BE(at + 54) };
}
