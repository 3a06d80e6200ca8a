import type { Watch } from '@switchyard/evm-machine/interface';
import type { Address, Hash } from '@switchyard/evm-machine/types';
import { hexToBytes, putUint64 } from '@switchyard/protocol/ethereum';
import type { Database, DbWriter, Table } from '../database/database.ts';
import type { LogQuery, StoredReceipt } from './chain.ts';
import { numberFromKey } from './rows.ts';

/** Kinds of keys: an address that logged, a topic, and that anything logged at all. Behind each stands the block. */
const ADDRESS = 1;
const TOPIC = 2;
const ANY = 3;

/** Blocks that are looked up at a time: few, so that a query that ends early has read little. */
const WINDOW = 4_096n;

/**
 * In which blocks an address or a topic logged, exactly and without bloom filters: a row for each, so that a query
 * costs as much as it finds and not as much as it spans.
 */
export class LogIndex {
  readonly #rows: Table;

  constructor(database: Database) {
    this.#rows = database.table('logs');
  }

  write(writer: DbWriter, block: bigint, receipts: readonly StoredReceipt[]): void {
    for (const key of getKeys(block, receipts)) writer.put(this.#rows, key, NOTHING);
  }

  /** Removes the rows of `write` for the same block. */
  remove(writer: DbWriter, block: bigint, receipts: readonly StoredReceipt[]): void {
    for (const key of getKeys(block, receipts)) writer.remove(this.#rows, key);
  }

  /** Blocks, ascending, in which all conditions of the query are met by some logs, if not by the same. */
  *candidates({ from, to, addresses, topics }: LogQuery, watch?: Watch): Generator<bigint> {
    const conditions: Prefix[][] = [];
    if (addresses.length > 0) conditions.push(addresses.map((address) => [ADDRESS, address]));
    for (const choice of topics) if (choice.length > 0) conditions.push(choice.map((topic) => [TOPIC, topic]));
    if (conditions.length === 0) conditions.push([[ANY, undefined]]);
    let start = from;
    while (start <= to) {
      watch?.(0);
      const next = this.#first(conditions[0] ?? [], start);
      if (next === undefined || next > to) return;
      const end = next + WINDOW - 1n < to ? next + WINDOW - 1n : to;
      for (const block of this.#meeting(conditions, next, end)) {
        yield block;
        watch?.(0);
      }
      start = end + 1n;
    }
  }

  #meeting(conditions: readonly (readonly Prefix[])[], from: bigint, to: bigint): bigint[] {
    let found: Set<bigint> | undefined;
    for (const choice of conditions) {
      const blocks = new Set<bigint>();
      for (const prefix of choice) for (const block of this.#blocksOf(prefix, from, to)) blocks.add(block);
      found = found === undefined ? blocks : new Set([...found].filter((block) => blocks.has(block)));
      if (found.size === 0) return [];
    }
    return [...(found ?? [])].sort((left, right) => (left < right ? -1 : 1));
  }

  #blocksOf([kind, value]: Prefix, from: bigint, to: bigint): bigint[] {
    const rows = this.#rows.range({ from: getKey(kind, value, from), to: getKey(kind, value, to + 1n) });
    return rows.map(([key]) => numberFromKey(key, key.length - 8));
  }

  /** The first block from `start` on in which one of the prefixes logged. */
  #first(choice: readonly Prefix[], start: bigint): bigint | undefined {
    let first: bigint | undefined;
    for (const [kind, value] of choice) {
      const key = getKey(kind, value, start);
      const row = this.#rows.atOrAfter(key);
      if (row === undefined || Buffer.compare(row[0].subarray(0, -8), key.subarray(0, -8)) !== 0) continue;
      const block = numberFromKey(row[0], row[0].length - 8);
      if (first === undefined || block < first) first = block;
    }
    return first;
  }
}

function getKeys(block: bigint, receipts: readonly StoredReceipt[]): Uint8Array[] {
  const seen = new Set<Address | Hash>();
  for (const { logs } of receipts) {
    for (const { address, topics } of logs) {
      seen.add(address);
      for (const topic of topics) seen.add(topic);
    }
  }
  if (seen.size === 0) return [];
  const getKind = ({ length }: Address | Hash) => (length === ADDRESS_LENGTH ? ADDRESS : TOPIC);
  return [getKey(ANY, undefined, block), ...Array.from(seen, (each) => getKey(getKind(each), each, block))];
}

/** In hex, with `0x`. */
const ADDRESS_LENGTH = 42;

type Prefix = readonly [kind: number, value: Address | Hash | undefined];

const NOTHING = new Uint8Array();

function getKey(kind: number, value: Address | Hash | undefined, block: bigint): Uint8Array {
  const middle = value === undefined ? NOTHING : hexToBytes(value);
  const key = new Uint8Array(1 + middle.length + 8);
  key[0] = kind;
  key.set(middle, 1);
  putUint64(key, 1 + middle.length, block);
  return key;
}
