import type { Refusal, SequencerPosition } from '@switchyard/client';
import type { TxHash } from '@switchyard/protocol';
import { errorLine } from '@switchyard/service';

/** The state of a submission, as the composer reports it. */
export type SubmissionState =
  | { readonly kind: 'queued' }
  | { readonly kind: 'bundled' }
  | { readonly kind: 'sequenced'; readonly height: bigint }
  | { readonly kind: 'refused'; readonly reason: string };

/** A composer, as a rollup needs it: one rollup, bytes in, outcomes out. */
export interface Collector {
  /**
   * Whether the composer recognises bytes that it has, so that sending them again is safe, and reports the outcomes of
   * them. True unless it has shown that it cannot.
   */
  readonly detectsCopies: boolean;
  /**
   * Resolves when the composer has all but the refused ones. Bytes it knows already are not taken twice, if it detects
   * copies.
   *
   * @param executedHeight Bytes that are in a block of the sequencer up to this one have been refused by the rollup, or
   * would not come again: they are taken once more.
   *
   * @throws {PartlySubmitted} if it got only the beginning of the batch.
   */
  submitBatch(data: readonly Uint8Array[], executedHeight: bigint, signal: AbortSignal): Promise<readonly Refusal[]>;
  submission(hash: TxHash, signal: AbortSignal): Promise<SubmissionState | undefined>;
  /** States of up to 1,024 submissions, in the order of their hashes. */
  submissions(hashes: readonly TxHash[], signal: AbortSignal): Promise<readonly (SubmissionState | undefined)[]>;
  /**
   * The rollup's data in sequencer blocks above this height, and everything accepted and not yet seen in a block,
   * in order, in pieces.
   */
  pending(executedHeight: bigint, signal: AbortSignal): AsyncIterable<readonly Uint8Array[]>;
  /** The sequencer's block at a height, or its latest one if it is not that far; undefined if the composer does not report it. */
  sequencerBlock(height: bigint, signal: AbortSignal): Promise<SequencerPosition | undefined>;
}

/** The first `accepted` of a batch are with the composer, `cause` is about the next one, and the others were not sent. */
export class PartlySubmitted extends Error {
  override readonly name = 'PartlySubmitted';

  constructor(
    readonly accepted: number,
    override readonly cause: unknown,
  ) {
    super(errorLine(cause), { cause });
  }
}

/**
 * Uncertainty that a failed call to the composer leaves.
 *
 * - `unreachable`: no connection was made, so it has none of the batch.
 * - `full`, `refused`: it has reported that it accepted none of it.
 * - `unclear`: it may have all of it, because the answer got lost.
 */
export type CallFailure = 'unreachable' | 'full' | 'refused' | 'unclear';
