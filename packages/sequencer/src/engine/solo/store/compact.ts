import { crc32 } from 'node:zlib';
import {
  type BlockId,
  type Commit,
  type CommitSig,
  commitHash,
  decodeBlock,
  decodeSignedHeader,
  encodeBlock,
  encodeSignedHeader,
  fromHex,
  type Timestamp,
  toHex,
} from '@switchyard/protocol';
import type { BlockRecord } from './record.ts';

/*
 * The short form of a record.
 *
 * A block without transactions differs little from the one before it: in its time, two hashes, a signature
 * and the application's root. These are all that is stored of it. The rest is taken from an earlier record of the same
 * file, the base, and from the record before it, and is the same to the byte: what does not come out so is never
 * written in this form.
 */

/** What differs between a block and its base, and cannot be computed. */
export interface CompactBlock {
  readonly height: bigint;
  /** How many bytes before this record the base begins, and the record of the height before. */
  readonly baseDistance: number;
  readonly previousDistance: number;
  readonly time: Timestamp;
  readonly signedAt: Timestamp;
  readonly hash: Uint8Array;
  readonly partsHash: Uint8Array;
  readonly signature: Uint8Array;
  /** Root of the application after the block. */
  readonly appHash: Uint8Array;
}

/** What a block takes from the one before it. */
export interface Link {
  readonly commit: Commit;
  readonly appHash: Uint8Array;
}

export const COMPACT_BYTES = 208;
/** "SWC"; the digit is the version of this layout. */
const MAGIC = Buffer.from('SWC1');
/** Larger blocks hold transactions of users, and trying them would cost more than it saves. */
const MAX_BLOCK_BYTES = 4_096;

export function encodeCompact(block: CompactBlock): Buffer {
  const bytes = Buffer.alloc(COMPACT_BYTES);
  MAGIC.copy(bytes, 0);
  bytes.writeBigUInt64BE(block.height, 4);
  bytes.writeUInt32BE(block.baseDistance, 12);
  bytes.writeUInt32BE(block.previousDistance, 16);
  writeTime(bytes, 20, block.time);
  writeTime(bytes, 32, block.signedAt);
  bytes.set(block.hash, 44);
  bytes.set(block.partsHash, 76);
  bytes.set(block.appHash, 108);
  bytes.set(block.signature, 140);
  bytes.writeUInt32BE(crc32(bytes.subarray(0, COMPACT_BYTES - 4)), COMPACT_BYTES - 4);
  return bytes;
}

export function isCompact(bytes: Buffer): boolean {
  return bytes.length >= 4 && MAGIC.compare(bytes, 0, 4) === 0;
}

/** `undefined` where `bytes` does not start with a whole, undamaged record of this form. */
export function decodeCompact(bytes: Buffer): CompactBlock | undefined {
  if (bytes.length < COMPACT_BYTES || !isCompact(bytes)) return undefined;
  if (crc32(bytes.subarray(0, COMPACT_BYTES - 4)) !== bytes.readUInt32BE(COMPACT_BYTES - 4)) return undefined;
  return {
    height: bytes.readBigUInt64BE(4),
    baseDistance: bytes.readUInt32BE(12),
    previousDistance: bytes.readUInt32BE(16),
    time: readTime(bytes, 20),
    signedAt: readTime(bytes, 32),
    hash: Uint8Array.from(bytes.subarray(44, 76)),
    partsHash: Uint8Array.from(bytes.subarray(76, 108)),
    appHash: Uint8Array.from(bytes.subarray(108, 140)),
    signature: Uint8Array.from(bytes.subarray(140, 204)),
  };
}

/**
 * The short form of `record`, or `undefined` where the base and the record before it do not give all of it back.
 *
 * @param distances To the base and to the record before.
 */
export function compacted(
  record: BlockRecord,
  base: BlockRecord,
  previous: Link,
  distances: Pick<CompactBlock, 'baseDistance' | 'previousDistance'>,
): CompactBlock | undefined {
  if (record.block.length > MAX_BLOCK_BYTES || base.block.length > MAX_BLOCK_BYTES) return undefined;
  if (distances.baseDistance > 0xffff_ffff) return undefined;
  const link = linkOf(record);
  const vote = link && onlyVote(link.commit);
  if (link === undefined || vote === undefined) return undefined;
  const { header } = decodeSignedHeader(record.signedHeader);
  const lengths = [link.commit.blockId.hash, link.commit.blockId.parts.hash, link.appHash].map(({ length }) => length);
  if (lengths.some((length) => length !== 32) || vote.signature.length !== 64) return undefined;
  const block: CompactBlock = {
    height: record.height,
    ...distances,
    time: header.time,
    signedAt: vote.timestamp,
    hash: record.hash,
    partsHash: link.commit.blockId.parts.hash,
    signature: vote.signature,
    appHash: link.appHash,
  };
  const again = expanded(block, base, previous);
  return again !== undefined && isSame(again, record) ? block : undefined;
}

/** The whole record again; `undefined` where the base is none. */
export function expanded(block: CompactBlock, base: BlockRecord, previous: Link): BlockRecord | undefined {
  const model = linkOf(base);
  const commit = model && commitOf(block, model.commit);
  if (model === undefined || commit === undefined) return undefined;
  const { header: same } = decodeSignedHeader(base.signedHeader);
  const header = {
    ...same,
    height: block.height,
    time: block.time,
    lastBlockId: previous.commit.blockId,
    lastCommitHash: commitHash(previous.commit),
    appHash: previous.appHash,
  };
  const { txs } = decodeBlock(base.block);
  return {
    height: block.height,
    hash: block.hash,
    signedHeader: encodeSignedHeader({ header, commit }),
    state: replaced(base.state, toHex(model.appHash), toHex(block.appHash)),
    results: replaced(base.results, base64(model.appHash), base64(block.appHash)),
    block: encodeBlock({ header, txs, lastCommit: previous.commit }),
  };
}

/** What the block after a whole record takes from it; `undefined` where it holds something else than a block. */
export function linkOf({ signedHeader, state }: Pick<BlockRecord, 'signedHeader' | 'state'>): Link | undefined {
  try {
    const { commit } = decodeSignedHeader(signedHeader);
    const digits = /"app_hash":"([0-9a-f]{64})"/.exec(textOf(state))?.[1];
    return digits === undefined ? undefined : { commit, appHash: fromHex(digits) };
  } catch {
    return undefined;
  }
}

/** What the block after a short record takes from it. */
export function linkOfCompact(block: CompactBlock, base: BlockRecord): Link | undefined {
  const model = linkOf(base);
  const commit = model && commitOf(block, model.commit);
  return commit && { commit, appHash: block.appHash };
}

/** The commit for a block, by the validator that signed its base. */
function commitOf({ height, hash, partsHash, signedAt, signature }: CompactBlock, model: Commit): Commit | undefined {
  const vote = onlyVote(model);
  if (vote === undefined) return undefined;
  const blockId: BlockId = { hash, parts: { total: model.blockId.parts.total, hash: partsHash } };
  return { height, round: model.round, blockId, signatures: [{ ...vote, timestamp: signedAt, signature }] };
}

function onlyVote({ signatures }: Commit): Exclude<CommitSig, { readonly flag: 'absent' }> | undefined {
  const [vote] = signatures;
  return signatures.length === 1 && vote !== undefined && vote.flag !== 'absent' ? vote : undefined;
}

function isSame(left: BlockRecord, right: BlockRecord): boolean {
  const sections = ['signedHeader', 'state', 'results', 'block'] as const;
  return sections.every((section) => Buffer.compare(left[section], right[section]) === 0);
}

/** A text of the same length in place of another one. */
function replaced(bytes: Uint8Array, before: string, after: string): Uint8Array {
  const copy = Buffer.from(bytes);
  const at = copy.indexOf(before, 0, 'latin1');
  if (at >= 0) copy.write(after, at, 'latin1');
  return copy;
}

function writeTime(bytes: Buffer, at: number, { seconds, nanos }: Timestamp): void {
  bytes.writeBigInt64BE(seconds, at);
  bytes.writeUInt32BE(nanos, at + 8);
}

function readTime(bytes: Buffer, at: number): Timestamp {
  return { seconds: bytes.readBigInt64BE(at), nanos: bytes.readUInt32BE(at + 8) };
}

function textOf(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('latin1');
}

function base64(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('base64');
}
