import { accountBytes, encodeSignedHeader, type Signer, type Timestamp } from '@switchyard/protocol';
import type { Application, BlockResult, DecidedBlock, PoolView } from '../../app/types.ts';
import { type ChainState, encodeState } from './chain-state.ts';
import { advance, getTxBytes, type MadeBlock, makeBlock, nextTime, signCommit, toLastCommit } from './make-block.ts';
import type { BlockStore } from './store/block-store.ts';
import { encodeResults } from './store/results.ts';

export interface ProduceInput {
  readonly app: Application;
  readonly store: BlockStore;
  readonly signer: Signer;
  readonly pool: PoolView;
  readonly chainId: string;
  now(): Timestamp;
}

export interface Produced {
  readonly made: MadeBlock;
  /** Results in the encoding of `encodeResults`. */
  readonly results: Uint8Array;
  readonly state: ChainState;
  /** Blocks below this height may be deleted; 0 for none. */
  readonly retainHeight: bigint;
}

/**
 * Makes the next block, in CometBFT's order of calls. The block is on disk before the application commits it, and
 * after this resolves it may be published: a crash in between is repaired by replaying it.
 */
export async function produce(input: ProduceInput, state: ChainState): Promise<Produced> {
  const { app, store, signer, pool } = input;
  const height = state.height + 1n;
  const address = accountBytes(signer.account);
  const context = {
    height,
    time: nextTime(state, input.now()),
    proposer: address,
    misbehavior: [],
    lastCommit: toLastCommit(state, address),
  };
  const maxTxBytes = getTxBytes(state, pool);
  const txs = app.prepareProposal({ ...context, maxTxBytes });
  const length = txs.reduce((sum, tx) => sum + tx.length, 0);
  if (length > maxTxBytes) {
    throw new Error(
      `the application proposed a block that is too large: height=${height} bytes=${length} limit=${maxTxBytes}`,
    );
  }

  const made = makeBlock(state, signer, { chainId: input.chainId, time: context.time, txs });
  if (app.processProposal({ ...context, txs }) !== 'accept') {
    throw new Error(`the application rejects the block that it proposed: height=${height}`);
  }
  const decided: DecidedBlock = { ...context, txs, hash: made.id.hash };
  const result: BlockResult = app.finalizeBlock(decided);
  const commit = signCommit(made, signer, input.now());
  const after = advance(state, made, commit, result, signer.publicKey);
  const results = encodeResults(result);
  const record = {
    height,
    hash: made.id.hash,
    signedHeader: encodeSignedHeader({ header: made.block.header, commit }),
    state: encodeState(after),
    results,
    block: made.bytes,
  };
  await store.append([{ record, txHashes: made.txHashes }]);
  const { retainHeight } = await app.commit();
  return { made, results, state: after, retainHeight };
}
