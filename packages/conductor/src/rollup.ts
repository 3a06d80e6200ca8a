/** The Execution API of a rollup, with deadlines, retries and the contract that its answers must keep. */
import { create, fromBinary } from '@bufbuild/protobuf';
import { Code, ConnectError, createClient, type Transport } from '@connectrpc/connect';
import {
  type BlockMetadata,
  blockMetadataFromWire,
  type CommitLevel,
  type CommitmentState,
  commitLevelToWire,
  commitmentStateFromWire,
  commitmentStateToWire,
  type Session,
  sessionFromWire,
} from '@switchyard/protocol';
import { execution2, ownExecution, sequencerblock } from '@switchyard/protocol/gen';
import { type Clock, isTransportFailure, retry, sleep } from '@switchyard/service';
import type { Contact } from './contact.ts';
import { PEER_BACKOFF, verdictOf } from './plan.ts';
import type { VerifiedBlock } from './verify.ts';

/** Digest of all inputs of a block of the rollup and the blocks below it, as the rollup has recorded it. */
export interface KeptDigest {
  readonly number: bigint;
  readonly hash: string;
  readonly digest: Uint8Array;
}

export interface Executed {
  /** The commitments that the rollup reports now. */
  readonly commitments: CommitmentState;
  /** Digest of the last block's inputs; undefined if the rollup keeps none. */
  readonly inputDigest: Uint8Array | undefined;
}

/** The rollup does not know our session any more, or our blocks in it: it was restarted, or another conductor took over. */
export class SessionEnded extends Error {
  override readonly name = 'SessionEnded';
}

export interface RollupDeps {
  readonly transport: Transport;
  readonly contact: Contact;
  readonly clock: Clock;
  readonly random: () => number;
}

export type Rollup = ReturnType<typeof createRollup>;

const QUESTION_MS = 10_000;
const DIGESTS_BATCH_SIZE = 1_024n;
const UNAUTHENTICATED_PAUSE_MS = 10_000;
const EXECUTION_MS = 60_000;

export function createRollup({ transport, contact, clock, random }: RollupDeps) {
  const single = createClient(execution2.ExecutionService, transport);
  const batches = createClient(ownExecution.BatchExecutionService, transport);
  let canBatch = true;

  /** Repeats a call for as long as that makes sense. A secret may be put right while this waits. */
  async function call<T>(signal: AbortSignal, work: () => Promise<T>): Promise<T> {
    for (;;) {
      try {
        return await attempt(signal, work);
      } catch (error) {
        if (!(error instanceof ConnectError && error.code === Code.Unauthenticated)) throw error;
        contact.unauthenticated(error);
        await sleep(UNAUTHENTICATED_PAUSE_MS, signal, clock);
      }
    }
  }

  async function attempt<T>(signal: AbortSignal, work: () => Promise<T>): Promise<T> {
    const again = (error: unknown) =>
      isTransportFailure(error) ||
      (!(error instanceof SessionEnded) && verdictOf(ConnectError.from(error).code) === 'again');
    try {
      const answer = await retry(work, {
        ...PEER_BACKOFF,
        signal,
        clock,
        random,
        retryIf: again,
        onRetry: (error) => contact.lost(error),
      });
      contact.answered();
      return answer;
    } catch (error) {
      signal.throwIfAborted();
      if (error instanceof SessionEnded) throw error;
      const failure = ConnectError.from(error);
      if (verdictOf(failure.code) === 'new session') throw new SessionEnded(failure.rawMessage, { cause: error });
      throw error;
    }
  }

  function askMetadata(number: bigint, signal: AbortSignal) {
    const identifier = { identifier: { case: 'number', value: number } } as const;
    return single.getExecutedBlockMetadata({ identifier }, { signal, timeoutMs: QUESTION_MS });
  }

  /** Has the rollup record commitments. Its answer must have the same soft block. */
  async function update(sessionId: string, requested: CommitmentState, signal: AbortSignal): Promise<CommitmentState> {
    const request = { sessionId, commitmentState: commitmentStateToWire(requested) };
    const answer = await call(signal, () => single.updateCommitmentState(request, { signal, timeoutMs: QUESTION_MS }));
    const commitments = kept(() => commitmentStateFromWire(answer));
    checkHead(commitments, requested.soft);
    return commitments;
  }

  async function executeOne(
    { id }: Session,
    { soft, firm, lowestCelestiaSearchHeight }: CommitmentState,
    block: VerifiedBlock,
    level: CommitLevel,
    signal: AbortSignal,
  ): Promise<CommitmentState> {
    const request = {
      sessionId: id,
      parentHash: soft.hash,
      transactions: block.transactions.map(decodeEntry),
      timestamp: block.time,
      sequencerBlockHash: block.hash,
    };
    const answer = await call(signal, () => single.executeBlock(request, { signal, timeoutMs: EXECUTION_MS }));
    const metadata = present('executed block', answer.executedBlockMetadata);
    const executed = kept(() => blockMetadataFromWire(metadata));
    checkBlock(executed, soft, block);
    const requested = { soft: executed, firm: isFirmAtOnce(level) ? executed : firm, lowestCelestiaSearchHeight };
    return update(id, requested, signal);
  }

  async function executeBatch(
    { id }: Session,
    { soft }: CommitmentState,
    blocks: readonly VerifiedBlock[],
    level: CommitLevel,
    signal: AbortSignal,
  ): Promise<Executed> {
    const request = create(ownExecution.ExecuteBlocksRequestSchema, {
      sessionId: id,
      parentHash: soft.hash,
      blocks: blocks.map(({ transactions, time, hash }) => ({
        transactions: [...transactions],
        timestamp: time,
        sequencerBlockHash: hash,
      })),
      commitFirm: isFirmAtOnce(level),
    });
    const answer = await call(signal, () => batches.executeBlocks(request, { signal, timeoutMs: EXECUTION_MS }));
    if (answer.blocks.length !== blocks.length) {
      throw broken(`it executed ${answer.blocks.length} blocks of ${blocks.length}`);
    }
    let parent = soft;
    for (const [index, block] of blocks.entries()) {
      const metadata = present('executed block', answer.blocks[index]);
      const executed = kept(() => blockMetadataFromWire(metadata));
      checkBlock(executed, parent, block);
      parent = executed;
    }
    const commitments = kept(() => commitmentStateFromWire(present('commitment state', answer.commitmentState)));
    checkHead(commitments, parent);
    return { commitments, inputDigest: answer.inputDigest.length === 0 ? undefined : answer.inputDigest };
  }

  return {
    /** Waits for a rollup that is away. @throws {Error} if it refuses the level, or its session makes no sense. */
    async openSession(level: CommitLevel, signal: AbortSignal): Promise<Session> {
      // The program may have changed.
      canBatch = true;
      const request = { commitLevel: commitLevelToWire(level) };
      const session = await call(signal, () =>
        single.createExecutionSession(request, { signal, timeoutMs: QUESTION_MS }),
      ).catch((error: unknown) => {
        if (!(error instanceof ConnectError && error.code === Code.FailedPrecondition)) throw error;
        throw new Error(`the rollup refuses the session: ${error.rawMessage}`);
      });
      return kept(() => sessionFromWire(session));
    },

    /**
     * Has blocks executed on the soft block and commits the last of them. At least one is executed, not always all.
     *
     * @throws {SessionEnded}
     * @throws {Error} if the rollup refuses for good, or answers outside of the protocol.
     */
    async execute(
      session: Session,
      commitments: CommitmentState,
      blocks: readonly VerifiedBlock[],
      level: CommitLevel,
      signal: AbortSignal,
    ): Promise<Executed> {
      if (canBatch) {
        try {
          return await executeBatch(session, commitments, blocks, level, signal);
        } catch (error) {
          signal.throwIfAborted();
          if (!(error instanceof ConnectError && error.code === Code.Unimplemented)) throw error;
          canBatch = false;
        }
      }
      let current = commitments;
      for (const block of blocks) current = await executeOne(session, current, block, level, signal);
      return { commitments: current, inputDigest: undefined };
    },

    /**
     * Makes a block firm that has been executed.
     *
     * @param layerHeight The height at which it was found; a reader begins there after a restart.
     * @throws {SessionEnded}
     */
    async commitFirm(
      { id }: Session,
      { soft, lowestCelestiaSearchHeight: lowest }: CommitmentState,
      firm: BlockMetadata,
      layerHeight: bigint,
      signal: AbortSignal,
    ): Promise<CommitmentState> {
      const lowestCelestiaSearchHeight = layerHeight > lowest ? layerHeight : lowest;
      const commitments = await update(id, { soft, firm, lowestCelestiaSearchHeight }, signal);
      if (commitments.firm.hash !== firm.hash || commitments.firm.number !== firm.number)
        throw broken(
          `its firm block is ${commitments.firm.number} ${commitments.firm.hash}, expected ${firm.number} ${firm.hash}`,
        );
      return commitments;
    },

    /** Digests of the blocks of a range that have one, rising; undefined for a rollup that keeps none. */
    async inputDigests(from: bigint, to: bigint, signal: AbortSignal): Promise<readonly KeptDigest[] | undefined> {
      const kept: KeptDigest[] = [];
      try {
        for (let at = from; at <= to; at += DIGESTS_BATCH_SIZE) {
          const range = { from: at, to: at + DIGESTS_BATCH_SIZE > to ? to : at + DIGESTS_BATCH_SIZE - 1n };
          const answer = await call(signal, () => batches.getInputDigests(range, { signal, timeoutMs: QUESTION_MS }));
          for (const { number, blockHash: hash, digest } of answer.digests) kept.push({ number, hash, digest });
        }
      } catch (error) {
        if (error instanceof ConnectError && error.code === Code.Unimplemented) return undefined;
        throw error;
      }
      return kept;
    },

    /**
     * A block that is at or below the soft one of the session.
     *
     * @throws {SessionEnded} if the rollup has it no longer: its data were replaced by an older copy.
     */
    async block(number: bigint, signal: AbortSignal): Promise<BlockMetadata> {
      const answer = await call(signal, () =>
        askMetadata(number, signal).catch((error: unknown) => {
          if (!(error instanceof ConnectError && error.code === Code.NotFound)) throw error;
          throw new SessionEnded(`the rollup has no block ${number} any more`, { cause: error });
        }),
      );
      return kept(() => blockMetadataFromWire(answer));
    },

    /** One call without effects, for a rollup that frees the session of an idle conductor. Never rejects. */
    async touch(number: bigint, signal: AbortSignal): Promise<void> {
      await askMetadata(number, signal).catch(() => undefined);
    },
  };
}

/** Whether execution makes blocks firm. */
const isFirmAtOnce = (level: CommitLevel): boolean => level === 'SoftIsFirm' || level === 'FirmOnly';

/** An undecodable entry is sent as an entry of no kind, which every rollup passes over. */
function decodeEntry(bytes: Uint8Array): sequencerblock.RollupData {
  try {
    return fromBinary(sequencerblock.RollupDataSchema, bytes);
  } catch {
    return create(sequencerblock.RollupDataSchema);
  }
}

/** Numbers must stay in step with heights; the rest would only show later, in a form that is harder to understand. */
function checkBlock(executed: BlockMetadata, parent: BlockMetadata, { height, hash }: VerifiedBlock): void {
  if (executed.number !== parent.number + 1n) {
    throw broken(`block ${height} of the sequencer became number ${executed.number}, expected ${parent.number + 1n}`);
  }
  if (executed.parentHash !== parent.hash) {
    throw broken(`block ${executed.number} has parent ${executed.parentHash}, expected ${parent.hash}`);
  }
  // Rollups of others may leave it empty.
  if (executed.sequencerBlockHash !== '' && executed.sequencerBlockHash !== hash) {
    throw broken(`block ${executed.number} names sequencer block ${executed.sequencerBlockHash}, expected ${hash}`);
  }
}

/** Only we move the soft block in our session. */
function checkHead({ soft }: CommitmentState, executed: BlockMetadata): void {
  if (soft.hash === executed.hash && soft.number === executed.number) return;
  throw broken(`its soft block is ${soft.number} ${soft.hash}, expected ${executed.number} ${executed.hash}`);
}

function kept<T>(parse: () => T): T {
  try {
    return parse();
  } catch (error) {
    throw broken(error instanceof Error ? error.message : String(error), error);
  }
}

function present<T>(what: string, value: T | undefined): T {
  if (value === undefined) throw broken(`its answer has no ${what}`);
  return value;
}

function broken(how: string, cause?: unknown): Error {
  return new Error(`the rollup breaks the execution contract: ${how}`, { cause });
}
