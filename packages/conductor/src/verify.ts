import { BlockVerifier, type VerifierOptions as BlockVerifierOptions } from '@switchyard/client';
import {
  type BlockHash,
  blockHashFromBytes,
  type FilteredBlock,
  type RollupId,
  type SignedHeader,
  type Timestamp,
} from '@switchyard/protocol';

/** Proven inputs of a rollup block. */
export interface VerifiedBlock {
  readonly height: bigint;
  readonly hash: BlockHash;
  readonly time: Timestamp;
  /** The rollup's own entries, encoded, in order. */
  readonly transactions: readonly Uint8Array[];
  /** Approximate size of the block in memory and in a message. */
  readonly bytes: number;
}

export interface VerifierOptions extends Omit<BlockVerifierOptions, 'checkpointSettings'> {
  readonly rollup: RollupId;
}

/** Checks blocks in order of height, each against the one before it. A block that fails leaves no trace. */
export class Verifier {
  readonly #rollup: RollupId;
  readonly #blocks: BlockVerifier;

  constructor({ rollup, ...options }: VerifierOptions) {
    this.#rollup = rollup;
    this.#blocks = new BlockVerifier({
      ...options,
      checkpointSettings: 'SVC_CONDUCTOR_TRUSTED_HEIGHT and _HASH',
    });
  }

  /**
   * @param height The one expected.
   * @throws {Rejected} naming the mismatch.
   */
  async verify(
    height: bigint,
    block: FilteredBlock,
    signed: SignedHeader,
    signal: AbortSignal,
  ): Promise<VerifiedBlock> {
    await this.#blocks.verify(height, block, signed, [this.#rollup], signal);
    return verified(block, this.#rollup);
  }
}

function verified({ hash, header, rollups }: FilteredBlock, rollup: RollupId): VerifiedBlock {
  const transactions = rollups.find((entry) => entry.rollup === rollup)?.transactions ?? [];
  // An empty block still costs its time, hash and place in the message.
  let bytes = 128;
  for (const { length } of transactions) bytes += length + 8;
  return { height: header.height, hash: blockHashFromBytes(hash), time: header.time, transactions, bytes };
}
