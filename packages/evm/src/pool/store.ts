import { bytesToHex, hexToBytes } from '@switchyard/protocol/ethereum';
import type { Database, Row, Table } from '../database/database.ts';
import type { HeldRecord, LocalOutcome, OutcomeRecord, PoolStore } from './deps.ts';

/** Rows begin with a number that counts up, because their keys are hashes and come back in no order. */
const NUMBER_BYTES = 8;
const TIME_BYTES = 8;

/**
 * The pool's rows in the node's database, for any back end.
 *
 * Table `pool-held`: hash of a transaction -> number, time in milliseconds (8 bytes each, big-endian), its bytes.
 * Table `pool-senders`: hash of one of them -> address.
 * Table `pool-fates`: hash -> number, then a {@link LocalOutcome} as JSON.
 */
export function openPoolStore(database: Database): PoolStore {
  const held = database.table('pool-held');
  const senders = database.table('pool-senders');
  const outcomes = database.table('pool-fates');
  /** Number of the newest row, by table that was read. */
  const newest = new Map<Table, number>();

  function read(table: Table): readonly StoredRow[] {
    const rows = inOrder(table.range());
    newest.set(table, Math.max(newest.get(table) ?? 0, rows.at(-1)?.number ?? 0));
    return rows;
  }

  function nextNumber(): number {
    for (const table of [held, outcomes]) if (!newest.has(table)) read(table);
    const next = 1 + Math.max(...newest.values());
    newest.set(held, next);
    return next;
  }

  return {
    held() {
      return read(held).map(({ key, row }): HeldRecord => {
        const hash = bytesToHex(key);
        const sender = senders.get(key);
        if (sender === undefined) throw new Error(`the database has no sender of the held transaction ${hash}`);
        const raw = row.subarray(NUMBER_BYTES + TIME_BYTES);
        return { hash, from: bytesToHex(sender), receivedAt: numberAt(row, NUMBER_BYTES), raw };
      });
    },

    outcomes: () =>
      read(outcomes).map(({ key, row }): OutcomeRecord => {
        return { hash: bytesToHex(key), outcome: readOutcome(row.subarray(NUMBER_BYTES)) };
      }),

    change({ hold = [], release = [], outcomes: added = [], forgetOutcomes = [] }) {
      database.write((writer) => {
        for (const { hash, from, raw, receivedAt } of hold) {
          const key = hexToBytes(hash);
          writer.put(held, key, Buffer.concat([eightBytes(nextNumber()), eightBytes(receivedAt), raw]));
          writer.put(senders, key, hexToBytes(from));
        }
        for (const hash of release) {
          const key = hexToBytes(hash);
          writer.remove(held, key);
          writer.remove(senders, key);
        }
        for (const { hash, outcome } of added) {
          writer.put(
            outcomes,
            hexToBytes(hash),
            Buffer.concat([eightBytes(nextNumber()), Buffer.from(JSON.stringify(outcome))]),
          );
        }
        for (const hash of forgetOutcomes) writer.remove(outcomes, hexToBytes(hash));
      });
    },
  };
}

interface StoredRow {
  readonly number: number;
  readonly key: Uint8Array;
  readonly row: Uint8Array;
}

function inOrder(rows: readonly Row[]): StoredRow[] {
  return rows.map(([key, row]) => ({ number: numberAt(row, 0), key, row })).sort((a, b) => a.number - b.number);
}

/** Big-endian, of 8 bytes. Counts and milliseconds stay below 2^53. */
function numberAt(row: Uint8Array, at: number): number {
  let number = 0;
  for (let index = at; index < at + 8; index += 1) number = number * 256 + (row[index] ?? 0);
  return number;
}

function eightBytes(number: number): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64BE(BigInt(number));
  return bytes;
}

function readOutcome(json: Uint8Array): LocalOutcome {
  // Only `change` writes these rows.
  return JSON.parse(Buffer.from(json).toString('utf8')) as LocalOutcome;
}
