/** CometBFT's messages and our plain types, one into the other. */

import type { MessageInitShape } from '@bufbuild/protobuf';
import type { Timestamp } from '@switchyard/protocol';
import { abci, comet } from '@switchyard/protocol/gen';
import type * as app from '../../app/types.ts';
import { BadFrame } from './frames.ts';

const NANOS_PER_SECOND = 1_000_000_000n;

export function genesisFromWire(request: abci.RequestInitChain): app.Genesis {
  return {
    chainId: request.chainId,
    time: timeFromWire(request.time),
    initialHeight: request.initialHeight === 0n ? 1n : request.initialHeight,
    consensusParams: paramsFromWire(request.consensusParams),
    validators: request.validators.map(validatorFromWire),
    appState: Uint8Array.from(request.appStateBytes),
  };
}

export function proposalInputFromWire(request: abci.RequestPrepareProposal): app.ProposalInput {
  return {
    height: request.height,
    time: timeFromWire(request.time),
    proposer: request.proposerAddress,
    maxTxBytes: Number(request.maxTxBytes),
    misbehavior: request.misbehavior.map(misbehaviorFromWire),
    lastCommit: lastCommitFromWire(request.localLastCommit),
  };
}

export function proposalFromWire(
  request: Pick<
    abci.RequestProcessProposal,
    'height' | 'time' | 'proposerAddress' | 'txs' | 'misbehavior' | 'proposedLastCommit'
  >,
): app.Proposal {
  return {
    height: request.height,
    time: timeFromWire(request.time),
    proposer: request.proposerAddress,
    txs: request.txs,
    misbehavior: request.misbehavior.map(misbehaviorFromWire),
    lastCommit: lastCommitFromWire(request.proposedLastCommit),
  };
}

export function validatorsToWire(
  updates: readonly app.ValidatorUpdate[],
): MessageInitShape<typeof abci.ValidatorUpdateSchema>[] {
  return updates.map(({ publicKey, power }) => ({ pubKey: { sum: { case: 'ed25519', value: publicKey } }, power }));
}

export function paramsToWire(params: app.ConsensusParams): MessageInitShape<typeof comet.ConsensusParamsSchema> {
  const { evidence, validator } = params;
  return {
    ...params,
    evidence: {
      ...evidence,
      maxAgeDuration: {
        seconds: evidence.maxAgeDuration / NANOS_PER_SECOND,
        nanos: Number(evidence.maxAgeDuration % NANOS_PER_SECOND),
      },
    },
    validator: { pubKeyTypes: [...validator.pubKeyTypes] },
  };
}

/** All but the events and the results of transactions, which are written by hand. */
export function restToWire(result: app.BlockResult): MessageInitShape<typeof abci.ResponseFinalizeBlockSchema> {
  const { consensusParamUpdates } = result;
  return {
    validatorUpdates: validatorsToWire(result.validatorUpdates),
    appHash: result.appHash,
    ...(consensusParamUpdates !== undefined && { consensusParamUpdates: paramsToWire(consensusParamUpdates) }),
  };
}

function timeFromWire(time: { readonly seconds: bigint; readonly nanos: number } | undefined): Timestamp {
  return { seconds: time?.seconds ?? 0n, nanos: time?.nanos ?? 0 };
}

function validatorFromWire({ pubKey, power }: abci.ValidatorUpdate): app.ValidatorUpdate {
  const sum = pubKey?.sum;
  if (sum?.case !== 'ed25519' || sum.value.length !== 32) {
    throw new BadFrame(`genesis has a validator key of type ${sum?.case ?? 'unknown'}, expected ed25519`);
  }
  return { publicKey: Uint8Array.from(sum.value), power };
}

function misbehaviorFromWire({ type, validator, height, time, totalVotingPower }: abci.Misbehavior): app.Misbehavior {
  return {
    kind: type === abci.MisbehaviorType.LIGHT_CLIENT_ATTACK ? 'light-client-attack' : 'duplicate-vote',
    address: validator?.address ?? new Uint8Array(),
    power: validator?.power ?? 0n,
    height,
    time: timeFromWire(time),
    totalPower: totalVotingPower,
  };
}

function lastCommitFromWire(commit: abci.CommitInfo | abci.ExtendedCommitInfo | undefined): app.LastCommit {
  // The two lists differ in fields that are not read here.
  const votes: readonly Pick<abci.VoteInfo, 'validator' | 'blockIdFlag'>[] = commit?.votes ?? [];
  return {
    round: commit?.round ?? 0,
    votes: votes.map(({ validator, blockIdFlag }) => ({
      address: validator?.address ?? new Uint8Array(),
      power: validator?.power ?? 0n,
      flag: flagFromWire(blockIdFlag),
    })),
  };
}

function flagFromWire(flag: comet.BlockIDFlag): app.LastCommit['votes'][number]['flag'] {
  if (flag === comet.BlockIDFlag.BLOCK_ID_FLAG_COMMIT) return 'commit';
  return flag === comet.BlockIDFlag.BLOCK_ID_FLAG_NIL ? 'nil' : 'absent';
}

function paramsFromWire(params: comet.ConsensusParams | undefined): app.ConsensusParams {
  const age = params?.evidence?.maxAgeDuration;
  return {
    block: { maxBytes: params?.block?.maxBytes ?? 0n, maxGas: params?.block?.maxGas ?? 0n },
    evidence: {
      maxAgeNumBlocks: params?.evidence?.maxAgeNumBlocks ?? 0n,
      maxAgeDuration: (age?.seconds ?? 0n) * NANOS_PER_SECOND + BigInt(age?.nanos ?? 0),
      maxBytes: params?.evidence?.maxBytes ?? 0n,
    },
    validator: { pubKeyTypes: params?.validator?.pubKeyTypes ?? [] },
    version: { app: params?.version?.app ?? 0n },
    abci: { voteExtensionsEnableHeight: params?.abci?.voteExtensionsEnableHeight ?? 0n },
  };
}
