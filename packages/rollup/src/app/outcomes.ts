import { pair, raw, type Snapshot, type StateReader, type StateWriter, table, text, u64Key } from '@switchyard/machine';
import { REJECTION_CODES, type TxHash } from '@switchyard/protocol';
import { turn } from '@switchyard/service';
import { RECEIPT_BYTES, type Receipt } from './receipts.ts';
import { kept, openOutcomes, receiptRows, runEnds } from './tables.ts';

/*
 * Finds the transaction with a hash. Hashes are random, and a tree that is written at random places drags its
 * whole self into memory. So each block appends its hashes to a row of its own, the newest of them are also kept in
 * memory, and once there are enough they are written, sorted, as a run that is never changed. A look-up asks the
 * memory and then one row of each run, newest first. Runs hold 8 bytes of each hash; the block's row shows the rest.
 */

/** Reasons of a copy behind the transaction that used up the nonce: they hide no earlier outcome. */
const OF_COPIES: ReadonlySet<number> = new Set([REJECTION_CODES['nonce-too-low'], REJECTION_CODES['bad-signature']]);

/** Whether the outcome of a later copy of a transaction stands in place of an earlier one. */
function replaces(later: number, earlier: number): boolean {
  return earlier !== 0 && !OF_COPIES.has(later);
}

export interface Outcome {
  readonly block: bigint;
  /** Position among the transactions of the block, refused ones included. */
  readonly index: number;
  readonly code: number;
}

const RECEIPTS_START = 8;
const RUN_TRANSACTIONS = 32_768;

/** Receipts of a block in stored form; none if it had no transactions, or they are deleted. */
export function getReceipts(state: StateReader, block: bigint): readonly Receipt[] {
  const count = Math.max(0, (receiptRows.get(state, block)?.length ?? 0) - RECEIPTS_START) / RECEIPT_BYTES;
  const getReceipt = openReceipts(state, block);
  return Array.from({ length: count }, (_, index) => getReceipt(index) ?? []).flat();
}

/** Receipts of a block by their positions; none if they are deleted. */
export function openReceipts(state: StateReader, block: bigint): (index: number) => Receipt | undefined {
  const row = Buffer.from(receiptRows.get(state, block) ?? []);
  return (index) => {
    const at = RECEIPTS_START + index * RECEIPT_BYTES;
    // 32 bytes in lower-case hex, as the brand requires.
    return at < row.length ? { hash: row.toString('hex', at, at + 32) as TxHash, code: row[at + 32] ?? 0 } : undefined;
  };
}

/** Writes the rows of one block. Reads and writes only `state`, so that executing again writes the same. */
export function writeReceipts(
  state: StateWriter,
  block: bigint,
  encoded: Uint8Array,
  runSize = RUN_TRANSACTIONS,
): void {
  if (encoded.length === 0) return;
  const open = openOutcomes.get(state) ?? { lastBlock: 0n, transactions: 0, nextRun: 0n };
  const row = new Uint8Array(RECEIPTS_START + encoded.length);
  new DataView(row.buffer).setBigUint64(0, open.transactions === 0 ? 0n : open.lastBlock);
  row.set(encoded, RECEIPTS_START);
  receiptRows.put(state, block, row);

  const transactions = open.transactions + encoded.length / RECEIPT_BYTES;
  if (transactions < runSize) {
    openOutcomes.put(state, { lastBlock: block, transactions, nextRun: open.nextRun });
    return;
  }
  writeRun(
    state,
    open.nextRun,
    collectOpen((number) => receiptRows.get(state, number), block),
  );
  runEnds.put(state, open.nextRun, block);
  openOutcomes.put(state, { lastBlock: block, transactions: 0, nextRun: open.nextRun + 1n });
}

type ReceiptSource = (block: bigint) => Uint8Array | undefined;

/** Receipts of one block, in stored form. */
interface OpenBlock {
  readonly block: bigint;
  readonly row: Buffer;
  readonly transactions: number;
}

/** All blocks with transactions that are not in a run, oldest first. */
function collectOpen(getRow: ReceiptSource, lastBlock: bigint): OpenBlock[] {
  const found: OpenBlock[] = [];
  for (let block = lastBlock; block !== 0n; ) {
    const stored = getRow(block);
    if (stored === undefined) throw new Error(`the receipts of block ${block} are missing`);
    const row = Buffer.from(stored.buffer, stored.byteOffset, stored.length);
    found.push({ block, row, transactions: (row.length - RECEIPTS_START) / RECEIPT_BYTES });
    block = row.readBigUInt64BE();
  }
  return found.reverse();
}

/** 8 bytes hash, 5 bytes block, 3 bytes index, 1 byte code. */
const ENTRY_BYTES = 17;
const ENTRIES_PER_ROW = 512;
/** More than any run has: one block can bring a run far above its size. */
const MAX_ROWS = 100_000;
const runRows = table({ prefix: 'index/fates/', key: pair(u64Key, text), value: raw });

function writeRun(state: StateWriter, run: bigint, open: readonly OpenBlock[]): void {
  const entries = runEntries(open);
  const order = withoutCopies(entries, sortedOrder(entries));
  for (let start = 0; start < order.length; start += ENTRIES_PER_ROW) {
    const positions = order.subarray(start, start + ENTRIES_PER_ROW);
    const row = Buffer.alloc(positions.length * ENTRY_BYTES);
    positions.forEach((position, index) => {
      const at = position * ENTRY_BYTES;
      entries.copy(row, index * ENTRY_BYTES, at, at + ENTRY_BYTES);
    });
    runRows.put(state, [run, row.toString('hex', 0, 8)], row);
  }
}

/** The newest block of a run. */
export function endOfRun(snapshot: Snapshot, run: bigint): bigint {
  const end = runEnds.get(snapshot, run);
  if (end === undefined) throw new Error(`the end of run ${run} of outcomes is not stored`);
  return end;
}

/** @param snapshot Holds the run. */
export function deleteRun(state: StateWriter, snapshot: Snapshot, run: bigint): void {
  for (const [key] of rowsOfRun(snapshot, run)) runRows.delete(state, key);
  runEnds.delete(state, run);
}

function rowsOfRun(snapshot: Snapshot, run: bigint) {
  return runRows.range(snapshot, { within: `${u64Key.toKey(run)}/`, limit: MAX_ROWS });
}

/** Copies of one transaction leave one entry. */
function withoutCopies(entries: Buffer, order: Uint32Array): Uint32Array {
  let kept = 0;
  for (const position of order) {
    const previous = (order[kept - 1] ?? 0) * ENTRY_BYTES;
    const at = position * ENTRY_BYTES;
    const isCopy = kept > 0 && entries.compare(entries, previous, previous + 8, at, at + 8) === 0;
    if (isCopy && !replaces(entries[at + 16] ?? 0, entries[previous + 16] ?? 0)) continue;
    if (!isCopy) kept += 1;
    order[kept - 1] = position;
  }
  return order.subarray(0, kept);
}

/** The entries of a run in the order of their blocks. */
function runEntries(open: readonly OpenBlock[]): Buffer {
  const entries = Buffer.alloc(open.reduce((sum, { transactions }) => sum + transactions, 0) * ENTRY_BYTES);
  let at = 0;
  for (const { block, row, transactions } of open) {
    for (let index = 0; index < transactions; index += 1, at += ENTRY_BYTES) {
      const from = RECEIPTS_START + index * RECEIPT_BYTES;
      row.copy(entries, at, from, from + 8);
      entries.writeUIntBE(Number(block), at + 8, 5);
      entries.writeUIntBE(index, at + 13, 3);
      entries[at + 16] = row[from + 32] ?? 0;
    }
  }
  return entries;
}

/** Positions of the entries by hash; equal ones stay in the order of their blocks. */
function sortedOrder(entries: Buffer): Uint32Array {
  const count = entries.length / ENTRY_BYTES;
  const high = new Uint32Array(count);
  const low = new Uint32Array(count);
  const order = new Uint32Array(count);
  for (let index = 0; index < count; index += 1) {
    high[index] = entries.readUInt32BE(index * ENTRY_BYTES);
    low[index] = entries.readUInt32BE(index * ENTRY_BYTES + 4);
    order[index] = index;
  }
  return order.sort((a, b) => (high[a] ?? 0) - (high[b] ?? 0) || (low[a] ?? 0) - (low[b] ?? 0) || a - b);
}

/** How many runs are searched before yielding to other work. */
const RUNS_PER_TURN = 64;

/** Finds the outcomes of transactions in committed blocks. */
export class OutcomeIndex {
  /** The transactions that are not in a run yet. */
  #open = new Map<TxHash, Outcome>();
  #openSince: bigint | undefined;

  /** The first block of those. */
  get openSince(): bigint | undefined {
    return this.#openSince;
  }

  /** Reads the newest transactions into memory; the others stay on disk. */
  load(snapshot: Snapshot): void {
    this.#forgetOpen();
    const open = openOutcomes.get(snapshot);
    if (open === undefined || open.transactions === 0) return;
    for (const { block, row, transactions } of collectOpen(
      (number) => receiptRows.get(snapshot, number),
      open.lastBlock,
    )) {
      for (let index = 0; index < transactions; index += 1) {
        const at = RECEIPTS_START + index * RECEIPT_BYTES;
        // 32 bytes in lower-case hex, as the brand requires.
        this.#remember(row.toString('hex', at, at + 32) as TxHash, { block, index, code: row[at + 32] ?? 0 });
      }
    }
  }

  /** Call for each block in order, after it is committed. */
  committed(snapshot: Snapshot, block: bigint, receipts: readonly Receipt[]): void {
    for (const [index, { hash, code }] of receipts.entries()) this.#remember(hash, { block, index, code });
    if (openOutcomes.get(snapshot)?.transactions === 0) this.#forgetOpen();
  }

  #forgetOpen(): void {
    this.#open = new Map();
    this.#openSince = undefined;
  }

  /** Outcome of a transaction in the newest blocks, without reading the disk. */
  recent(hash: TxHash): Outcome | undefined {
    return this.#open.get(hash);
  }

  /** @param snapshot Gives the committed state; called for each run, since other work may commit in between. */
  async find(snapshot: () => Snapshot, hash: TxHash): Promise<Outcome | undefined> {
    let found = this.recent(hash);
    if (found?.code === 0) return found;
    const runs = Number(openOutcomes.get(snapshot())?.nextRun ?? 0n);
    const first = Number(kept.get(snapshot())?.run ?? 0n);
    for (let wanted = 1; wanted <= runs - first; wanted += 1) {
      const outcome = findInRun(snapshot(), BigInt(runs - wanted), hash);
      if (outcome?.code === 0) return outcome;
      if (outcome !== undefined && (found === undefined || !replaces(found.code, outcome.code))) found = outcome;
      if (wanted % RUNS_PER_TURN === 0) await turn();
    }
    return found;
  }

  #remember(hash: TxHash, outcome: Outcome): void {
    this.#openSince ??= outcome.block;
    const earlier = this.#open.get(hash);
    if (earlier === undefined || replaces(outcome.code, earlier.code)) this.#open.set(hash, outcome);
  }
}

function findInRun(snapshot: Snapshot, run: bigint, hash: TxHash): Outcome | undefined {
  // '~' sorts after all hex digits, so the row that begins with this very hash counts as before it.
  const before = [run, `${hash.slice(0, 16)}~`] as const;
  const [found] = runRows.range(snapshot, { within: `${u64Key.toKey(run)}/`, before, reverse: true, limit: 1 });
  if (found === undefined) return undefined;
  const row = Buffer.from(found[1].buffer, found[1].byteOffset, found[1].length);
  const key = Buffer.from(hash.slice(0, 16), 'hex');
  let low = 0;
  let high = row.length / ENTRY_BYTES - 1;
  while (low <= high) {
    const middle = (low + high) >>> 1;
    const at = middle * ENTRY_BYTES;
    const order = row.compare(key, 0, 8, at, at + 8);
    if (order === 0) {
      const outcome = {
        block: BigInt(row.readUIntBE(at + 8, 5)),
        index: row.readUIntBE(at + 13, 3),
        code: row.readUInt8(at + 16),
      };
      return isAt(snapshot, hash, outcome) ? outcome : undefined;
    }
    if (order < 0) low = middle + 1;
    else high = middle - 1;
  }
  return undefined;
}

/** Position of an executed transaction among those of its block; undefined if its row is not kept or has it not. */
export function executedAt(snapshot: Snapshot, block: bigint, hash: TxHash): number | undefined {
  const stored = receiptRows.get(snapshot, block);
  if (stored === undefined) return undefined;
  const row = Buffer.from(stored.buffer, stored.byteOffset, stored.length);
  const executed = Buffer.concat([Buffer.from(hash, 'hex'), Uint8Array.of(0)]);
  for (let at = RECEIPTS_START; at < row.length; at += RECEIPT_BYTES) {
    if (row.compare(executed, 0, RECEIPT_BYTES, at, at + RECEIPT_BYTES) === 0)
      return (at - RECEIPTS_START) / RECEIPT_BYTES;
  }
  return undefined;
}

/** The entry holds 8 bytes of the hash, the block's row all of it. */
function isAt(snapshot: Snapshot, hash: TxHash, { block, index }: Outcome): boolean {
  const row = receiptRows.get(snapshot, block);
  const at = RECEIPTS_START + index * RECEIPT_BYTES;
  return row !== undefined && Buffer.from(hash, 'hex').compare(row, at, at + 32) === 0;
}
