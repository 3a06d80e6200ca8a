import type { TxHash } from '@switchyard/protocol';

/** What the composer says of a submission. */
export type SubmissionState =
  | { readonly kind: 'queued' }
  | { readonly kind: 'bundled' }
  | { readonly kind: 'sequenced'; readonly height: bigint }
  | { readonly kind: 'refused'; readonly reason: string };

/** A composer, as a rollup needs it: one rollup, bytes in, fates out. */
export interface Collector {
  /** Resolves when all but the refused ones are on the composer's disk. Bytes it knows already are not taken twice. */
  submitBatch(data: readonly Uint8Array[], signal: AbortSignal): Promise<readonly BatchRefusal[]>;
  submission(hash: TxHash, signal: AbortSignal): Promise<SubmissionState | undefined>;
  /** Everything accepted and not yet seen in a block, in order, in pieces. */
  pending(signal: AbortSignal): AsyncIterable<readonly Uint8Array[]>;
}

export interface BatchRefusal {
  readonly index: number;
  readonly reason: string;
}

/**
 * What a failed call to the composer leaves open.
 *
 * - `unreachable`: nobody was there, so it has none of the batch.
 * - `full`, `refused`: it says itself that it has taken none of it.
 * - `unclear`: it may have all of it, because the answer is what got lost.
 */
export type CallFailure = 'unreachable' | 'full' | 'refused' | 'unclear';
