/** Whether the blocks that the rollup has were made from the sequencer's data, before any is executed on top of them. */
import { baseInputDigest, nextSequencerHeight, type Session, toSequencerHeight } from '@switchyard/protocol';
import { anySignal, errorLine, isTransportFailure, type Logger, retry } from '@switchyard/service';
import { BlockBuffer, type BufferBounds } from './buffer.ts';
import type { ReaderDeps, ReaderOptions } from './cursor.ts';
import { checkInputs, Diverged, inputsAfter, type KnownInputs } from './input-chain.ts';
import { PEER_BACKOFF } from './plan.ts';
import { readBlocks } from './reader.ts';
import type { KeptDigest, Rollup } from './rollup.ts';
import type { Verifier } from './verify.ts';

export interface HistoryOptions extends Pick<ReaderOptions, 'pollIntervalMs' | 'requestsPerSecond'> {
  /** Blocks below the soft one to check, if this process has not executed them itself. */
  readonly checkedBlocks: number;
  readonly buffer: BufferBounds;
}

export interface HistoryDeps extends Omit<ReaderDeps, 'verifier' | 'buffer'> {
  readonly rollup: Pick<Rollup, 'inputDigests' | 'block'>;
  readonly log: Logger;
  /** Verifies from the block after the one with this sequencer hash on. */
  verifierFrom(lastBlockHash: string | undefined): Verifier;
}

/**
 * Compares the digests that the rollup keeps with those of the sequencer's blocks, read and verified again.
 *
 * @param known Inputs that this process has verified in an earlier session.
 * @returns the known facts about the soft block; undefined for a rollup that keeps no digests.
 * @throws {Diverged}
 */
export async function checkHistory(
  session: Session,
  known: KnownInputs | undefined,
  options: HistoryOptions,
  deps: HistoryDeps,
): Promise<KnownInputs | undefined> {
  const { parameters, commitments } = session;
  const { soft } = commitments;
  const { rollup, log, signal } = deps;
  const fresh = { number: soft.number, digest: baseInputDigest(soft.hash) };
  if (soft.number < parameters.rollupStartNumber) return fresh;
  const deepest = soft.number - BigInt(options.checkedBlocks);
  const from = deepest > parameters.rollupStartNumber ? deepest : parameters.rollupStartNumber;
  const kept = await rollup.inputDigests(from, soft.number, signal);
  if (kept === undefined) return undefined;
  const run = endingAt(kept, soft.number);
  const [first] = run;
  // The rollup keeps none so far: the chain of them begins with the next block.
  if (first === undefined) return fresh;
  const last = run.at(-1);
  if (last?.hash !== soft.hash) throw new Diverged(soft.number, 'hash', soft.hash, last?.hash ?? 'none');

  const base = await getBase(first, {
    known,
    run,
    isCut: first.number === from && from > parameters.rollupStartNumber,
  });
  if (base.number === soft.number) return base;
  const firstHeight = toSequencerHeight(parameters, base.number) + 1n;
  if (!(await hasBlock(firstHeight, session, deps))) return { number: soft.number, digest: last.digest };
  const checked = await readAndCompare(base, firstHeight);
  log.info(
    { from: base.number + 1n, to: soft.number },
    'the blocks of the rollup are made from the data of the sequencer',
  );
  return checked;

  async function getBase(
    { number, digest }: KeptDigest,
    { known, run, isCut }: { known: KnownInputs | undefined; run: readonly KeptDigest[]; isCut: boolean },
  ): Promise<KnownInputs> {
    const same = run.find((each) => each.number === known?.number);
    if (known !== undefined && same !== undefined) {
      checkInputs(known, same.digest);
      return known;
    }
    if (isCut) return { number, digest };
    const { parentHash } = await rollup.block(number, signal);
    return { number: number - 1n, digest: baseInputDigest(parentHash) };
  }

  async function readAndCompare(base: KnownInputs, firstHeight: bigint): Promise<KnownInputs> {
    const digests = new Map(run.map(({ number, digest }) => [number, digest]));
    const buffer = new BlockBuffer(options.buffer);
    const over = new AbortController();
    const cut = anySignal(signal, over.signal);
    const verifier = deps.verifierFrom(await findSequencerHash(base.number));
    const { pollIntervalMs, requestsPerSecond } = options;
    const range = {
      chainId: parameters.sequencerChainId,
      rollup: parameters.rollup,
      from: firstHeight,
      last: nextSequencerHeight(parameters, commitments) - 1n,
    };
    const reading = readBlocks(
      { ...range, pollIntervalMs, requestsPerSecond },
      { ...deps, verifier, buffer, signal: cut },
    );
    const comparing = (async () => {
      let at = base;
      while (at.number < soft.number) {
        if (buffer.waiting.length === 0) await buffer.arrival(cut);
        for (const block of buffer.take(buffer.waiting.length)) {
          at = inputsAfter(at, block);
          checkInputs(at, digests.get(at.number) ?? new Uint8Array(0));
        }
      }
      return at;
    })();
    try {
      return await Promise.race([comparing, reading.then(() => comparing)]);
    } finally {
      over.abort(new Error('the history is checked'));
      await Promise.allSettled([reading, comparing]);
    }
  }

  async function findSequencerHash(number: bigint): Promise<string | undefined> {
    if (number < parameters.rollupStartNumber) return undefined;
    const { sequencerBlockHash } = await rollup.block(number, signal);
    return /^[0-9a-f]{64}$/.test(sequencerBlockHash) ? sequencerBlockHash : undefined;
  }
}

/** Digests that lie next to each other up to `number`. */
function endingAt(kept: readonly KeptDigest[], number: bigint): readonly KeptDigest[] {
  let start = kept.length;
  for (let wanted = number; start > 0 && kept[start - 1]?.number === wanted; wanted -= 1n) start -= 1;
  return kept.slice(start);
}

/**
 * A node that was set up from a snapshot, or that forgets old blocks, has no history to compare with: each of the others is queried before
 * the comparison is given up, as far as they answer.
 */
async function hasBlock(
  height: bigint,
  { parameters: { rollup } }: Session,
  { endpoints, log, clock, random, signal, contact }: HistoryDeps,
): Promise<boolean> {
  const lacking = new Set<unknown>();
  return retry(
    async () => {
      const endpoint = endpoints.current;
      try {
        await endpoint.client.filteredBlock(height, rollup, signal);
        return true;
      } catch (error) {
        const latest = await endpoint.client.latestHeight(signal).catch(() => undefined);
        const isAway = isTransportFailure(error) || latest === undefined || latest < height;
        // An endpoint that was queried before is queried another time if no other one answers.
        const isLast = lacking.has(endpoint) || lacking.size === endpoints.all.length - 1;
        if (!isAway) lacking.add(endpoint);
        if (isAway || !isLast) {
          endpoints.reportFailure(endpoint, errorLine(error));
          throw error;
        }
        const fields = { height, reason: errorLine(error) };
        log.warn(fields, 'the sequencer does not have the blocks with which the rollup could be compared');
        return false;
      }
    },
    { ...PEER_BACKOFF, signal, clock, random, onRetry: (error) => contact.lost(error) },
  );
}
