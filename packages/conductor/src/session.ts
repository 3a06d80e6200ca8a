/** One execution session, from its first block to its end. */
import { nextSequencerHeight, type Session, sequencerHeightOf } from '@switchyard/protocol';
import { anySignal, sleep, wallClock } from '@switchyard/service';
import { BlockBuffer, type BufferBounds } from './buffer.ts';
import type { Contact } from './contact.ts';
import type { ReaderDeps } from './cursor.ts';
import { checkHistory } from './history.ts';
import { checkInputs, inputsAfter, type KnownInputs } from './input-chain.ts';
import { type BatchLimits, type CommitLevel, nextStep } from './plan.ts';
import type { Progress } from './progress.ts';
import { readBlocks } from './reader.ts';
import type { Rollup } from './rollup.ts';
import type { Checkpoint } from './trust.ts';
import { type VerifiedBlock, Verifier } from './verify.ts';
import { compareFirst } from './witnesses.ts';

export interface SessionOptions {
  readonly commitLevel: CommitLevel;
  readonly pollIntervalMs: number;
  readonly requestsPerSecond: number;
  /** A sequencer block that is known to be right, for a rollup that has none yet. */
  readonly checkpoint?: Checkpoint | undefined;
  readonly trustingPeriodMs?: number;
  readonly buffer?: BufferBounds;
  readonly batch?: BatchLimits;
  /** Blocks below the soft one that are compared with the sequencer's data before the first one is executed. */
  readonly checkedBlocks?: number;
}

export interface SessionDeps extends Pick<ReaderDeps, 'endpoints' | 'log' | 'clock' | 'random' | 'signal'> {
  readonly rollup: Rollup;
  readonly sequencer: Contact;
  readonly progress: Progress;
  /** What earlier sessions have made sure of. */
  readonly known: KnownInputs | undefined;
  /** Called where the rollup does not say what its blocks were made from. */
  withoutDigests(): void;
  /** Called after blocks were executed and committed, with what is known of them; undefined where the rollup keeps no digests. */
  advanced(known: KnownInputs | undefined): void;
}

/** A third of the time after which a rollup of ours considers a conductor idle. */
const KEEP_ALIVE_MS = 5_000;
const CHECKED_BLOCKS = 1_000;
const TRUSTING_PERIOD_MS = 14 * 86_400_000;
const BUFFER: BufferBounds = { maxBlocks: 2_048, maxBytes: 16 * 1_048_576 };
const BATCH: BatchLimits = { maxBlocks: 256, maxBytes: 1_048_576 };

/**
 * Resolves when the session has all its blocks.
 *
 * @throws {SessionEnded} when the rollup asks for a new session, any other error when there is no going on.
 */
export async function runSession(session: Session, options: SessionOptions, deps: SessionDeps): Promise<void> {
  const { parameters, commitments } = session;
  const { endpoints, progress } = deps;
  const over = new AbortController();
  const signal = anySignal(deps.signal, over.signal);
  const bounds = options.buffer ?? BUFFER;
  const buffer = new BlockBuffer(bounds);
  const { pollIntervalMs, requestsPerSecond, checkedBlocks = CHECKED_BLOCKS } = options;
  const verifierFrom = (lastBlockHash: string | undefined) =>
    new Verifier({
      chainId: parameters.sequencerChainId,
      rollup: parameters.rollup,
      lastBlockHash,
      checkpoint: options.checkpoint,
      trustingPeriodMs: options.trustingPeriodMs ?? TRUSTING_PERIOD_MS,
      // Validators sign the time of day.
      now: wallClock.unixMs,
      source: () => endpoints.current.client,
      first: (signed, cut) => compareFirst(parameters.sequencerChainId, signed, endpoints, cut),
    });
  const work: Promise<unknown>[] = [keepSession(commitments.soft.number, { ...deps, signal })];
  try {
    const known = await checkHistory(
      session,
      deps.known,
      { pollIntervalMs, requestsPerSecond, checkedBlocks, buffer: bounds },
      { ...deps, contact: deps.sequencer, verifierFrom, signal },
    );
    if (known === undefined) deps.withoutDigests();
    const verifier = verifierFrom(lastBlockHash(session));
    const reading = readBlocks(
      {
        chainId: parameters.sequencerChainId,
        rollup: parameters.rollup,
        from: nextSequencerHeight(parameters, commitments),
        last: parameters.rollupEndNumber && sequencerHeightOf(parameters, parameters.rollupEndNumber),
        pollIntervalMs,
        requestsPerSecond,
      },
      { ...deps, verifier, buffer, contact: deps.sequencer, progress, signal },
    );
    const executing = executeBlocks(session, buffer, options, { ...deps, known, signal });
    work.push(reading, executing);
    // Reading may be done first; executing may not fail first without ending it all.
    await Promise.race([executing, reading.then(() => executing)]);
  } finally {
    over.abort(new Error('the session is over'));
    await Promise.allSettled(work);
  }
}

/**
 * A rollup may give the session of a conductor that has not called for some time to another one, so there is a call
 * however rarely blocks come. Whatever is answered, the call was seen; a lost one is followed by the next.
 */
async function keepSession(
  soft: bigint,
  { rollup, clock, signal }: Pick<SessionDeps, 'rollup' | 'clock' | 'signal'>,
): Promise<void> {
  while (!signal.aborted) {
    await sleep(KEEP_ALIVE_MS, signal, clock).catch(() => undefined);
    if (!signal.aborted) await rollup.touch(soft, signal);
  }
}

async function executeBlocks(
  session: Session,
  buffer: BlockBuffer,
  { commitLevel, batch = BATCH }: SessionOptions,
  { rollup, progress, advanced, signal, known: knownAtFirst }: SessionDeps,
): Promise<void> {
  const { parameters } = session;
  let { commitments } = session;
  let known = knownAtFirst;
  for (;;) {
    const step = nextStep({ parameters, commitments, waiting: buffer.waiting, limits: batch });
    switch (step.kind) {
      case 'execute': {
        const blocks = buffer.take(step.count);
        const executed = await rollup.execute(session, commitments, blocks, commitLevel, signal);
        known = known && inputsOf(known, blocks, executed.inputDigest);
        commitments = executed.commitments;
        progress.committed(commitments, blocks);
        advanced(known);
        break;
      }
      case 'drop':
        buffer.take(step.count);
        break;
      case 'wait':
        await buffer.arrival(signal);
        break;
      case 'finish':
        return;
      case 'gap':
        // The rollup reported another position than a moment ago.
        throw new Error(
          `the rollup went back: expected to continue with height ${step.got}, it wants ${step.expected}`,
        );
    }
  }
}

/** @throws {Diverged} where the rollup has recorded something else than what it was given. */
function inputsOf(
  known: KnownInputs,
  blocks: readonly VerifiedBlock[],
  recorded: Uint8Array | undefined,
): KnownInputs | undefined {
  if (recorded === undefined) return undefined;
  const expected = blocks.reduce(inputsAfter, known);
  checkInputs(expected, recorded);
  return expected;
}

/** The rollup names the sequencer block it stands on, unless it stands on none yet. */
function lastBlockHash({ parameters, commitments: { soft } }: Session): string | undefined {
  const executed = soft.number >= parameters.rollupStartNumber;
  return executed && /^[0-9a-f]{64}$/.test(soft.sequencerBlockHash) ? soft.sequencerBlockHash : undefined;
}
