import { Code, ConnectError, type ConnectRouter, type ServiceImpl } from '@connectrpc/connect';
import {
  type BlockMetadata,
  blockMetadataFromWire,
  blockMetadataToWire,
  type CommitLevel,
  type CommitmentState,
  commitLevelFromWire,
  commitmentStateToWire,
  decodeRollupData,
  depositFromWire,
  Rejected,
  sessionToWire,
} from '@switchyard/protocol';
import { execution2, ownExecution, type sequencerblock } from '@switchyard/protocol/gen';
import { getCaller } from '@switchyard/service';
import type { BlockEntry, BlockInput } from './executor.ts';
import type { ExecutionHost } from './host.ts';

const MAX_DIGESTS = 4_096n;

/** The services a conductor calls, for `serveGrpc`. */
export function executionServices(host: ExecutionHost) {
  return {
    services: [execution2.ExecutionService, ownExecution.BatchExecutionService],
    routes(router: ConnectRouter): void {
      router.service(execution2.ExecutionService, executionService(host));
      router.service(ownExecution.BatchExecutionService, batchExecutionService(host));
    },
  };
}

function executionService(host: ExecutionHost): ServiceImpl<typeof execution2.ExecutionService> {
  return {
    async createExecutionSession({ commitLevel }, context) {
      return sessionToWire(await host.createSession(getCaller(context), levelFromWire(commitLevel)));
    },

    async getExecutedBlockMetadata({ identifier }, context) {
      const wanted = identifier?.identifier;
      if (wanted?.case === undefined) throw new ConnectError('identifier is missing', Code.InvalidArgument);
      const query = wanted.case === 'number' ? { number: wanted.value } : { hash: wanted.value };
      return blockMetadataToWire(await host.block(query, getCaller(context)));
    },

    async executeBlock({ sessionId, parentHash, transactions, timestamp, sequencerBlockHash }, context) {
      const entries = transactions.map(entryFromWire);
      const input = inputFromWire({ entries, timestamp, sequencerBlockHash });
      const executed = await host.execute(sessionId, parentHash, input, getCaller(context));
      return { executedBlockMetadata: blockMetadataToWire(executed) };
    },

    async updateCommitmentState({ sessionId, commitmentState }, context) {
      if (commitmentState === undefined) throw new ConnectError('commitment_state is missing', Code.InvalidArgument);
      const requested = requestedFromWire(commitmentState);
      return commitmentStateToWire(await host.update(sessionId, requested, getCaller(context)));
    },
  };
}

function batchExecutionService(host: ExecutionHost): ServiceImpl<typeof ownExecution.BatchExecutionService> {
  return {
    async executeBlocks({ sessionId, parentHash, blocks, commitFirm }, context) {
      const inputs = blocks.map(({ transactions, timestamp, sequencerBlockHash }) =>
        inputFromWire({ entries: transactions.map(decodeEntry), timestamp, sequencerBlockHash }),
      );
      const options = { firm: commitFirm };
      const executed = await host.executeBatch(sessionId, parentHash, inputs, options, getCaller(context));
      return {
        blocks: executed.blocks.map(blockMetadataToWire),
        commitmentState: commitmentStateToWire(executed.commitments),
        inputDigest: executed.inputDigest ?? new Uint8Array(0),
      };
    },

    async getInputDigests({ from, to }, context) {
      if (to < from || to - from >= MAX_DIGESTS) {
        throw new ConnectError(`from ${from} to ${to}: expected at most ${MAX_DIGESTS} blocks`, Code.InvalidArgument);
      }
      const digests = await host.inputDigests(from, to, getCaller(context));
      return { digests: digests.map(({ number, hash, digest }) => ({ number, blockHash: hash, digest })) };
    },
  };
}

/** Refuses an unknown level: under another one than it means, a chain would get firm blocks of two kinds. */
function levelFromWire(wire: execution2.CommitLevel): CommitLevel | undefined {
  try {
    return commitLevelFromWire(wire);
  } catch (error) {
    if (!(error instanceof Rejected)) throw error;
    throw new ConnectError(`commit_level ${wire} is not known to this version of the rollup`, Code.InvalidArgument);
  }
}

interface WireInput {
  readonly entries: readonly BlockEntry[];
  readonly timestamp: { readonly seconds: bigint; readonly nanos: number } | undefined;
  readonly sequencerBlockHash: string;
}

/** The parts that are needed must be there; the content of entries is not validated. */
function inputFromWire({ entries, timestamp, sequencerBlockHash }: WireInput): BlockInput {
  if (timestamp === undefined) throw new ConnectError('timestamp is missing', Code.InvalidArgument);
  const { seconds, nanos } = timestamp;
  if (seconds < 0n || nanos < 0 || nanos > 999_999_999) {
    throw new ConnectError(`timestamp ${seconds} s ${nanos} ns is not a time since 1970`, Code.InvalidArgument);
  }
  if (!/^[0-9a-f]{64}$/.test(sequencerBlockHash)) {
    const got = sequencerBlockHash === '' ? 'nothing' : sequencerBlockHash.slice(0, 100);
    throw new ConnectError(`sequencer_block_hash: expected 64 lower-case hex digits, got ${got}`, Code.InvalidArgument);
  }
  return { entries, timestamp: { seconds, nanos }, sequencerBlockHash };
}

function entryFromWire({ value }: sequencerblock.RollupData): BlockEntry {
  switch (value.case) {
    case 'sequencedData':
      return { kind: 'sequencedData', data: value.value };
    case 'deposit': {
      const message = value.value;
      return orUnknown(() => ({ kind: 'deposit', deposit: depositFromWire(message) }));
    }
    default:
      return { kind: 'unknown' };
  }
}

function decodeEntry(bytes: Uint8Array): BlockEntry {
  return orUnknown(() => decodeRollupData(bytes));
}

/** Entries that do not decode are passed over, the same on every node. */
function orUnknown(decode: () => BlockEntry): BlockEntry {
  try {
    return decode();
  } catch (error) {
    if (error instanceof Rejected) return { kind: 'unknown' };
    throw error;
  }
}

function requestedFromWire(message: execution2.CommitmentState): CommitmentState {
  const block = (which: string, wire: execution2.ExecutedBlockMetadata | undefined): BlockMetadata => {
    if (wire === undefined) throw new ConnectError(`${which} block is missing`, Code.InvalidArgument);
    return blockMetadataFromWire(wire);
  };
  return {
    soft: block('soft', message.softExecutedBlockMetadata),
    firm: block('firm', message.firmExecutedBlockMetadata),
    lowestCelestiaSearchHeight: message.lowestCelestiaSearchHeight,
  };
}
