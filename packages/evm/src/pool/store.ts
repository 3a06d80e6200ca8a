import type { Database } from '../database.ts';
import { bytesOf, hexOf } from '../hex.ts';
import type { HeldRecord, LocalOutcome, OutcomeRecord, PoolStore } from './deps.ts';

/** Rows begin with a number that counts up, because their keys are hashes and come back in no order. */
const NUMBER_BYTES = 8;
const TIME_BYTES = 8;

/**
 * The pool's rows in the node's database, whatever the back end.
 *
 * Table `pool-held`: hash of a transaction -> number, time in milliseconds (8 bytes each, big-endian), its bytes.
 * Table `pool-fates`: hash -> number, then a {@link LocalOutcome} as JSON.
 */
export function openPoolStore(database: Database): PoolStore {
  const held = database.table('pool-held');
  const outcomes = database.table('pool-fates');
  let next = 1n + [...held.range(), ...outcomes.range()].reduce((last, [, row]) => larger(last, numberOf(row)), 0n);

  return {
    held: () =>
      inOrder(held.range()).map(([key, row]): HeldRecord => {
        const receivedAt = Number(viewOf(row).getBigUint64(NUMBER_BYTES));
        return { hash: hexOf(key), receivedAt, raw: row.subarray(NUMBER_BYTES + TIME_BYTES) };
      }),

    outcomes: () =>
      inOrder(outcomes.range()).map(([key, row]): OutcomeRecord => {
        return { hash: hexOf(key), outcome: readOutcome(row.subarray(NUMBER_BYTES)) };
      }),

    change({ hold = [], release = [], outcomes: added = [], forgetOutcomes = [] }) {
      database.write((writer) => {
        for (const { hash, raw, receivedAt } of hold) {
          const row = Buffer.alloc(NUMBER_BYTES + TIME_BYTES + raw.length);
          row.writeBigUInt64BE(next);
          row.writeBigUInt64BE(BigInt(receivedAt), NUMBER_BYTES);
          row.set(raw, NUMBER_BYTES + TIME_BYTES);
          writer.put(held, bytesOf(hash), row);
          next += 1n;
        }
        for (const hash of release) writer.remove(held, bytesOf(hash));
        for (const { hash, outcome } of added) {
          const number = Buffer.alloc(NUMBER_BYTES);
          number.writeBigUInt64BE(next);
          writer.put(outcomes, bytesOf(hash), Buffer.concat([number, Buffer.from(JSON.stringify(outcome))]));
          next += 1n;
        }
        for (const hash of forgetOutcomes) writer.remove(outcomes, bytesOf(hash));
      });
    },
  };
}

type StoredRow = readonly [Uint8Array, Uint8Array];

function inOrder(rows: readonly StoredRow[]): StoredRow[] {
  return [...rows].sort(([, a], [, b]) => (numberOf(a) < numberOf(b) ? -1 : 1));
}

function numberOf(row: Uint8Array): bigint {
  return viewOf(row).getBigUint64(0);
}

function viewOf({ buffer, byteOffset, byteLength }: Uint8Array): DataView {
  return new DataView(buffer, byteOffset, byteLength);
}

function readOutcome(json: Uint8Array): LocalOutcome {
  // Only `change` writes these rows.
  return JSON.parse(Buffer.from(json).toString('utf8')) as LocalOutcome;
}

function larger(a: bigint, b: bigint): bigint {
  return a > b ? a : b;
}
