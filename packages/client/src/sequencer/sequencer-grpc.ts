import { createClient, type Transport } from '@connectrpc/connect';
import {
  type FilteredBlock,
  filteredBlockFromWire,
  type RollupId,
  rollupIdBytes,
  type SequencerBlock,
  sequencerBlockFromWire,
  txHashFromBytes,
} from '@switchyard/protocol';
import { ownSequencer, sequencerService } from '@switchyard/protocol/gen';
import { unstalled } from '../endpoints/unstalled.ts';

/** Encoded blocks, as received: nothing is decoded or verified. */
export interface StreamedBlocks {
  /** Consecutive; none in a sign of life. */
  readonly blocks: readonly { readonly block: Uint8Array; readonly signedHeader: Uint8Array }[];
  /** The sequencer's newest height. */
  readonly latest: bigint;
}

/** Three of the server's signs of life. */
const STALLED_MS = 30_000;

/** Calls that a sequencer node offers over gRPC. */
export function sequencerGrpc(transport: Transport) {
  const wire = createClient(sequencerService.SequencerService, transport);
  const node = createClient(ownSequencer.NodeService, transport);
  const options = (signal: AbortSignal | undefined) => (signal === undefined ? {} : { signal });

  return {
    /** The next nonce of an account, counting transactions in the node's mempool. */
    async pendingNonce(address: string, signal?: AbortSignal): Promise<number> {
      return (await wire.getPendingNonce({ address: { bech32m: address } }, options(signal))).inner;
    },

    /** Not verified. @throws {Rejected} `malformed` */
    async filteredBlock(height: bigint, rollup: RollupId, signal?: AbortSignal): Promise<FilteredBlock> {
      const rollupIds = [{ inner: rollupIdBytes(rollup) }];
      return filteredBlockFromWire(await wire.getFilteredSequencerBlock({ height, rollupIds }, options(signal)));
    },

    /** Not verified. @throws {Rejected} `malformed` */
    async sequencerBlock(height: bigint, signal?: AbortSignal): Promise<SequencerBlock> {
      return sequencerBlockFromWire(await wire.getSequencerBlock({ height }, options(signal)));
    },

    /** Transactions that used nonces of an account, as of one block. */
    async nonceSpender(address: string, nonces: readonly number[], signal?: AbortSignal) {
      const request = { address: { bech32m: address }, nonces: [...nonces] };
      const { accountNonce, height, spenders } = await node.getNonceSpender(request, options(signal));
      return {
        accountNonce,
        height,
        spenders: spenders.map((each) => ({
          nonce: each.nonce,
          hash: txHashFromBytes(each.transactionHash),
          height: each.height,
        })),
      };
    },

    /**
     * Blocks filtered to one rollup from height `from` on, then each new one once committed. Ends only by an error:
     * `TimedOut` if the server gave no sign of life for 30 s, the reason of `signal` where that aborted.
     */
    async *streamFilteredBlocks(from: bigint, rollup: RollupId, signal: AbortSignal): AsyncGenerator<StreamedBlocks> {
      const request = { fromHeight: from, rollupId: { inner: rollupIdBytes(rollup) } };
      const open = (cut: AbortSignal) => node.streamFilteredBlocks(request, { signal: cut });
      for await (const { blocks, latestHeight } of unstalled(open, {
        ms: STALLED_MS,
        what: 'the stream of blocks',
        signal,
      })) {
        yield { blocks, latest: latestHeight };
      }
      throw new Error('the sequencer ended the stream of blocks');
    },
  };
}
