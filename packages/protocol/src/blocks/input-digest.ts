/** Digest over the inputs of rollup blocks, as a chain of hashes: the sequencer's side and the rollup's compute the same. */
import { fromHex } from '../accounts/ids.ts';
import { sha256 } from '../bytes/hash.ts';
import type { Timestamp } from '../bytes/timestamp.ts';
import { depositBytes, type RollupData } from './rollup-data.ts';

/** All that a rollup block is made from, besides its parent. */
export interface BlockInputs {
  /** In the order of the sequencer block. */
  readonly entries: readonly RollupData[];
  readonly timestamp: Timestamp;
  /** 64 hex digits. */
  readonly sequencerBlockHash: string;
}

const utf8 = new TextEncoder();
const BASE_TAG = utf8.encode('switchyard input chain 1\n');
const BLOCK_TAG = utf8.encode('switchyard block input 1\n');
const KINDS = { unknown: 0, sequencedData: 1, deposit: 2 } as const;
const ENTRY_HEADER = 5;

/**
 * Beginning of a chain of digests: at the first block, or at the first one whose inputs were recorded.
 *
 * @param parentHash Hash of the block before it, as the rollup writes it.
 */
export function baseInputDigest(parentHash: string): Uint8Array {
  return sha256(BASE_TAG, utf8.encode(parentHash));
}

/** The digest of a block, which stands for its inputs and those of all blocks before it. 32 bytes. */
export function nextInputDigest(
  previous: Uint8Array,
  { entries, timestamp, sequencerBlockHash }: BlockInputs,
): Uint8Array {
  const fixed = new Uint8Array(16);
  const view = new DataView(fixed.buffer);
  view.setBigInt64(0, timestamp.seconds);
  view.setUint32(8, timestamp.nanos);
  view.setUint32(12, entries.length);
  return sha256(BLOCK_TAG, previous, fromHex(sequencerBlockHash), fixed, encodeEntries(entries));
}

/** For each its kind, the length of its content in four bytes, and the content: no two lists have the same bytes. */
function encodeEntries(entries: readonly RollupData[]): Uint8Array {
  const bodies = entries.map(getBody);
  const bytes = new Uint8Array(bodies.reduce((sum, { length }) => sum + ENTRY_HEADER + length, 0));
  const view = new DataView(bytes.buffer);
  let at = 0;
  for (const [index, body] of bodies.entries()) {
    view.setUint8(at, KINDS[entries[index]?.kind ?? 'unknown']);
    view.setUint32(at + 1, body.length);
    bytes.set(body, at + ENTRY_HEADER);
    at += ENTRY_HEADER + body.length;
  }
  return bytes;
}

/** A deposit is encoded again, so that how it was written on the wire does not matter. */
function getBody(entry: RollupData): Uint8Array {
  if (entry.kind === 'sequencedData') return entry.data;
  return entry.kind === 'deposit' ? depositBytes(entry.deposit) : EMPTY;
}

const EMPTY = new Uint8Array(0);
