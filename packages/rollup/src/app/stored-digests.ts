import type { StateReader } from '@switchyard/machine';
import { equalBytes, nextInputDigest } from '@switchyard/protocol';
import { getRow, type RowDigest, type ShortBlock } from './row-format.ts';

/*
 * Input digests of blocks, in their rows. The digest of a block without entries follows from the one before it and
 * from its own row; so that reading one takes few steps, each eighth row has it all the same.
 */
const SPAN = 8;

/** Digest of the inputs of the block and all below it; undefined for block 0, and for a block that is not stored. */
export function getInputDigest(state: StateReader, number: bigint): Uint8Array | undefined {
  const empty: ShortBlock[] = [];
  for (let at = number; ; at -= 1n) {
    const row = getRow(state, at);
    if (row?.digest === undefined) return undefined;
    if (row.digest instanceof Uint8Array) return empty.reduceRight(afterEmpty, row.digest);
    if (row.form === 'whole') throw new Error(`the stored block ${at} has no digest of its own`);
    empty.push(row.block);
  }
}

/** The shortest form from which the digest of a short row can be read again. */
export function shortestDigest(state: StateReader, number: bigint, block: ShortBlock, digest: Uint8Array): RowDigest {
  const before = getRow(state, number - 1n)?.digest;
  if (before === undefined) return digest;
  const distance = typeof before === 'number' ? before + 1 : 1;
  const previous = distance < SPAN ? getInputDigest(state, number - 1n) : undefined;
  return previous !== undefined && equalBytes(afterEmpty(previous, block), digest) ? distance : digest;
}

function afterEmpty(previous: Uint8Array, { sequencerBlockHash, seconds, nanos }: ShortBlock): Uint8Array {
  return nextInputDigest(previous, { entries: [], timestamp: { seconds, nanos }, sequencerBlockHash });
}
