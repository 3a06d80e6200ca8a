import { Code, ConnectError, type ServiceImpl } from '@connectrpc/connect';
import { nonces } from '@switchyard/machine';
import { txHashBytes } from '@switchyard/protocol';
import type { ownSequencer } from '@switchyard/protocol/gen';
import { type Clock, Places, peerOfCall, Turns } from '@switchyard/service';
import type { SequencerApplication } from '../app/application.ts';
import { nonceSpenders } from '../app/tables/spenders.ts';
import { type BlockSource, followBlocks } from './follow.ts';
import { accountFrom, invalid, rollupFrom } from './wire.ts';

export interface NodeServiceDeps {
  readonly app: Pick<SequencerApplication, 'snapshot'>;
  readonly source: BlockSource;
  readonly clock: Clock;
  /** The spenders of this many nonces of an account are kept; without a limit, if undefined. */
  readonly retainNonces: number | undefined;
}

/** Half of them for one address: a machine with this many rollups alongside its sequencer. What they leave unread is bounded by the listener. */
export const MAX_STREAMS = 512;
const MAX_NONCES = 1_000;

/** Calls of our own processes beyond the wire. */
export function nodeService({
  app,
  source,
  clock,
  retainNonces,
}: NodeServiceDeps): ServiceImpl<typeof ownSequencer.NodeService> {
  const places = new Places(MAX_STREAMS);
  const turns = new Turns();
  return {
    async *streamFilteredBlocks({ fromHeight, rollupId }, context) {
      const rollup = rollupFrom(rollupId);
      const peer = peerOfCall(context);
      const leave = places.take(peer);
      if (leave === undefined) {
        const why = `no stream of blocks is left: ${places.full(peer)}; end some, or follow another sequencer node`;
        throw new ConnectError(why, Code.ResourceExhausted);
      }
      const { signal } = context;
      try {
        // There is no block 0; who asks for it means the beginning.
        yield* followBlocks(fromHeight === 0n ? 1n : fromHeight, rollup, source, { clock, turns, signal });
      } finally {
        leave();
      }
    },

    getNonceSpender({ address, nonces: wanted }) {
      const account = accountFrom(address);
      if (wanted.length > MAX_NONCES) throw invalid(`nonces: expected at most ${MAX_NONCES}, got ${wanted.length}`);
      const state = app.snapshot();
      const accountNonce = nonces.get(state, account);
      const spenders = wanted.flatMap((nonce) => {
        const row = nonceSpenders.get(state, [account, nonce]);
        // An empty answer would mean an unknown spender.
        if (row === undefined && retainNonces !== undefined && nonce + retainNonces < accountNonce) {
          throw new ConnectError(
            `who spent nonce ${nonce} is not kept by this node, which keeps the newest ${retainNonces} of each account; ask a node that keeps more (SVC_SEQUENCER_RETAIN_NONCES=all)`,
            Code.OutOfRange,
          );
        }
        return row === undefined ? [] : [{ nonce, transactionHash: txHashBytes(row.hash), height: row.height }];
      });
      return { accountNonce, height: state.height ?? 0n, spenders };
    },
  };
}
