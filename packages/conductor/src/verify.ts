import { BlockVerifier, type VerifierOptions as BlockVerifierOptions } from '@switchyard/client';
import * as protocol from '@switchyard/protocol';

/** Proven inputs of a rollup block. */
export interface VerifiedBlock {
  readonly height: bigint;
  readonly hash: protocol.BlockHash;
  readonly time: protocol.Timestamp;
  /** The rollup's own entries, encoded, in order. */
  readonly transactions: readonly Uint8Array[];
  /** Approximate size of the block in memory and in a message. */
  readonly bytes: number;
}

export interface VerifierOptions extends Omit<BlockVerifierOptions, 'checkpointSettings'> {
  readonly rollup: protocol.RollupId;
}

/** Checks blocks in order of height, each against the one before it. A block that fails leaves no trace. */
export class Verifier {
  readonly #rollup: protocol.RollupId;
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
    block: protocol.FilteredBlock,
    signed: protocol.SignedHeader,
    signal: AbortSignal,
  ): Promise<VerifiedBlock> {
    await this.#blocks.verify(height, block, signed, [this.#rollup], signal);
    return verified(block, this.#rollup);
  }
}

function verified({ hash, header, rollups }: protocol.FilteredBlock, rollup: protocol.RollupId): VerifiedBlock {
  const transactions = rollups.find((entry) => entry.rollup === rollup)?.transactions ?? [];
  // An empty block still costs its time, hash and place in the message.
  let bytes = 128;
  for (const { length } of transactions) bytes += length + 8;
  return { height: header.height, hash: protocol.blockHashFromBytes(hash), time: header.time, transactions, bytes };
}
