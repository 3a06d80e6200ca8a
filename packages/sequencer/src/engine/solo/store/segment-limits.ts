import type { SegmentLimits } from './segments.ts';

/** The log is kept in about so many files, each deleted as a whole: more delete sooner, fewer cost less. */
const PARTS = 16;
const MIN_SEGMENT_BYTES = 1_048_576;
const MIN_SEGMENT_HEIGHTS = 64;

/** Blocks and bytes that are retained, where that is limited. */
export interface StoreLimits {
  readonly retainBlocks?: number | undefined;
  readonly retainBytes?: number | undefined;
}

/** File sizes small enough for `prune` to delete in time. */
export function segmentLimits({ retainBlocks, retainBytes }: StoreLimits): SegmentLimits {
  return {
    ...(retainBytes !== undefined && { segmentBytes: Math.max(MIN_SEGMENT_BYTES, Math.floor(retainBytes / PARTS)) }),
    ...(retainBlocks !== undefined && {
      segmentHeights: Math.max(MIN_SEGMENT_HEIGHTS, Math.floor(retainBlocks / PARTS)),
    }),
  };
}
