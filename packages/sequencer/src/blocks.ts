/**
 * Stored sequencer blocks.
 *
 * A block is kept as the pieces of its encoded FilteredSequencerBlock: one record with everything but the data, and
 * one record for each rollup. An answer is put together from the pieces that were requested, so data of other
 * rollups is neither read nor decoded, and each block is encoded only once.
 */

import { pair, raw, rollupId, type StateReader, type StateWriter, table, u64Key } from '@switchyard/machine';
import {
  decodeFilteredBlock,
  encodeFilteredBlock,
  type FilteredBlock,
  proofToWire,
  type RollupEntry,
  type RollupId,
  rollupIdBytes,
  type SequencerBlock,
  Writer,
} from '@switchyard/protocol';
import { deleteFrame, readFrame, writeFrame } from './block-frames.ts';
import { encodeFields } from './fields.ts';

/** Encoded RollupTransactions: the value of one field 3. */
const rollupData = table({ prefix: 'index/block/rollup/', key: pair(u64Key, rollupId), value: raw });

/** The newest blocks are pushed to everybody who follows; these many bytes of them never touch the disk again. */
const CACHE_BYTES = 8 * 1_048_576;

export interface BlockPieces {
  readonly height: bigint;
  readonly frame: Uint8Array;
  readonly rollups: ReadonlyMap<RollupId, Uint8Array>;
}

/** Takes a block apart. */
export function toPieces(block: SequencerBlock): BlockPieces {
  const frame: FilteredBlock = {
    ...block,
    rollups: [],
    allRollupIds: block.rollups.map(({ rollup }) => rollup),
  };
  return {
    height: block.header.height,
    frame: encodeFilteredBlock(frame),
    rollups: new Map(block.rollups.map((entry) => [entry.rollup, encodeRollup(entry)])),
  };
}

export function writePieces(state: StateWriter, { height, frame, rollups }: BlockPieces): void {
  writeFrame(state, height, frame, rollups.size === 0);
  // Past the codec, whose only work would be to copy megabytes.
  for (const [rollup, data] of rollups) state.put(rollupData.storeKey([height, rollup]), data);
}

/** Takes everything of a height away. */
export function deletePieces(state: StateWriter, height: bigint): void {
  const frame = readFrame(state, height);
  if (frame === undefined) return;
  for (const rollup of decodeFilteredBlock(frame).allRollupIds) rollupData.delete(state, [height, rollup]);
  deleteFrame(state, height);
}

/** Committed blocks, newest in memory. */
export class Blocks {
  readonly #committed: () => StateReader;
  readonly #cacheBytes: number;
  readonly #cached = new Map<bigint, BlockPieces>();
  #cachedBytes = 0;

  constructor(deps: { committed(): StateReader }, cacheBytes: number = CACHE_BYTES) {
    this.#committed = deps.committed;
    this.#cacheBytes = cacheBytes;
  }

  /** To be called when a block is on disk, and not before. */
  published(pieces: BlockPieces): void {
    this.#cached.set(pieces.height, pieces);
    this.#cachedBytes += computeSize(pieces);
    for (const [height, oldest] of this.#cached) {
      if (this.#cachedBytes <= this.#cacheBytes) return;
      this.#cached.delete(height);
      this.#cachedBytes -= computeSize(oldest);
    }
  }

  /** The encoded FilteredSequencerBlock with the data of these rollups, in this order, without rollups that have none. */
  filtered(height: bigint, rollups: readonly RollupId[]): Uint8Array | undefined {
    const cached = this.#cached.get(height);
    const state = cached === undefined ? this.#committed() : undefined;
    const frame = cached?.frame ?? (state && readFrame(state, height));
    if (frame === undefined) return undefined;
    const parts = [...new Set(rollups)].flatMap(
      (rollup) => cached?.rollups.get(rollup) ?? (state && rollupData.get(state, [height, rollup])) ?? [],
    );
    return assemble(frame, parts);
  }

  /** The whole block. */
  full(height: bigint): SequencerBlock | undefined {
    const frame = this.filtered(height, []);
    if (frame === undefined) return undefined;
    const all = this.filtered(height, decodeFilteredBlock(frame).allRollupIds);
    return all && decodeFilteredBlock(all);
  }
}

function encodeRollup({ rollup, transactions, proof }: RollupEntry): Uint8Array {
  const { auditPath, leafIndex, treeSize } = proofToWire(proof);
  const id = new Writer().message(1, (inner) => inner.bytes(1, rollupIdBytes(rollup))).finish();
  const path = new Writer()
    .message(3, (inner) => inner.bytes(1, auditPath).uint64(2, leafIndex).uint64(3, treeSize))
    .finish();
  return concat([id, encodeFields(2, transactions), path]);
}

function concat(parts: readonly Uint8Array[]): Uint8Array {
  const bytes = new Uint8Array(parts.reduce((size, { length }) => size + length, 0));
  let at = 0;
  for (const part of parts) {
    bytes.set(part, at);
    at += part.length;
  }
  return bytes;
}

/** Puts field 3 in the place chosen by the wire's encoders: after fields 1 and 2. */
function assemble(frame: Uint8Array, parts: readonly Uint8Array[]): Uint8Array {
  if (parts.length === 0) return frame;
  const split = endOfHeader(frame);
  return concat([frame.subarray(0, split), encodeFields(3, parts), frame.subarray(split)]);
}

/** Field 1 is a hash of 32 bytes, so the header's tag and length begin at byte 34. */
function endOfHeader(frame: Uint8Array): number {
  let at = 35;
  let length = 0;
  for (let shift = 0; ; shift += 7) {
    const byte = frame[at++];
    if (byte === undefined || shift > 21) throw new Error('stored block is damaged');
    length |= (byte & 0x7f) << shift;
    if (byte < 0x80) return at + length;
  }
}

function computeSize({ frame, rollups }: BlockPieces): number {
  let size = frame.length;
  for (const data of rollups.values()) size += data.length;
  return size;
}
