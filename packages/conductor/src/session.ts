/** One execution session, from its first block to its end. */
import { type Checkpoint, type ProofSource, Unprovable } from '@switchyard/client';
import {
  type BlockMetadata,
  type CommitLevel,
  equalBytes,
  fromHex,
  nextSequencerHeight,
  Rejected,
  type Session,
  toRollupNumber,
  toSequencerHeight,
} from '@switchyard/protocol';
import { anySignal, Notifier, sleep, wallClock } from '@switchyard/service';
import { BlockBuffer, type BufferBounds } from './buffer.ts';
import type { Contact } from './contact.ts';
import type { ReaderDeps } from './cursor.ts';
import { type FirmLayer, FirmMismatch } from './firm/layer.ts';
import { type FirmBlock, readFirm } from './firm/reader.ts';
import { checkHistory } from './history.ts';
import { checkInputs, inputsAfter, type KnownInputs } from './input-chain.ts';
import { type BatchLimits, nextFirmStep, nextStep, readsFirm, readsSoft, softObstacle } from './plan.ts';
import type { Progress } from './progress.ts';
import { readBlocks } from './reader.ts';
import type { Rollup } from './rollup.ts';
import { type VerifiedBlock, Verifier, type VerifierOptions } from './verify.ts';
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
  /** Heights of the layer, instead of those of the rollup; 0: no limit. */
  readonly lookAhead?: bigint | undefined;
  /** Blocks below the soft one to compare with the sequencer's data before the first one is executed. */
  readonly checkedBlocks?: number;
}

export interface SessionDeps extends Pick<ReaderDeps, 'endpoints' | 'log' | 'clock' | 'random' | 'signal'> {
  readonly rollup: Rollup;
  readonly sequencer: Contact;
  readonly progress: Progress;
  /** The source of firm blocks; undefined if the level needs none. */
  readonly layer: FirmLayer | undefined;
  /** Inputs that earlier sessions have verified. */
  readonly known: KnownInputs | undefined;
  /** Called if the rollup does not state the inputs of its blocks. */
  withoutDigests(): void;
  /** Called after blocks were executed and committed, with their digests; undefined if the rollup keeps none. */
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
  const arrived = new Notifier();
  const [buffer, firm] = [new BlockBuffer(bounds, arrived), new BlockBuffer<FirmBlock>(bounds, arrived)];
  const { commitLevel, pollIntervalMs, requestsPerSecond, checkedBlocks = CHECKED_BLOCKS } = options;
  const last = parameters.rollupEndNumber && toSequencerHeight(parameters, parameters.rollupEndNumber);
  type First = NonNullable<VerifierOptions['first']>;
  const verifierWith = (lastBlockHash: string | undefined, source: () => ProofSource, first: First) =>
    new Verifier({
      chainId: parameters.sequencerChainId,
      rollup: parameters.rollup,
      lastBlockHash,
      checkpoint: options.checkpoint,
      trustingPeriodMs: options.trustingPeriodMs ?? TRUSTING_PERIOD_MS,
      // Validators sign the time of day.
      now: wallClock.unixMs,
      source,
      first,
    });
  const verifierFrom = (lastBlockHash: string | undefined) =>
    verifierWith(
      lastBlockHash,
      () => endpoints.current.client,
      (signed, cut) => compareFirst(parameters.sequencerChainId, signed, endpoints, cut),
    );
  const work: Promise<unknown>[] = [keepSession(commitments.soft.number, { ...deps, signal })];

  /** Reads the layer; never ends if the level needs none. */
  const readLayer = (): Promise<void> => {
    const { layer, log, clock, random } = deps;
    if (layer === undefined) return new Promise(() => undefined);
    const first = (source: ProofSource): First =>
      readsSoft(commitLevel) ? sameAs(session, deps.rollup, source) : noOtherWitness;
    return readFirm(
      {
        ...{ chainId: parameters.sequencerChainId, rollup: parameters.rollup, last },
        from: toSequencerHeight(parameters, commitments.firm.number) + 1n,
        fromLayerHeight: commitments.lowestCelestiaSearchHeight,
        ...{ authors: layer.authors, pollIntervalMs: layer.pollIntervalMs },
      },
      {
        ...{ layer: layer.reader, contact: layer.contact, buffer: firm, progress, log, clock, random, signal },
        verifierWith: (source) => verifierWith(hashUnder(session, commitments.firm), () => source, first(source)),
        sequencer: readsSoft(commitLevel) ? toCurrent(endpoints) : undefined,
      },
    );
  };

  try {
    if (!readsSoft(commitLevel)) {
      const reading = readLayer();
      const executing = executeBlocks(session, { buffer, firm, arrived }, options, {
        ...deps,
        known: undefined,
        signal,
      });
      work.push(reading, executing);
      await Promise.race([executing, reading.then(() => executing)]);
      return;
    }
    const known = await checkHistory(
      session,
      deps.known,
      { pollIntervalMs, requestsPerSecond, checkedBlocks, buffer: bounds },
      { ...deps, contact: deps.sequencer, verifierFrom, signal },
    );
    if (known === undefined) deps.withoutDigests();
    const verifier = verifierFrom(hashUnder(session, commitments.soft));
    const reading = readBlocks(
      {
        chainId: parameters.sequencerChainId,
        rollup: parameters.rollup,
        from: nextSequencerHeight(parameters, commitments),
        last,
        pollIntervalMs,
        requestsPerSecond,
      },
      { ...deps, verifier, buffer, contact: deps.sequencer, progress, signal },
    );
    const readingLayer = readLayer();
    const executing = executeBlocks(session, { buffer, firm, arrived }, options, { ...deps, known, signal });
    work.push(reading, executing);
    if (deps.layer !== undefined) work.push(readingLayer);
    // Reading may be done first; executing may not fail first without ending it all.
    await Promise.race([executing, reading.then(() => executing), readingLayer.then(() => executing)]);
  } finally {
    over.abort(new Error('the session is over'));
    await Promise.allSettled(work);
  }
}

/**
 * A rollup may give the session of a conductor that has not called for some time to another one, so there is a call
 * however rarely blocks come. Regardless of the answer, the call was seen; a lost one is followed by the next.
 */
async function keepSession(soft: bigint, { rollup, clock, signal }: Pick<SessionDeps, 'rollup' | 'clock' | 'signal'>) {
  while (!signal.aborted) {
    await sleep(KEEP_ALIVE_MS, signal, clock).catch(() => undefined);
    if (!signal.aborted) await rollup.touch(soft, signal);
  }
}

interface Buffers {
  readonly buffer: BlockBuffer;
  readonly firm: BlockBuffer<FirmBlock>;
  /** Woken by both. */
  readonly arrived: Notifier;
}

async function executeBlocks(
  session: Session,
  { buffer, firm, arrived }: Buffers,
  { commitLevel, batch = BATCH, lookAhead = session.parameters.celestiaSearchHeightMaxLookAhead }: SessionOptions,
  { rollup, progress, advanced, signal, known: knownAtFirst }: SessionDeps,
): Promise<void> {
  const { parameters } = session;
  let { commitments } = session;
  let known = knownAtFirst;
  const execute = async (blocks: readonly VerifiedBlock[], level: CommitLevel) => {
    const executed = await rollup.execute(session, commitments, blocks, level, signal);
    known = known && findInputs(known, blocks, executed.inputDigest);
    commitments = executed.commitments;
    progress.committed(commitments, blocks);
    advanced(known);
  };
  const commitFirm = async (metadata: BlockMetadata, layerHeight: bigint) => {
    commitments = await rollup.commitFirm(session, commitments, metadata, layerHeight, signal);
    progress.committed(commitments, []);
    progress.layer({ firm: layerHeight });
  };
  const gap = (got: bigint, expected: bigint) =>
    // The rollup reported another position than a moment ago.
    new Error(`the rollup went back: expected to continue with height ${got}, it wants ${expected}`);

  /** @returns whether there was anything to do. */
  const stepFirm = async (): Promise<boolean> => {
    const step = nextFirmStep({ parameters, commitments, waiting: firm.waiting, limits: batch });
    switch (step.kind) {
      case 'wait':
        return false;
      case 'gap':
        throw gap(step.got, step.expected);
      case 'drop':
        firm.take(step.count);
        return true;
      case 'commit': {
        const last = firm.take(step.count).at(-1);
        if (last === undefined) return false;
        // It stands for those below: each names the one before it, on the sequencer and in the rollup.
        const metadata = await rollup.block(toRollupNumber(parameters, last.height), signal);
        FirmMismatch.check(metadata, last);
        await commitFirm(metadata, last.layerHeight);
        return true;
      }
      case 'execute': {
        const blocks = firm.take(step.count);
        await execute(blocks, 'FirmOnly');
        await commitFirm(commitments.firm, blocks.at(-1)?.layerHeight ?? 0n);
        return true;
      }
      default:
        return step satisfies never;
    }
  };

  const obstacle = (): string | undefined => {
    if (!readsFirm(commitLevel)) return undefined;
    const { read, posted } = progress.layerPosition;
    const start = session.commitments.lowestCelestiaSearchHeight;
    return softObstacle({ lookAhead, read, posted: posted > start ? posted : start });
  };

  for (;;) {
    if (readsFirm(commitLevel) && (await stepFirm())) continue;
    const step = nextStep({ parameters, commitments, waiting: buffer.waiting, limits: batch });
    const held = step.kind === 'execute' ? obstacle() : undefined;
    if (step.kind !== 'drop') progress.waiting(held);
    switch (step.kind) {
      case 'execute':
        if (held !== undefined) await arrived.wait(signal);
        else await execute(buffer.take(step.count), commitLevel);
        break;
      case 'drop':
        buffer.take(step.count);
        break;
      case 'finish':
        if (!readsFirm(commitLevel) || commitments.firm.number >= (parameters.rollupEndNumber ?? 0n)) return;
        await arrived.wait(signal);
        break;
      case 'wait':
        await arrived.wait(signal);
        break;
      case 'gap':
        throw gap(step.got, step.expected);
    }
  }
}

/** @throws {Diverged} if the rollup has recorded other inputs than it was given. */
function findInputs(known: KnownInputs, blocks: readonly VerifiedBlock[], recorded: Uint8Array | undefined) {
  if (recorded === undefined) return undefined;
  const expected = blocks.reduce(inputsAfter, known);
  checkInputs(expected, recorded);
  return expected;
}

/** The rollup names the sequencer block that a block of its own was made from, unless that is none yet. */
function hashUnder({ parameters }: Session, { number, sequencerBlockHash }: BlockMetadata) {
  const executed = number >= parameters.rollupStartNumber;
  return executed && /^[0-9a-f]{64}$/.test(sequencerBlockHash) ? sequencerBlockHash : undefined;
}

/** A first block is the executed one, or that of the sequencer: anybody may post another one, with validators of their own. */
function sameAs(
  { parameters, commitments: { soft } }: Session,
  rollup: Pick<Rollup, 'block'>,
  sequencer: ProofSource,
): NonNullable<VerifierOptions['first']> {
  return async ({ header: { height }, commit }, signal) => {
    const number = toRollupNumber(parameters, height);
    const executed = number <= soft.number ? (await rollup.block(number, signal)).sequencerBlockHash : '';
    const hash = executed === '' ? (await sequencer.commit(height, signal)).commit.blockId.hash : fromHex(executed);
    if (equalBytes(hash, commit.blockId.hash)) return;
    throw new Rejected('malformed', { block: height, problem: 'it is not the block of the sequencer' });
  };
}

/** Without a sequencer no other witness can be queried. */
async function noOtherWitness(): Promise<never> {
  throw new Unprovable(
    'FirmOnly needs a block that is known to be right, since the rollup has none yet: set SVC_CONDUCTOR_TRUSTED_HEIGHT and _HASH',
  );
}

/** The node of the sequencer that is used at the moment. */
function toCurrent(endpoints: SessionDeps['endpoints']): ProofSource {
  return {
    commit: async (height, signal) => endpoints.current.client.commit(height, signal),
    validators: async (height, signal) => endpoints.current.client.validators(height, signal),
  };
}
