/** The whole: reading, collecting and posting, side by side. */
import type { DaWriter } from '@switchyard/da';
import { type RollupId, toHex } from '@switchyard/protocol';
import { anySignal, errorLine, retry, sleep, type WallClock } from '@switchyard/service';
import { MOST_BYTES } from './batch.ts';
import { Collector } from './collector.ts';
import { postableBlock } from './postable.ts';
import { postAll } from './poster.ts';
import type { Progress } from './progress.ts';
import { type ReaderDeps, readBlocks, WrongChain } from './reader.ts';
import { firstState, getEnd, type RelayerState } from './state.ts';
import type { StateStore } from './store.ts';

export interface RelayerOptions {
  readonly sequencerChainId: string;
  readonly daChainId: string;
  /** Start without earlier posts. */
  readonly startHeight: bigint;
  readonly pollIntervalMs: number;
  readonly batchMs: number;
  readonly maxBatchBytes: number;
  /** Transactions that may be under way at a time. */
  readonly inFlight: number;
  readonly onlyRollups: ReadonlySet<RollupId>;
}

export interface RelayerDeps extends Omit<ReaderDeps, 'accept' | 'isHeldUp' | 'progress'> {
  readonly writer: DaWriter;
  readonly store: StateStore;
  readonly progress: Progress;
  readonly wall: WallClock;
}

const LAYER_BACKOFF = { initialMs: 200, maxMs: 10_000 };
const BALANCE_EVERY_MS = 30_000;
const MAX_WAITING_BYTES = 32 * 1_048_576;

/**
 * Runs until the signal aborts, and then rejects with its reason.
 *
 * @throws {WrongChain} if settings, state and peers are not of the same chains.
 */
export async function relay(options: RelayerOptions, deps: RelayerDeps): Promise<never> {
  const { store, progress, log } = deps;
  await requireLayer(options, deps);
  const state = stateFor(options, store.read());
  progress.reportState(state, []);
  const over = new AbortController();
  const signal = anySignal(deps.signal, over.signal);
  const watching = watchBalance({ ...deps, signal });
  try {
    for (const { id, lastHeight } of state.pending) {
      log.info({ id, lastHeight }, 'a transaction of the last run is under way');
    }
    log.info({ height: getEnd(state).next.height }, 'posting blocks from this height on');
    return await relayFrom(state, options, { ...deps, signal });
  } finally {
    over.abort(new Error('the relayer ends'));
    await watching;
  }
}

async function relayFrom(state: RelayerState, options: RelayerOptions, deps: RelayerDeps): Promise<never> {
  const { progress, clock } = deps;
  const over = new AbortController();
  const signal = anySignal(deps.signal, over.signal);
  const leftOut = progress.reportLeftOut.bind(progress);
  const bounds = { maxBytes: options.maxBatchBytes, mostBytes: MOST_BYTES, maxWaitingBytes: MAX_WAITING_BYTES };
  const { next, hash } = getEnd(state);
  const collector = new Collector(next, { ...bounds, batchMs: options.batchMs, leftOut }, clock);
  const { sequencerChainId: chainId, onlyRollups, pollIntervalMs } = options;
  const lastBlockHash = hash && toHex(hash);
  const reading = readBlocks(
    { chainId, from: next.height, lastBlockHash, pollIntervalMs },
    {
      ...deps,
      signal,
      async accept(proven) {
        await collector.push(postableBlock(proven, { sequencerChainId: chainId, onlyRollups, leftOut }), signal);
        progress.reportFetched(proven.block.header.height);
      },
      isHeldUp: () => collector.isHeldUp,
    },
  );
  const collecting = collector.run(signal).then(() => Promise.reject(signal.reason));
  const posting = postAll(state, {
    ...deps,
    ...{ signal, inFlight: options.inFlight },
    take: (until) => collector.take(until),
  });
  const work = [reading, collecting, posting];
  try {
    return await Promise.race(work);
  } finally {
    over.abort(new Error('the relayer ends'));
    await Promise.allSettled(work);
  }
}

function stateFor({ sequencerChainId, daChainId, startHeight }: RelayerOptions, kept: RelayerState | undefined) {
  if (kept === undefined) return firstState(sequencerChainId, daChainId, startHeight);
  if (kept.sequencerChainId === sequencerChainId && kept.daChainId === daChainId) return kept;
  throw new WrongChain(
    `the state is of ${kept.sequencerChainId} on ${kept.daChainId}, not of ${sequencerChainId} on ${daChainId}: use another directory for it`,
  );
}

async function requireLayer({ daChainId }: RelayerOptions, deps: RelayerDeps): Promise<void> {
  const { writer, progress, signal, clock, random } = deps;
  const got = await retry(() => writer.chainId(signal), {
    ...{ ...LAYER_BACKOFF, signal, clock, random },
    onRetry: (error) => progress.reportDaTrouble(errorLine(error)),
  });
  if (got !== daChainId) throw new WrongChain(`the layer is of another chain: expected ${daChainId}, got ${got}`);
  progress.reportDaTrouble(undefined);
}

/** Resolves when the signal aborts. */
async function watchBalance({ writer, progress, log, clock, signal }: RelayerDeps): Promise<void> {
  while (!signal.aborted) {
    try {
      progress.reportBalance(await writer.balance(signal));
    } catch (error) {
      // Posting meets the same trouble, and reports it.
      if (!signal.aborted) log.debug({ reason: errorLine(error) }, 'the balance is not known');
    }
    await sleep(BALANCE_EVERY_MS, signal, clock).catch(() => undefined);
  }
}
