/**
 * A block of the local layer as it lies on disk. A row is whole, or short: the parts that a block does not share with the first one
 * and with the row before. Most blocks are empty, and theirs is a tenth of a whole one.
 */
import {
  type Commit,
  commitHash,
  decodeSignedHeader,
  encodeSignedHeader,
  equalBytes,
  Reader,
  type SignedHeader,
  type Timestamp,
  Writer,
} from '@switchyard/protocol';
import { toParts } from './make-block.ts';

export interface StoredBlock extends SignedHeader {
  /** Transactions as sent. */
  readonly txs: readonly Uint8Array[];
}

interface ShortRow {
  readonly form: 'short';
  readonly txs: readonly Uint8Array[];
  readonly hash: Uint8Array;
  readonly time: Timestamp;
  readonly appHash: Uint8Array;
  readonly signature: Uint8Array;
  /** Absent if it is that of the first block. */
  readonly dataHash: Uint8Array | undefined;
}

export type BlockRow = { readonly form: 'whole'; readonly block: StoredBlock } | ShortRow;

interface Neighbours {
  readonly first: StoredBlock;
  /** The row of the height before. */
  readonly before: BlockRow;
}

const [WHOLE, TX, SHORT] = [1, 2, 3];
const HASH_BYTES = 32;
const SIGNATURE_BYTES = 64;
/** Hash, seconds, nanoseconds, hash of the accounts, signature; the hash of the data may follow. */
const SHORT_BYTES = HASH_BYTES + 8 + 4 + HASH_BYTES + SIGNATURE_BYTES;

export function encodeWhole({ txs, ...signed }: StoredBlock): Uint8Array {
  return encode(WHOLE, encodeSignedHeader(signed), txs);
}

/** Undefined if the block could not be restored from it, byte for byte. */
export function shortRow(block: StoredBlock, neighbours: Neighbours): Uint8Array | undefined {
  const { header, commit, txs } = block;
  const [vote] = commit.signatures;
  if (vote === undefined || vote.flag === 'absent') return undefined;
  const hasSameData = equalBytes(header.dataHash, neighbours.first.header.dataHash);
  const row: ShortRow = {
    ...{ form: 'short', txs, hash: commit.blockId.hash, time: header.time, appHash: header.appHash },
    ...{ signature: vote.signature, dataHash: hasSameData ? undefined : header.dataHash },
  };
  const again = encodeSignedHeader(restored(row, header.height, neighbours));
  return equalBytes(again, encodeSignedHeader(block)) ? encode(SHORT, encodeShort(row), txs) : undefined;
}

export function decodeRow(bytes: Uint8Array): BlockRow {
  const reader = new Reader(bytes, 'block');
  const txs: Uint8Array[] = [];
  let form = WHOLE;
  let head: Uint8Array = new Uint8Array();
  while (reader.next()) {
    if (reader.field === TX) txs.push(reader.bytes());
    else [form, head] = [reader.field, reader.bytes()];
  }
  return form === SHORT ? decodeShort(head, txs) : { form: 'whole', block: { ...decodeSignedHeader(head), txs } };
}

export function restored(row: ShortRow, height: bigint, { first, before }: Neighbours): StoredBlock {
  const last = before.form === 'whole' ? before.block.commit : toCommit(before, height - 1n, first);
  const header = {
    ...first.header,
    ...{ height, time: row.time, appHash: row.appHash, dataHash: row.dataHash ?? first.header.dataHash },
    ...{ lastBlockId: last.blockId, lastCommitHash: commitHash(last) },
  };
  return { header, commit: toCommit(row, height, first), txs: row.txs };
}

/** One validator signs all blocks. */
function toCommit({ hash, time, signature, txs }: ShortRow, height: bigint, { commit }: StoredBlock): Commit {
  const signatures = commit.signatures.map((vote) => ({ ...vote, timestamp: time, signature }));
  return { height, round: 0, blockId: { hash, parts: toParts(txs) }, signatures };
}

function encode(field: number, head: Uint8Array, txs: readonly Uint8Array[]): Uint8Array {
  const writer = new Writer(txs.reduce((sum, { length }) => sum + length + 6, head.length + 8));
  writer.bytesAlways(field, head);
  for (const tx of txs) writer.bytesAlways(TX, tx);
  return writer.finish();
}

function encodeShort({ hash, time, appHash, signature, dataHash = new Uint8Array() }: ShortRow): Uint8Array {
  const clock = Buffer.alloc(12);
  clock.writeBigInt64BE(time.seconds);
  clock.writeUInt32BE(time.nanos, 8);
  return Buffer.concat([hash, clock, appHash, signature, dataHash]);
}

function decodeShort(head: Uint8Array, txs: readonly Uint8Array[]): ShortRow {
  const view = new DataView(head.buffer, head.byteOffset, head.length);
  return {
    form: 'short',
    txs,
    hash: head.subarray(0, 32),
    time: { seconds: view.getBigInt64(32), nanos: view.getUint32(40) },
    appHash: head.subarray(44, 76),
    signature: head.subarray(76, SHORT_BYTES),
    dataHash: head.length > SHORT_BYTES ? head.subarray(SHORT_BYTES) : undefined,
  };
}
