import type { Address, Hash } from '@switchyard/evm-machine/types';
import { bytesToHex, putHex } from '@switchyard/protocol/ethereum';
import type { Database, DbWriter, Table } from '../database/database.ts';
import { bytesOfNumber } from './bytes.ts';

/** Which accounts and slots some blocks changed. */
export interface Keys {
  readonly accounts: Set<Address>;
  readonly slots: Map<Address, Set<Hash>>;
  /** Accounts and slots together; those of several blocks count once. */
  count: number;
}

/**
 * Table `changed-keys`: for each of the newest blocks (key: its number) the keys that it changed, one after another:
 * `1` and an address, or `2`, an address and a slot.
 */
export class ChangedKeys {
  readonly #table: Table;

  constructor(db: Database) {
    this.#table = db.table('changed-keys');
  }

  put(
    w: DbWriter,
    number: bigint,
    accounts: ReadonlyMap<Address, unknown>,
    slots: ReadonlyMap<Address, ReadonlyMap<Hash, unknown>>,
  ): void {
    let length = accounts.size * ACCOUNT_SIZE;
    for (const changed of slots.values()) length += changed.size * SLOT_SIZE;
    const row = new Uint8Array(length);
    let at = 0;
    for (const address of accounts.keys()) {
      row[at] = ACCOUNT;
      putHex(row, at + 1, address);
      at += ACCOUNT_SIZE;
    }
    for (const [address, changed] of slots) {
      for (const slot of changed.keys()) {
        row[at] = SLOT;
        putHex(row, at + 1, address);
        putHex(row, at + 21, slot);
        at += SLOT_SIZE;
      }
    }
    w.put(this.#table, bytesOfNumber(number), row);
  }

  /**
   * Keys that changed in the blocks after `after` up to `to`.
   *
   * @returns undefined when there are more than `most`, or when they are not known any more.
   */
  between(after: bigint, to: bigint, most: number): Keys | undefined {
    const keys: Keys = { accounts: new Set(), slots: new Map(), count: 0 };
    for (let number = after + 1n; number <= to; number++) {
      const row = this.#table.get(bytesOfNumber(number));
      if (row === undefined) return undefined;
      collect(keys, row);
      if (keys.count > most) return undefined;
    }
    return keys;
  }

  /** Removes the keys of blocks up to `number`, at most `FORGET_AT_ONCE` blocks at a time. */
  forget(w: DbWriter, number: bigint): void {
    for (const [key] of this.#table.range({ to: bytesOfNumber(number + 1n), limit: FORGET_AT_ONCE })) {
      w.remove(this.#table, key);
    }
  }
}

const ACCOUNT = 1;
const SLOT = 2;
const ACCOUNT_SIZE = 21;
const SLOT_SIZE = 53;
/** A block adds one; so leftovers, if any, are soon gone too. */
const FORGET_AT_ONCE = 16;

function collect(keys: Keys, row: Uint8Array): void {
  for (let at = 0; at < row.length; ) {
    const address: Address = bytesToHex(row.subarray(at + 1, at + 21));
    if (row[at] === ACCOUNT) {
      if (!keys.accounts.has(address)) keys.count++;
      keys.accounts.add(address);
      at += ACCOUNT_SIZE;
      continue;
    }
    const slots = keys.slots.get(address) ?? new Set<Hash>();
    keys.slots.set(address, slots);
    const before = slots.size;
    slots.add(bytesToHex(row.subarray(at + 21, at + 53)));
    keys.count += slots.size - before;
    at += SLOT_SIZE;
  }
}
