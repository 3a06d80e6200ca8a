import { type Retention, retainFrom } from '@switchyard/service';
import type { Database, DbWriter, Table } from '../database/database.ts';
import { numberFromKey, numberKey } from './rows.ts';

/** Blocks that go with each commit, and for each block that comes with it, at most. */
const MAX_CONCURRENT = 64n;
const MAX_FOR_EACH = 2n;
/** Rows of old state that are looked at with each commit, and for each transaction of it. */
const ROWS_AT_ONCE = 512;
const ROWS_FOR_EACH = 8;

const LOWEST = Buffer.from('lowest');
/** Tables of old state: a block's number is at the end of their keys. */
const HISTORY_TABLES = ['account-history', 'slot-history'] as const;

export interface PruneInput {
  readonly soft: bigint;
  readonly firm: bigint;
  /** Blocks and transactions of this commit. */
  readonly moved: number;
  readonly transactions: number;
  /** Milliseconds. */
  getTime(number: bigint): number | undefined;
  /** Deletes a block except its header. */
  remove(number: bigint): void;
  /** Deletes headers from `first` up to, but not with, `next`. */
  removeHeaders(first: bigint, next: bigint): void;
}

/** Limits the kept part of the chain: deletes some blocks and some rows of old state with every commit. */
export class ChainPruning {
  readonly #retention: Retention;
  readonly #chain: Table;
  readonly #history: readonly { readonly table: Table; next: Uint8Array | undefined }[];
  /** The first block after block 0 that is kept. */
  lowest: bigint;

  constructor(database: Database, retention: Retention) {
    this.#retention = retention;
    this.#chain = database.table('chain');
    this.#history = HISTORY_TABLES.map((name) => ({ table: database.table(name), next: undefined }));
    const row = this.#chain.get(LOWEST);
    this.lowest = row === undefined ? 1n : numberFromKey(row);
  }

  /** Block 0 stays, and the firm block. */
  prune(writer: DbWriter, input: PruneInput): void {
    const { blocks, ageMs } = this.#retention;
    const { soft, firm, getTime } = input;
    const first = this.lowest;
    if (blocks !== undefined || ageMs !== undefined) {
      const most = MAX_CONCURRENT + MAX_FOR_EACH * BigInt(input.moved);
      const limit = retainFrom(this.#retention, { first, newest: soft, getTime }, most);
      const lowest = firm > 0n && firm < limit ? firm : limit;
      if (lowest > first) {
        for (let number = first; number < lowest; number += 1n) input.remove(number);
        input.removeHeaders(first, lowest);
        writer.put(this.#chain, LOWEST, numberKey(lowest));
        writer.afterCommit(() => {
          this.lowest = lowest;
        });
      }
    }
    if (first > 1n) this.#sweep(writer, first, ROWS_AT_ONCE + ROWS_FOR_EACH * input.transactions);
  }

  /**
   * Old values are ordered by account, so no block's are found together: the tables are gone through from one end to
   * the other, again and again. A row is the value before its block, so below the lowest block it answers nothing.
   */
  #sweep(writer: DbWriter, lowest: bigint, most: number): void {
    for (const history of this.#history) {
      const from = history.next === undefined ? {} : { from: history.next };
      const rows = history.table.range({ ...from, limit: most });
      for (const [key] of rows) {
        if (numberFromKey(key, key.length - 8) < lowest) writer.remove(history.table, key);
      }
      const last = rows.length < most ? undefined : rows.at(-1)?.[0];
      history.next = last;
    }
  }
}
