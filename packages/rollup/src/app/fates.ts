import { pair, raw, type Snapshot, type StateWriter, table, text, u64Key } from '@switchyard/machine';
import { fromHex, type TxHash, toHex } from '@switchyard/protocol';
import { openFates, receiptRows } from './tables.ts';

/*
 * Where is the transaction with this hash? Hashes are random, and a tree that is written at random places drags its
 * whole self into memory. So each block appends its hashes to a row of its own, the newest of them are also kept in
 * memory, and once there are enough they are written, sorted, as a run that is never changed. A look-up asks the
 * memory and then one row of each run, newest first. Runs hold 8 bytes of each hash; the block's row shows the rest.
 */

/** What became of one entry of a block. Code 0 means executed, others are those of `Rejected`. */
export interface Receipt {
  readonly hash: TxHash;
  readonly code: number;
}

export interface Fate {
  readonly block: bigint;
  /** Position among the transactions of the block, refused ones included. */
  readonly index: number;
  readonly code: number;
}

const RECEIPT_BYTES = 33;
const RECEIPTS_START = 8;
const RUN_TRANSACTIONS = 32_768;

/** Receipts as they are stored and hashed: 32 bytes hash and one byte code each. */
export function encodeReceipts(receipts: readonly Receipt[]): Uint8Array {
  const bytes = Buffer.alloc(receipts.length * RECEIPT_BYTES);
  receipts.forEach(({ hash, code }, index) => {
    bytes.write(hash, index * RECEIPT_BYTES, 'hex');
    bytes[index * RECEIPT_BYTES + 32] = code;
  });
  return bytes;
}

/** Writes the rows of one block. Reads and writes only `state`, so that executing again writes the same. */
export function writeReceipts(
  state: StateWriter,
  block: bigint,
  encoded: Uint8Array,
  runSize = RUN_TRANSACTIONS,
): void {
  if (encoded.length === 0) return;
  const open = openFates.get(state) ?? { lastBlock: 0n, transactions: 0, nextRun: 0n };
  const row = new Uint8Array(RECEIPTS_START + encoded.length);
  new DataView(row.buffer).setBigUint64(0, open.transactions === 0 ? 0n : open.lastBlock);
  row.set(encoded, RECEIPTS_START);
  receiptRows.put(state, block, row);

  const transactions = open.transactions + encoded.length / RECEIPT_BYTES;
  if (transactions < runSize) {
    openFates.put(state, { lastBlock: block, transactions, nextRun: open.nextRun });
    return;
  }
  writeRun(
    state,
    open.nextRun,
    collectOpen((number) => receiptRows.get(state, number), block),
  );
  openFates.put(state, { lastBlock: block, transactions: 0, nextRun: open.nextRun + 1n });
}

type ReceiptSource = (block: bigint) => Uint8Array | undefined;

/** The fates of all blocks that are not in a run, oldest first. */
function collectOpen(rowOf: ReceiptSource, lastBlock: bigint): { readonly hash: Uint8Array; readonly fate: Fate }[] {
  const rows: { readonly block: bigint; readonly row: Uint8Array }[] = [];
  for (let block = lastBlock; block !== 0n; ) {
    const row = rowOf(block);
    if (row === undefined) throw new Error(`the receipts of block ${block} are missing`);
    rows.push({ block, row });
    block = new DataView(row.buffer, row.byteOffset).getBigUint64(0);
  }
  return rows.reverse().flatMap(({ block, row }) => fatesOf(block, row));
}

function fatesOf(block: bigint, row: Uint8Array): { readonly hash: Uint8Array; readonly fate: Fate }[] {
  return Array.from({ length: (row.length - RECEIPTS_START) / RECEIPT_BYTES }, (_, index) => {
    const at = RECEIPTS_START + index * RECEIPT_BYTES;
    return { hash: row.subarray(at, at + 32), fate: { block, index, code: row[at + 32] ?? 0 } };
  });
}

/** 8 bytes hash, 5 bytes block, 3 bytes index, 1 byte code. */
const ENTRY_BYTES = 17;
const ENTRIES_PER_ROW = 512;
const runRows = table({ prefix: 'index/fates/', key: pair(u64Key, text), value: raw });

function writeRun(
  state: StateWriter,
  run: bigint,
  fates: readonly { readonly hash: Uint8Array; readonly fate: Fate }[],
): void {
  const sorted = fates
    .map(({ hash, fate }) => ({ key: Buffer.from(hash.buffer, hash.byteOffset, 8).readBigUInt64BE(), fate }))
    .sort((left, right) => (left.key < right.key ? -1 : left.key > right.key ? 1 : 0));
  // Copies of one transaction leave one entry: the executed one, else the last.
  const unique: typeof sorted = [];
  for (const entry of sorted) {
    const previous = unique.at(-1);
    if (previous?.key !== entry.key) unique.push(entry);
    else if (previous.fate.code !== 0) unique[unique.length - 1] = entry;
  }
  for (let start = 0; start < unique.length; start += ENTRIES_PER_ROW) {
    const entries = unique.slice(start, start + ENTRIES_PER_ROW);
    const row = Buffer.alloc(entries.length * ENTRY_BYTES);
    entries.forEach(({ key, fate }, index) => {
      const at = index * ENTRY_BYTES;
      row.writeBigUInt64BE(key, at);
      row.writeUIntBE(Number(fate.block), at + 8, 5);
      row.writeUIntBE(fate.index, at + 13, 3);
      row.writeUInt8(fate.code, at + 16);
    });
    runRows.put(state, [run, toHex(row.subarray(0, 8))], row);
  }
}

/** Finds what became of transactions, in what is committed. */
export class FateIndex {
  /** The transactions that are not in a run yet. */
  #open = new Map<TxHash, Fate>();

  /** Reads the newest transactions into memory; the others stay on disk. */
  load(snapshot: Snapshot): void {
    this.#open = new Map();
    const open = openFates.get(snapshot);
    if (open === undefined || open.transactions === 0) return;
    for (const { hash, fate } of collectOpen((block) => receiptRows.get(snapshot, block), open.lastBlock)) {
      // 32 bytes in lower-case hex, which is what the brand says.
      this.#remember(toHex(hash) as TxHash, fate);
    }
  }

  /** Call for each block in order, after it is committed. */
  committed(snapshot: Snapshot, block: bigint, receipts: readonly Receipt[]): void {
    for (const [index, { hash, code }] of receipts.entries()) this.#remember(hash, { block, index, code });
    if (openFates.get(snapshot)?.transactions === 0) this.#open = new Map();
  }

  find(snapshot: Snapshot, hash: TxHash): Fate | undefined {
    const recent = this.#open.get(hash);
    if (recent?.code === 0) return recent;
    let found = recent;
    const runs = openFates.get(snapshot)?.nextRun ?? 0n;
    for (let run = runs - 1n; run >= 0n; run -= 1n) {
      const fate = findInRun(snapshot, run, hash);
      if (fate === undefined || !isAt(snapshot, hash, fate)) continue;
      if (fate.code === 0) return fate;
      found ??= fate;
    }
    return found;
  }

  /** A copy that was refused does not hide the one that was executed. */
  #remember(hash: TxHash, fate: Fate): void {
    if (this.#open.get(hash)?.code !== 0) this.#open.set(hash, fate);
  }
}

function findInRun(snapshot: Snapshot, run: bigint, hash: TxHash): Fate | undefined {
  const short = hash.slice(0, 16);
  // '~' sorts after all hex digits, so the row that begins with this very hash counts as before it.
  const before = [run, `${short}~`] as const;
  const [found] = runRows.range(snapshot, { within: `${u64Key.toKey(run)}/`, before, reverse: true, limit: 1 });
  if (found === undefined) return undefined;
  const row = Buffer.from(found[1].buffer, found[1].byteOffset, found[1].length);
  const key = BigInt(`0x${short}`);
  let low = 0;
  let high = row.length / ENTRY_BYTES - 1;
  while (low <= high) {
    const middle = (low + high) >>> 1;
    const at = middle * ENTRY_BYTES;
    const candidate = row.readBigUInt64BE(at);
    if (candidate === key) {
      return {
        block: BigInt(row.readUIntBE(at + 8, 5)),
        index: row.readUIntBE(at + 13, 3),
        code: row.readUInt8(at + 16),
      };
    }
    if (candidate < key) low = middle + 1;
    else high = middle - 1;
  }
  return undefined;
}

function isAt(snapshot: Snapshot, hash: TxHash, { block, index }: Fate): boolean {
  const row = receiptRows.get(snapshot, block);
  const at = RECEIPTS_START + index * RECEIPT_BYTES;
  return row !== undefined && fromHex(hash).every((byte, offset) => row[at + offset] === byte);
}
