/** Which block of the sequencer is at which height of the layer: one record for each transaction there. Pure. */
import { stored, storedRecord } from '@switchyard/protocol';
import type { Pending, Position, RelayerState } from './state.ts';

/** A transaction that the layer has, with all before it. */
export interface Posted {
  /** The first block in it, whole or in part. */
  readonly from: bigint;
  /** Position from which posting continued behind it. */
  readonly to: Position;
  readonly daHeight: bigint;
  /** When the relayer learned of it, in milliseconds since the Unix epoch. */
  readonly at: number;
}

const { u64, u32, whole } = stored;
const record = storedRecord('Posted', {
  from: [1, u64],
  height: [2, u64],
  entry: [3, u32],
  daHeight: [4, u64],
  at: [5, whole],
});

/** A block of the sequencer that the layer has, at the height with the last part of it. */
export interface PostedBlock {
  readonly height: bigint;
  readonly daHeight: bigint;
  readonly at: number;
}

/** Blocks that `settled` takes out of these transactions. */
export function newlyPosted({ next }: RelayerState, pending: readonly Pending[], at: number): readonly Posted[] {
  const posted: Posted[] = [];
  let from = next;
  for (const { to, daHeight } of pending) {
    if (daHeight === undefined) break;
    posted.push({ from: from.height, to, daHeight, at });
    from = to;
  }
  return posted;
}

/** The whole blocks of a range that are in these records, rising. @param records In the order of `to`. */
export function postedBlocks(records: Iterable<Posted>, from: bigint, to: bigint): readonly PostedBlock[] {
  const blocks: PostedBlock[] = [];
  /** Place of the block that is divided between several transactions. */
  let part: { readonly height: bigint; readonly daHeight: bigint } | undefined;
  for (const record of records) {
    if (record.from > to) break;
    // Transactions of one block may be included in another order than that of its parts.
    const atLeast = (height: bigint) =>
      part?.height === height && part.daHeight > record.daHeight ? part.daHeight : record.daHeight;
    for (let height = record.from > from ? record.from : from; height < record.to.height && height <= to; height += 1n)
      blocks.push({ height, daHeight: atLeast(height), at: record.at });
    const { height, entry } = record.to;
    part = entry === 0 ? undefined : { height, daHeight: atLeast(height) };
  }
  return blocks;
}

/** In the order of `to`. */
export const postedKey = ({ height, entry }: Position): string =>
  `posted/${height.toString(16).padStart(16, '0')}/${entry.toString(16).padStart(8, '0')}`;

export const encodePosted = ({ to, ...posted }: Posted): Uint8Array => record.encode({ ...posted, ...to });

/** @throws {Rejected} `malformed` */
export function decodePosted(bytes: Uint8Array): Posted {
  const { height, entry, ...posted } = record.decode(bytes);
  return { ...posted, to: { height, entry } };
}
