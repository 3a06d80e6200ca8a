/**
 * A segment of an archive: a preamble and entries, one after another, each sealed by a hash over it and the hash before. The
 * preamble has the last hash of the segment before, so that nothing can be changed, left out or put in between anywhere below.
 *
 *     4 bytes length, 4 bytes its complement, 32 bytes SHA-256(hash before, contents), contents
 *
 * A kill in the middle of a write leaves a beginning of an entry at the end, or zeros; anything else is damage.
 */
import { createHash } from 'node:crypto';
import { equalBytes } from '@switchyard/protocol';

/** The archive differs from the written one; the message has the place. */
export class ArchiveDamaged extends Error {
  override readonly name = 'ArchiveDamaged';
}

export interface Frame {
  readonly contents: Uint8Array;
  /** Its beginning. */
  readonly offset: number;
  readonly hash: Uint8Array;
}

export interface Segment {
  readonly frames: readonly Frame[];
  /** Length of the whole bytes; the rest was not written to its end. */
  readonly length: number;
}

export const NO_HASH = new Uint8Array(32);
const HEAD_BYTES = 40;
/** All shares of the largest block with their proofs, and a header of many validators. */
export const MAX_FRAME_BYTES = 64 * 1_048_576;
/** Nothing is appended to a longer one. */
export const FULL_SEGMENT_BYTES = 16 * 1_048_576;
/** A preamble, of few KB, and a single entry may take more than a full one. */
export const MAX_SEGMENT_BYTES = MAX_FRAME_BYTES + 1_048_576;

export function sealFrame(before: Uint8Array, contents: Uint8Array) {
  const hash = getHash(before, contents);
  const bytes = new Uint8Array(HEAD_BYTES + contents.length);
  const view = new DataView(bytes.buffer);
  view.setUint32(0, contents.length);
  view.setUint32(4, ~contents.length >>> 0);
  bytes.set(hash, 8);
  bytes.set(contents, HEAD_BYTES);
  return { bytes, hash };
}

/** @throws {ArchiveDamaged} for altered entries; entries not written to their end are passed over. */
export function readSegment(name: string, bytes: Uint8Array): Segment {
  const frames: Frame[] = [];
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  let offset = 0;
  let before: Uint8Array = NO_HASH;
  while (offset + HEAD_BYTES <= bytes.length) {
    const size = view.getUint32(offset);
    if (~size >>> 0 !== view.getUint32(offset + 4) || size > MAX_FRAME_BYTES) {
      if (bytes.subarray(offset).every((byte) => byte === 0)) break;
      throw new ArchiveDamaged(`${name}: byte ${offset}: no length of an entry is there`);
    }
    const end = offset + HEAD_BYTES + size;
    if (end > bytes.length) break;
    const contents = bytes.subarray(offset + HEAD_BYTES, end);
    const hash = bytes.subarray(offset + 8, offset + HEAD_BYTES);
    if (!equalBytes(getHash(before, contents), hash))
      throw new ArchiveDamaged(`${name}: byte ${offset}: the entry that begins there does not have its hash`);
    frames.push({ contents, offset, hash });
    before = hash;
    offset = end;
  }
  return { frames, length: offset };
}

function getHash(before: Uint8Array, contents: Uint8Array): Uint8Array {
  return createHash('sha256').update(before).update(contents).digest();
}
