/** Execution API v2: sessions, commitments, and how sequencer heights map to rollup block numbers. */
import { create } from '@bufbuild/protobuf';
import { type RollupId, rollupIdBytes, rollupIdFromBytes } from '../accounts/ids.ts';
import type { Timestamp } from '../bytes/timestamp.ts';
import { Rejected } from '../errors.ts';
import {
  CommitmentStateSchema,
  type ExecutedBlockMetadata,
  ExecutedBlockMetadataSchema,
  type ExecutionSession,
  ExecutionSessionSchema,
  CommitLevel as WireCommitLevel,
  type CommitmentState as WireCommitmentState,
  FirmMeaning as WireFirmMeaning,
} from '../gen/astria/execution/v2/execution_pb.ts';

/** A block of the rollup. The hashes are text that only the rollup understands. */
export interface BlockMetadata {
  readonly number: bigint;
  readonly hash: string;
  readonly parentHash: string;
  readonly timestamp: Timestamp;
  /** Lower-case hex of the sequencer block it was made from; may be empty for the first block. */
  readonly sequencerBlockHash: string;
}

export interface CommitmentState {
  readonly soft: BlockMetadata;
  readonly firm: BlockMetadata;
  readonly lowestCelestiaSearchHeight: bigint;
}

export interface SessionParameters {
  readonly rollup: RollupId;
  readonly rollupStartNumber: bigint;
  /** The last block of the session; undefined if it has no end. */
  readonly rollupEndNumber: bigint | undefined;
  readonly sequencerChainId: string;
  /** The height that block `rollupStartNumber` is made from. */
  readonly sequencerStartHeight: bigint;
  readonly celestiaChainId: string;
  readonly celestiaSearchHeightMaxLookAhead: bigint;
}

/**
 * Condition for a block to be firm: that the validators signed it, nothing, or that it is on the data-availability layer; and whether
 * blocks are executed before they are firm.
 */
export type CommitLevel = 'SoftIsFirm' | 'SoftOnly' | 'SoftAndFirm' | 'FirmOnly';

/** Evidence that has made the firm blocks of a rollup firm: signatures, or that they were read back from the layer. */
export type FirmMeaning = 'signed' | 'posted';

/** Undefined for a level that makes no block firm. */
export function findFirmMeaning(level: CommitLevel): FirmMeaning | undefined {
  switch (level) {
    case 'SoftIsFirm':
      return 'signed';
    case 'SoftAndFirm':
    case 'FirmOnly':
      return 'posted';
    case 'SoftOnly':
      return undefined;
    default:
      return level satisfies never;
  }
}

/** Parses the text of a database. @throws {Error} for text that no version of ours writes. */
export function parseFirmMeaning(text: string | undefined): FirmMeaning | undefined {
  if (text === undefined || text === 'signed' || text === 'posted') return text;
  throw new Error(`the recorded firm meaning is ${JSON.stringify(text)}: expected signed or posted`);
}

export interface Session {
  readonly id: string;
  readonly parameters: SessionParameters;
  readonly commitments: CommitmentState;
  /** Undefined until a block is firm, and if the rollup does not state it. */
  readonly firmMeaning: FirmMeaning | undefined;
}

/** CometBFT keeps heights in signed 64-bit numbers. */
const MAX_HEIGHT = (1n << 63n) - 1n;

/** @throws {Rejected} `malformed` for a number before the session, or a height that cannot be. */
export function toSequencerHeight(parameters: SessionParameters, rollupNumber: bigint): bigint {
  const { rollupStartNumber, sequencerStartHeight } = parameters;
  const height = sequencerStartHeight + rollupNumber - rollupStartNumber;
  // The block just before the first one stands for the state before the session.
  if (rollupNumber + 1n < rollupStartNumber || height < 0n || height > MAX_HEIGHT) {
    throw new Rejected('malformed', { rollupNumber, rollupStartNumber, sequencerStartHeight });
  }
  return height;
}

/** @throws {Rejected} `malformed` for a height before the session. */
export function toRollupNumber(parameters: SessionParameters, sequencerHeight: bigint): bigint {
  const { rollupStartNumber, sequencerStartHeight } = parameters;
  if (sequencerHeight < sequencerStartHeight) {
    throw new Rejected('malformed', { sequencerHeight, sequencerStartHeight });
  }
  return sequencerHeight - sequencerStartHeight + rollupStartNumber;
}

/** The height of the block to execute next. */
export function nextSequencerHeight(parameters: SessionParameters, { soft }: CommitmentState): bigint {
  return toSequencerHeight(parameters, soft.number) + 1n;
}

export function blockMetadataToWire(block: BlockMetadata): ExecutedBlockMetadata {
  return create(ExecutedBlockMetadataSchema, block);
}

/** @throws {Rejected} `malformed` without a timestamp. */
export function blockMetadataFromWire(message: ExecutedBlockMetadata): BlockMetadata {
  const { number, hash, parentHash, sequencerBlockHash } = message;
  const { seconds, nanos } = present('timestamp', message.timestamp);
  return { number, hash, parentHash, timestamp: { seconds, nanos }, sequencerBlockHash };
}

export function commitmentStateToWire({
  soft,
  firm,
  lowestCelestiaSearchHeight,
}: CommitmentState): WireCommitmentState {
  return create(CommitmentStateSchema, {
    softExecutedBlockMetadata: blockMetadataToWire(soft),
    firmExecutedBlockMetadata: blockMetadataToWire(firm),
    lowestCelestiaSearchHeight,
  });
}

/** @throws {Rejected} `malformed` if a block is absent, or the firm one is ahead of the soft one. */
export function commitmentStateFromWire(message: WireCommitmentState): CommitmentState {
  const soft = blockMetadataFromWire(present('soft block', message.softExecutedBlockMetadata));
  const firm = blockMetadataFromWire(present('firm block', message.firmExecutedBlockMetadata));
  if (firm.number > soft.number) {
    throw new Rejected('malformed', { firm: firm.number, soft: soft.number, expected: 'firm not ahead of soft' });
  }
  return { soft, firm, lowestCelestiaSearchHeight: message.lowestCelestiaSearchHeight };
}

const LEVELS: Readonly<Record<CommitLevel, WireCommitLevel>> = {
  SoftIsFirm: WireCommitLevel.SOFT_IS_FIRM,
  SoftOnly: WireCommitLevel.SOFT_ONLY,
  SoftAndFirm: WireCommitLevel.SOFT_AND_FIRM,
  FirmOnly: WireCommitLevel.FIRM_ONLY,
};

export const COMMIT_LEVELS = Object.keys(LEVELS) as readonly CommitLevel[];

export const commitLevelToWire = (level: CommitLevel): WireCommitLevel => LEVELS[level];

/** @returns undefined if none is stated. @throws {Rejected} for a level that this version does not know. */
export function commitLevelFromWire(wire: WireCommitLevel): CommitLevel | undefined {
  if (wire === WireCommitLevel.UNSPECIFIED) return undefined;
  const level = COMMIT_LEVELS.find((each) => LEVELS[each] === wire);
  if (level === undefined) throw new Rejected('malformed', { field: 'commit_level', got: wire });
  return level;
}

const MEANINGS = { signed: WireFirmMeaning.SIGNED, posted: WireFirmMeaning.POSTED } as const;

export function sessionToWire({ id, parameters, commitments, firmMeaning }: Session): ExecutionSession {
  return create(ExecutionSessionSchema, {
    sessionId: id,
    executionSessionParameters: {
      rollupId: { inner: rollupIdBytes(parameters.rollup) },
      rollupStartBlockNumber: parameters.rollupStartNumber,
      rollupEndBlockNumber: parameters.rollupEndNumber ?? 0n,
      sequencerChainId: parameters.sequencerChainId,
      sequencerStartBlockHeight: parameters.sequencerStartHeight,
      celestiaChainId: parameters.celestiaChainId,
      celestiaSearchHeightMaxLookAhead: parameters.celestiaSearchHeightMaxLookAhead,
    },
    commitmentState: commitmentStateToWire(commitments),
    firmMeaning: firmMeaning === undefined ? WireFirmMeaning.UNSPECIFIED : MEANINGS[firmMeaning],
  });
}

/** @throws {Rejected} `malformed` for absent fields, or heights that do not map. */
export function sessionFromWire(message: ExecutionSession): Session {
  const wire = present('session parameters', message.executionSessionParameters);
  const parameters: SessionParameters = {
    rollup: rollupIdFromBytes(present('rollup id', wire.rollupId).inner),
    rollupStartNumber: wire.rollupStartBlockNumber,
    rollupEndNumber: wire.rollupEndBlockNumber === 0n ? undefined : wire.rollupEndBlockNumber,
    sequencerChainId: wire.sequencerChainId,
    sequencerStartHeight: wire.sequencerStartBlockHeight,
    celestiaChainId: wire.celestiaChainId,
    celestiaSearchHeightMaxLookAhead: wire.celestiaSearchHeightMaxLookAhead,
  };
  const commitments = commitmentStateFromWire(present('commitment state', message.commitmentState));
  const next = nextSequencerHeight(parameters, commitments);
  if (next < 1n) throw new Rejected('malformed', { nextHeight: next, expected: 'at least 1' });
  if (parameters.rollupEndNumber !== undefined) toSequencerHeight(parameters, parameters.rollupEndNumber);
  const firmMeaning = (['signed', 'posted'] as const).find((each) => MEANINGS[each] === message.firmMeaning);
  return { id: message.sessionId, parameters, commitments, firmMeaning };
}

function present<T>(part: string, value: T | undefined): T {
  if (value === undefined) throw new Rejected('malformed', { part, expected: 'present' });
  return value;
}
