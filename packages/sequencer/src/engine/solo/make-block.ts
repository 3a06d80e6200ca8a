import {
  accountBytes,
  type BlockId,
  type CometBlock,
  type CometHeader,
  type Commit,
  commitHash,
  compareTimestamps,
  consensusParamsHash,
  createValidator,
  encodeBlock,
  evidenceHash,
  headerHash,
  merkleRoot,
  oneMillisecondAfter,
  partSetHeader,
  resultsHash,
  type Signer,
  sha256,
  type Timestamp,
  validatorSetHash,
  voteSignBytes,
} from '@switchyard/protocol';
import type { BlockResult, LastCommit, PoolView, ValidatorUpdate } from '../../app/types.ts';
import { MAX_BLOCK_BYTES } from '../genesis-file.ts';
import type { ChainState } from './chain-state.ts';

/** CometBFT's block protocol. */
export const BLOCK_PROTOCOL = 11n;
/** Bytes that CometBFT 0.38 sets aside for the header, the commit of one validator, and the block around them. */
const BLOCK_OVERHEAD = 626 + 94 + 109 + 11;
/** Field number and length in front of each transaction. */
const TX_OVERHEAD = 5;
/** Entries that an application puts into a block on its own account. */
const INJECTED = 8;

/** A proposed block, with everything that is computed from it once. */
export interface MadeBlock {
  readonly block: CometBlock;
  readonly bytes: Uint8Array;
  readonly id: BlockId;
  readonly txHashes: readonly Uint8Array[];
}

/**
 * Block times rise by at least a millisecond, regardless of the machine's clock.
 *
 * CometBFT dates a block by the votes for the one before. Here no agreement on a time is needed, and after an idle second
 * or two that one would be old, so it is the time at which the block is made.
 */
export function nextTime(state: ChainState, now: Timestamp): Timestamp {
  const isFirst = state.commit.height === 0n;
  const earliest = isFirst ? state.time : oneMillisecondAfter(state.time);
  return compareTimestamps(now, earliest) < 0 ? earliest : now;
}

/** Bytes that the transactions of the next block may have, with room for the encoding of each that may be taken. */
export function getTxBytes(state: ChainState, pool: Pick<PoolView, 'pendingCount' | 'count' | 'bytes'>): number {
  const { maxBytes } = state.params.block;
  const whole = Number(maxBytes < 0n ? MAX_BLOCK_BYTES : maxBytes) - BLOCK_OVERHEAD;
  const average = pool.bytes / Math.max(1, pool.count);
  const taken = INJECTED + Math.min(pool.pendingCount, Math.ceil(whole / (average + TX_OVERHEAD)));
  return Math.max(0, whole - Math.min(TX_OVERHEAD * taken, Math.floor(whole / 2)));
}

export function toLastCommit(state: ChainState, address: Uint8Array): LastCommit {
  const { round, signatures } = state.commit;
  return { round, votes: signatures.map(({ flag }) => ({ address, power: state.power.last, flag })) };
}

export function makeBlock(
  state: ChainState,
  signer: Signer,
  { chainId, time, txs }: { readonly chainId: string; readonly time: Timestamp; readonly txs: readonly Uint8Array[] },
): MadeBlock {
  const txHashes = txs.map((tx) => sha256(tx));
  const { commit: lastCommit, params, power } = state;
  const header: CometHeader = {
    version: { block: BLOCK_PROTOCOL, app: params.version.app },
    chainId,
    height: state.height + 1n,
    time,
    lastBlockId: state.blockId,
    lastCommitHash: commitHash(lastCommit),
    dataHash: merkleRoot(txHashes),
    validatorsHash: validatorSetHash([createValidator(signer.publicKey, power.next)]),
    nextValidatorsHash: validatorSetHash([createValidator(signer.publicKey, power.afterNext)]),
    consensusHash: consensusParamsHash(params.block),
    appHash: state.appHash,
    lastResultsHash: state.resultsHash,
    evidenceHash: evidenceHash(),
    proposerAddress: accountBytes(signer.account),
  };
  const block: CometBlock = { header, txs, lastCommit };
  const bytes = encodeBlock(block);
  return { block, bytes, id: { hash: headerHash(header), parts: partSetHeader(bytes) }, txHashes };
}

/** The precommit of the only validator, which is enough. */
export function signCommit({ block: { header }, id }: MadeBlock, signer: Signer, now: Timestamp): Commit {
  const earliest = oneMillisecondAfter(header.time);
  const timestamp = compareTimestamps(now, earliest) < 0 ? earliest : now;
  const vote = { height: header.height, round: 0, blockId: id, timestamp };
  const signature = signer.sign(voteSignBytes(header.chainId, vote));
  const validator = accountBytes(signer.account);
  return { ...vote, signatures: [{ flag: 'commit', validator, timestamp, signature }] };
}

/**
 * The state after a block.
 *
 * @throws {Error} for changes of the validator set that leave this chain without, or not only with, our validator.
 */
export function advance(
  state: ChainState,
  { block: { header, txs }, id }: MadeBlock,
  commit: Commit,
  result: BlockResult,
  publicKey: Uint8Array,
): ChainState {
  if (result.txResults.length !== txs.length) {
    throw new Error(
      `the application gave ${result.txResults.length} results for ${txs.length} transactions: height=${header.height}`,
    );
  }
  const { next, afterNext } = state.power;
  return {
    height: header.height,
    time: header.time,
    blockId: id,
    commit,
    appHash: result.appHash,
    resultsHash: resultsHash(result.txResults),
    params: result.consensusParamUpdates ?? state.params,
    power: {
      last: next,
      next: afterNext,
      afterNext: updatedPower(afterNext, result.validatorUpdates, publicKey, header.height),
    },
  };
}

function updatedPower(
  current: bigint,
  updates: readonly ValidatorUpdate[],
  publicKey: Uint8Array,
  height: bigint,
): bigint {
  let power = current;
  for (const update of updates) {
    const isOurs = Buffer.compare(update.publicKey, publicKey) === 0;
    if (isOurs && update.power > 0n) power = update.power;
    else if (isOurs)
      throw new Error(
        `block ${height} takes the power of this node's validator, which is the only one: the solo engine cannot continue; use CometBFT to change validators`,
      );
    else if (update.power > 0n)
      throw new Error(
        `block ${height} adds validator ${Buffer.from(update.publicKey).toString('hex')}: the solo engine runs its own validator only; use CometBFT for more than one`,
      );
  }
  return power;
}
