import { crc32 } from 'node:zlib';

/**
 * One height on disk: a head of fixed size, then four sections. Every part carries a checksum, so that a record that a
 * crash cut short is distinguished from a whole one, and corruption on disk is detected when the record is read.
 */
export interface BlockRecord {
  readonly height: bigint;
  /** 32 bytes: the block's hash. */
  readonly hash: Uint8Array;
  /** Encoded `tendermint.types.SignedHeader` of this height. */
  readonly signedHeader: Uint8Array;
  /** What the chain is after this block, see `chain-state.ts`. */
  readonly state: Uint8Array;
  /** Results of execution, see `results.ts`. */
  readonly results: Uint8Array;
  /** Encoded `tendermint.types.Block`. */
  readonly block: Uint8Array;
}

export type Section = Exclude<keyof BlockRecord, 'height' | 'hash'>;

const SECTIONS = ['signedHeader', 'state', 'results', 'block'] as const satisfies readonly Section[];

/** Lengths and checksums of a record's sections, in the order in which they follow the head. */
export interface Head {
  readonly height: bigint;
  readonly hash: Uint8Array;
  readonly txCount: number;
  readonly lengths: Readonly<Record<Section, number>>;
  readonly checksums: Readonly<Record<Section, number>>;
}

export const HEAD_BYTES = 84;
/** "SWBK"; the digit is the version of this layout. */
export const MAGIC = Buffer.from('SWB1');

/** The pieces of a record, to be written one after another. */
export function encodeRecord(record: BlockRecord, txCount: number): readonly [Buffer, ...Uint8Array[]] {
  const head = Buffer.alloc(HEAD_BYTES);
  MAGIC.copy(head, 0);
  head.writeBigUInt64BE(record.height, 4);
  head.writeUInt32BE(txCount, 12);
  head.set(record.hash, 16);
  SECTIONS.forEach((section, index) => {
    head.writeUInt32BE(record[section].length, 48 + 4 * index);
    head.writeUInt32BE(crc32(record[section]), 64 + 4 * index);
  });
  head.writeUInt32BE(crc32(head.subarray(0, HEAD_BYTES - 4)), HEAD_BYTES - 4);
  return [head, ...SECTIONS.map((section) => record[section])];
}

/** `undefined` where `bytes` does not start with a whole, undamaged head. */
export function decodeHead(bytes: Buffer): Head | undefined {
  if (bytes.length < HEAD_BYTES || MAGIC.compare(bytes, 0, 4) !== 0) return undefined;
  if (crc32(bytes.subarray(0, HEAD_BYTES - 4)) !== bytes.readUInt32BE(HEAD_BYTES - 4)) return undefined;
  const four = (start: number): Record<Section, number> => ({
    signedHeader: bytes.readUInt32BE(start),
    state: bytes.readUInt32BE(start + 4),
    results: bytes.readUInt32BE(start + 8),
    block: bytes.readUInt32BE(start + 12),
  });
  return {
    height: bytes.readBigUInt64BE(4),
    txCount: bytes.readUInt32BE(12),
    hash: Uint8Array.from(bytes.subarray(16, 48)),
    lengths: four(48),
    checksums: four(64),
  };
}

/** Where a section starts, counted from the start of its record. */
export function sectionOffset({ lengths }: Head, section: Section): number {
  let offset = HEAD_BYTES;
  for (const each of SECTIONS) {
    if (each === section) break;
    offset += lengths[each];
  }
  return offset;
}

export function recordLength({ lengths }: Head): number {
  return SECTIONS.reduce((sum, section) => sum + lengths[section], HEAD_BYTES);
}

export function isIntact(head: Head, section: Section, bytes: Uint8Array): boolean {
  return bytes.length === head.lengths[section] && crc32(bytes) === head.checksums[section];
}

/** Whether `bytes` holds every section of `head`, undamaged. */
export function isWhole(head: Head, bytes: Buffer): boolean {
  return SECTIONS.every((section) => isIntact(head, section, sectionOf(head, section, bytes)));
}

/** A section's part of a record's bytes, which may be too short to hold all of it. */
export function sectionOf(head: Head, section: Section, record: Buffer): Buffer {
  const start = sectionOffset(head, section);
  return record.subarray(start, start + head.lengths[section]);
}
