import { fromBinary } from '@bufbuild/protobuf';
import { Code, ConnectError, type ServiceImpl } from '@connectrpc/connect';
import type { AccountId, RollupId, SequencerBlock } from '@switchyard/protocol';
import { sequencerBlockToWire } from '@switchyard/protocol';
import { type sequencerService as messages, sequencerblock } from '@switchyard/protocol/gen';
import { accountFrom, notKept, rollupFrom } from './wire.ts';

/** Parts of the node that the service needs. */
export interface SequencerServiceDeps {
  /** Height of the last committed block. */
  height(): bigint;
  /** The first block that is kept. */
  lowest(): bigint;
  readonly blocks: {
    full(height: bigint): SequencerBlock | undefined;
    filtered(height: bigint, rollups: readonly RollupId[]): Uint8Array | undefined;
  };
  /** The next nonce after what waits for a block, if anything does; else the committed one. */
  nextNonce(account: AccountId): number;
}

/** The wire's read side. No upgrade is scheduled on our chains, and before the first one validators have no names. */
export function sequencerService(deps: SequencerServiceDeps): ServiceImpl<typeof messages.SequencerService> {
  const found = <T>(height: bigint, read: (height: bigint) => T | undefined): T => {
    const latest = deps.height();
    if (height > latest)
      throw new ConnectError(`height ${height} is above the latest height ${latest}`, Code.InvalidArgument);
    const block = read(height);
    // The wire answers so for height 0 and for blocks that a node no longer has.
    if (block === undefined) {
      const lowest = deps.lowest();
      const why = height > 0n && height < lowest ? notKept(height, lowest) : `no block at height ${height}`;
      throw new ConnectError(why, Code.Internal);
    }
    return block;
  };
  return {
    getSequencerBlock: ({ height }) => sequencerBlockToWire(found(height, (at) => deps.blocks.full(at))),

    getFilteredSequencerBlock({ height, rollupIds }) {
      const rollups = rollupIds.map(rollupFrom);
      const bytes = found(height, (at) => deps.blocks.filtered(at, rollups));
      return fromBinary(sequencerblock.FilteredSequencerBlockSchema, bytes);
    },

    getPendingNonce: ({ address }) => ({ inner: deps.nextNonce(accountFrom(address)) }),

    getUpgradesInfo: () => ({}),

    getValidatorName({ address }) {
      accountFrom(address);
      throw new ConnectError('validators have no names before the first upgrade', Code.FailedPrecondition);
    },
  };
}
