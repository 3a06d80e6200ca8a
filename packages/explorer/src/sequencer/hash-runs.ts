import { insert } from '../store/statements.ts';
import type { IndexStore, Row, Statement, Value } from '../store/store.ts';
import type { BlockFacts } from './block-facts.ts';

/*
 * Finds the submission with a hash. Hashes are random, and an index in their order writes a page of the database for
 * nearly each of them. So the newest submissions are found by reading them, and once there are enough, their hashes are
 * written in order as a run, which never changes. A row of a run holds this many entries, and is found by the first one.
 */

export const RUN_SUBMISSIONS = 16_384;
const ROW_ENTRIES = 128;
/** Digits of the hash; readers compare the rest with the submission itself. */
const KEY_DIGITS = 16;
const HEIGHT_DIGITS = 12;
const ENTRY_DIGITS = KEY_DIGITS + HEIGHT_DIGITS;

const getKey = (hash: string): string => hash.slice(0, KEY_DIGITS);
const toEntry = (hash: string, height: number): string =>
  getKey(hash) + height.toString(16).padStart(HEIGHT_DIGITS, '0');

/** @param entries In order. Entries with the same key are in one row, which is found by that key. */
export function runRows(entries: readonly string[]): { readonly first: string; readonly entries: string }[] {
  const rows: { first: string; entries: string }[] = [];
  for (let start = 0; start < entries.length; ) {
    let end = Math.min(start + ROW_ENTRIES, entries.length);
    while (end < entries.length && getKey(entries[end] ?? '') === getKey(entries[end - 1] ?? '')) end += 1;
    rows.push({ first: getKey(entries[start] ?? ''), entries: entries.slice(start, end).join('') });
    start = end;
  }
  return rows;
}

/** Heights of the entries of a row that have the key of this hash. */
export function heightsIn(row: string, hash: string): number[] {
  const key = getKey(hash);
  const keyAt = (index: number): string => row.slice(index * ENTRY_DIGITS, index * ENTRY_DIGITS + KEY_DIGITS);
  const count = row.length / ENTRY_DIGITS;
  let low = 0;
  for (let high = count; low < high; ) {
    const middle = (low + high) >>> 1;
    if (keyAt(middle) < key) low = middle + 1;
    else high = middle;
  }
  const heights: number[] = [];
  for (; low < count && keyAt(low) === key; low += 1) {
    heights.push(Number.parseInt(row.slice(low * ENTRY_DIGITS + KEY_DIGITS, (low + 1) * ENTRY_DIGITS), 16));
  }
  return heights;
}

/** SQLite keeps the order of a cross join. It would otherwise read all submissions instead of those of some blocks. */
const PLACES = `SELECT s.rollup, s.height, s.position, s.hash FROM block_rollups b CROSS JOIN submissions s
  WHERE s.rollup = b.rollup AND s.height = b.height AND b.height`;

/** Rollup, height and position of the first submissions with this hash, oldest first. */
export async function findSubmissionPlaces(store: Pick<IndexStore, 'read'>, hash: string, limit: number) {
  const runs = await store.read(
    `SELECT e.height, (SELECT r.entries FROM hash_runs r WHERE r.run = e.run AND r.first <= ? ORDER BY r.first DESC LIMIT 1)
     AS entries FROM hash_run_ends e ORDER BY e.run`,
    [getKey(hash)],
  );
  const heights = new Set(runs.flatMap(({ entries }) => (entries === null ? [] : heightsIn(String(entries), hash))));
  const found: Row[] = [];
  const look = async (condition: string, height: Value): Promise<void> => {
    const order = `ORDER BY s.height, s.rollup, s.position LIMIT ${limit - found.length}`;
    found.push(...(await store.read(`${PLACES} ${condition} AND s.hash = ? ${order}`, [height, hash])));
  };
  for (const height of [...heights].sort((a, b) => a - b)) if (found.length < limit) await look('= ?', height);
  if (found.length < limit) await look('> ?', runs.at(-1)?.height ?? 0);
  return found;
}

/** Makes the runs. Submissions that are in none yet are kept in memory, and read again after a start or a failure. */
export class HashRuns {
  readonly #store: Pick<IndexStore, 'read'>;
  readonly #runSize: number;
  #pending: string[] | undefined;
  #run = 0;

  constructor(store: Pick<IndexStore, 'read'>, runSize = RUN_SUBMISSIONS) {
    this.#store = store;
    this.#runSize = runSize;
  }

  /** To be called when a batch was not written. */
  reset(): void {
    this.#pending = undefined;
  }

  /** @returns the rows that belong into the batch that writes these blocks, the last of which is at `height`. */
  async add(blocks: readonly BlockFacts[], height: number): Promise<Statement[]> {
    const pending = this.#pending ?? (await this.#read());
    this.#pending = pending;
    for (const { height: at, submissions } of blocks)
      for (const { hash } of submissions) pending.push(toEntry(hash, at));
    if (pending.length < this.#runSize) return [];
    const run = this.#run;
    this.#run += 1;
    this.#pending = [];
    const rows = runRows(pending.sort()).map(({ first, entries }): Value[] => [run, first, entries]);
    return [
      ...insert('hash_runs', ['run', 'first', 'entries'], rows),
      ...insert('hash_run_ends', ['run', 'height'], [[run, height]]),
    ];
  }

  async #read(): Promise<string[]> {
    const [last] = await this.#store.read('SELECT run, height FROM hash_run_ends ORDER BY run DESC LIMIT 1');
    this.#run = last === undefined ? 0 : Number(last.run) + 1;
    const rows = await this.#store.read(`${PLACES} > ?`, [last?.height ?? 0]);
    return rows.map(({ hash, height }) => toEntry(String(hash), Number(height)));
  }
}
