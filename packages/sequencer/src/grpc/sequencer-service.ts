import { fromBinary } from '@bufbuild/protobuf';
import { Code, ConnectError, type ServiceImpl } from '@connectrpc/connect';
import { nonces } from '@switchyard/machine';
import { sequencerBlockToWire } from '@switchyard/protocol';
import { type sequencerService as messages, sequencerblock } from '@switchyard/protocol/gen';
import type { SequencerApplication } from '../app/application.ts';
import { accountFrom, notKept, rollupFrom } from './wire.ts';

/** Parts of the application that the service needs. */
type App = Pick<SequencerApplication, 'info' | 'lowest' | 'blocks' | 'mempool' | 'committed'>;

/** The wire's read side. No upgrade is scheduled on our chains, and before the first one validators have no names. */
export function sequencerService(app: App): ServiceImpl<typeof messages.SequencerService> {
  const found = <T>(height: bigint, read: (height: bigint) => T | undefined): T => {
    const latest = app.info().height;
    if (height > latest)
      throw new ConnectError(`height ${height} is above the latest height ${latest}`, Code.InvalidArgument);
    const block = read(height);
    // The wire answers so for height 0 and for blocks that a node no longer has.
    if (block === undefined) {
      const { lowest } = app;
      const why = height > 0n && height < lowest ? notKept(height, lowest) : `no block at height ${height}`;
      throw new ConnectError(why, Code.Internal);
    }
    return block;
  };
  return {
    getSequencerBlock: ({ height }) => sequencerBlockToWire(found(height, (at) => app.blocks.full(at))),

    getFilteredSequencerBlock({ height, rollupIds }) {
      const rollups = rollupIds.map(rollupFrom);
      const bytes = found(height, (at) => app.blocks.filtered(at, rollups));
      return fromBinary(sequencerblock.FilteredSequencerBlockSchema, bytes);
    },

    /** The next nonce after transactions that wait for a block, if anything does; else the committed one. */
    getPendingNonce({ address }) {
      const account = accountFrom(address);
      return { inner: app.mempool.nextNonce(account) ?? nonces.get(app.committed(), account) };
    },

    getUpgradesInfo: () => ({}),

    getValidatorName({ address }) {
      accountFrom(address);
      throw new ConnectError('validators have no names before the first upgrade', Code.FailedPrecondition);
    },
  };
}
