import { bytesToHex, hexToBytes } from '@switchyard/protocol/ethereum';
import type { DbWriter, Table } from '../database/database.ts';
import { decodeHeaderRow, encodeHeaderRow, type HeaderRow, numberKey } from './rows.ts';

/*
 * Headers by number. A row is whole, or has only the parts that an idle block does not share with an earlier one, which has a
 * whole row: 121 or 153 bytes instead of some 650, of which the empty bloom filter alone has 256.
 */

/** No RLP list begins with this byte. Then hash, state root, sequencer's hash, seconds, nanoseconds, timestamp, distance. */
const SHORT = 1;
/** From Amsterdam on the hash of the access list follows. */
const SHORT_WITH_LIST = 2;
const HASH = 1;
const STATE_ROOT = 33;
const SEQUENCER_HASH = 65;
const SECONDS = 97;
const NANOS = 105;
const TIMESTAMP = 109;
const DISTANCE = 117;
const SHORT_BYTES = 121;
const WITH_LIST_BYTES = 153;

export class HeaderRows {
  readonly #table: Table;

  constructor(table: Table) {
    this.#table = table;
  }

  get(number: bigint): HeaderRow | undefined {
    return headerRowAt(this.#table, number);
  }

  /** Blocks are put in order of their numbers. */
  put(writer: DbWriter, number: bigint, row: HeaderRow): void {
    const whole = encodeHeaderRow(row);
    const short = this.#shortened(number, row);
    const again = short && restored(this.#table, number, short);
    const isSame = again !== undefined && Buffer.compare(encodeHeaderRow(again), whole) === 0;
    writer.put(this.#table, numberKey(number), short !== undefined && isSame ? short : whole);
  }

  /** Deletes the rows from `first` up to, but not with, `next`; rows needed to read `next` stay, and block 0. */
  removeRange(writer: DbWriter, first: bigint, next: bigint): void {
    const needed = new Set([0n, next - 1n, this.makeBase(next)]);
    // Rows that `first` was read from.
    const old = [first - 1n, this.makeBase(first)];
    for (let number = first; number < next; number += 1n) old.push(number);
    for (const number of old) if (!needed.has(number)) writer.remove(this.#table, numberKey(number));
  }

  /** Number of the whole row that the row of this block needs: its own, if that is whole. */
  makeBase(number: bigint): bigint {
    const row = this.#table.get(numberKey(number));
    return row !== undefined && isShort(row) ? number - BigInt(toView(row).getUint32(DISTANCE)) : number;
  }

  #shortened(number: bigint, { hash, header, origin, transactions }: HeaderRow): Uint8Array | undefined {
    if (number === 0n || transactions > 0 || origin.sequencerBlockHash.length !== 64) return undefined;
    const distance = number - this.makeBase(number - 1n);
    if (distance > 0xffff_ffffn || header.timestamp >> 64n !== 0n) return undefined;
    const list = header.blockAccessListHash;
    const row = new Uint8Array(list === undefined ? SHORT_BYTES : WITH_LIST_BYTES);
    const view = toView(row);
    row[0] = list === undefined ? SHORT : SHORT_WITH_LIST;
    if (list !== undefined) row.set(hexToBytes(list), SHORT_BYTES);
    row.set(hexToBytes(hash), HASH);
    row.set(hexToBytes(header.stateRoot), STATE_ROOT);
    row.set(Buffer.from(origin.sequencerBlockHash, 'hex'), SEQUENCER_HASH);
    view.setBigInt64(SECONDS, origin.timestamp.seconds);
    view.setUint32(NANOS, origin.timestamp.nanos);
    view.setBigUint64(TIMESTAMP, header.timestamp);
    view.setUint32(DISTANCE, Number(distance));
    return row;
  }
}

type HeaderTable = Pick<Table, 'get'>;

/** The header of a block, whichever way its row is stored. @throws {Error} if the row lacks a required field. */
export function headerRowAt(table: HeaderTable, number: bigint): HeaderRow | undefined {
  const row = table.get(numberKey(number));
  if (row === undefined) return undefined;
  if (!isShort(row)) return decodeHeaderRow(row);
  const header = restored(table, number, row);
  if (header === undefined) throw new Error(`the database has no row headers that block ${number} needs`);
  return header;
}

function restored(table: HeaderTable, number: bigint, row: Uint8Array): HeaderRow | undefined {
  const view = toView(row);
  const before = table.get(numberKey(number - 1n));
  const distance = BigInt(view.getUint32(DISTANCE));
  const base = table.get(numberKey(number - distance));
  if (before === undefined || base === undefined || isShort(base)) return undefined;
  const { header, size, transactions } = decodeHeaderRow(base);
  const sequencerBlockHash = Buffer.from(row.subarray(SEQUENCER_HASH, SECONDS)).toString('hex');
  return {
    hash: bytesToHex(row.subarray(HASH, STATE_ROOT)),
    size,
    transactions,
    origin: {
      sequencerBlockHash,
      timestamp: { seconds: view.getBigInt64(SECONDS), nanos: view.getUint32(NANOS) },
    },
    header: {
      ...header,
      number,
      parentHash: hashIn(before),
      stateRoot: bytesToHex(row.subarray(STATE_ROOT, SEQUENCER_HASH)),
      timestamp: view.getBigUint64(TIMESTAMP),
      parentBeaconBlockRoot: header.parentBeaconBlockRoot === undefined ? undefined : `0x${sequencerBlockHash}`,
      blockAccessListHash: row[0] === SHORT_WITH_LIST ? bytesToHex(row.subarray(SHORT_BYTES)) : undefined,
      slotNumber: header.slotNumber === undefined ? undefined : header.slotNumber + distance,
    },
  };
}

function hashIn(row: Uint8Array): HeaderRow['hash'] {
  return isShort(row) ? bytesToHex(row.subarray(HASH, STATE_ROOT)) : decodeHeaderRow(row).hash;
}

function isShort([kind]: Uint8Array): boolean {
  return kind === SHORT || kind === SHORT_WITH_LIST;
}

function toView(row: Uint8Array): DataView {
  return new DataView(row.buffer, row.byteOffset, row.length);
}
