import {
  type BlockId,
  type Commit,
  decodeSignedHeader,
  fromHex,
  merkleRoot,
  NO_BLOCK,
  NO_COMMIT,
  type Timestamp,
  toHex,
} from '@switchyard/protocol';
import type { ConsensusParams, Genesis, InitResult } from '../../app/types.ts';
import { parseConsensusParams, renderConsensusParams } from '../genesis-file.ts';
import type { BlockStore } from './store/block-store.ts';

/** The chain after a block: everything that the next one is made from. */
export interface ChainState {
  /** Height of the last block. Before the first: one less than the height of the first. */
  readonly height: bigint;
  /** Time of the last block; before the first, the genesis time. */
  readonly time: Timestamp;
  readonly blockId: BlockId;
  /** For the last block. */
  readonly commit: Commit;
  /** Root of the application after the last block. */
  readonly appHash: Uint8Array;
  readonly resultsHash: Uint8Array;
  /** In force for the next block. */
  readonly params: ConsensusParams;
  /** Voting power of our validator, the only one. An update takes effect two blocks later. */
  readonly power: { readonly last: bigint; readonly next: bigint; readonly afterNext: bigint };
}

/** Before the first block. */
export function initialState(genesis: Genesis, init: InitResult, power: bigint): ChainState {
  return {
    height: genesis.initialHeight - 1n,
    time: genesis.time,
    blockId: NO_BLOCK,
    commit: NO_COMMIT,
    appHash: init.appHash,
    resultsHash: merkleRoot([]),
    params: init.consensusParams,
    power: { last: power, next: power, afterNext: power },
  };
}

/** Encodes the part stored with each block alongside the header and commit, which are stored anyway. */
export function encodeState({ appHash, resultsHash, params, power }: ChainState): Uint8Array {
  return Buffer.from(
    JSON.stringify({
      app_hash: toHex(appHash),
      results_hash: toHex(resultsHash),
      consensus_params: renderConsensusParams(params),
      power: [power.last, power.next, power.afterNext].map(String),
    }),
  );
}

/** The state after a stored block. */
export function loadState(store: BlockStore, height: bigint): ChainState {
  const [signedHeader, stored] = [store.signedHeader(height), store.state(height)];
  if (signedHeader === undefined || stored === undefined) throw new Error(`no stored block: height=${height}`);
  const { header, commit } = decodeSignedHeader(signedHeader);
  // Written by `encodeState`, and the record's checksum proves that it is unchanged.
  const state = JSON.parse(Buffer.from(stored).toString()) as {
    app_hash: string;
    results_hash: string;
    consensus_params: unknown;
    power: [string, string, string];
  };
  const [last, next, afterNext] = state.power;
  return {
    height,
    time: header.time,
    blockId: commit.blockId,
    commit,
    appHash: fromHex(state.app_hash),
    resultsHash: fromHex(state.results_hash),
    params: parseConsensusParams(state.consensus_params),
    power: { last: BigInt(last), next: BigInt(next), afterNext: BigInt(afterNext) },
  };
}
