/** Reads the layer height after height, and gives out the sequencer's blocks in order, each verified. */
import type { ProofSource } from '@switchyard/client';
import { type DaBlock, type DaReader, DaUnavailable } from '@switchyard/da';
import {
  blockFromPosted,
  decodePostedMetadata,
  decodePostedRollupData,
  type PostedMetadata,
  Rejected,
  toHex,
} from '@switchyard/protocol';
import { rollupNamespace, sequencerNamespace } from '@switchyard/protocol/celestia';
import { backoffMs, errorLine, sleep } from '@switchyard/service';
import type { BlockBuffer } from '../buffer.ts';
import type { ReaderDeps, ReaderOptions } from '../cursor.ts';
import { PEER_BACKOFF } from '../plan.ts';
import type { VerifiedBlock, Verifier } from '../verify.ts';
import { AskedHeaders } from './asked-headers.ts';
import type { Candidate } from './candidate.ts';
import { type Opened, openBlobs } from './open-blobs.ts';
import { PostedBlocks } from './posted-blocks.ts';

/** A block that the layer has. */
export interface FirmBlock extends VerifiedBlock {
  /** Height of the layer. */
  readonly layerHeight: bigint;
}

export interface FirmReaderOptions extends Pick<ReaderOptions, 'chainId' | 'rollup' | 'last' | 'pollIntervalMs'> {
  /** Height of the sequencer block that is to become firm next. */
  readonly from: bigint;
  /** Height of the layer below which nothing that is needed lies. */
  readonly fromLayerHeight: bigint;
  readonly authors: readonly Uint8Array[];
}

export interface FirmReaderDeps extends Omit<ReaderDeps, 'endpoints' | 'verifier' | 'buffer'> {
  readonly layer: DaReader;
  /** Made once the source of headers and validators is known. */
  verifierWith(source: ProofSource): Verifier;
  /** For parts that the posted blocks lack; undefined: they have to. */
  readonly sequencer: ProofSource | undefined;
  readonly buffer: BlockBuffer<FirmBlock>;
}

/** After this long without the next block, a reader that had to leave something out reads it again. */
const READ_AGAIN_MS = 30_000;
/** After this long without the next block, with all read, it is stated that nothing newer has been posted. */
const QUIET_MS = 60_000;
/** Above the next block: headers of later ones are not fetched. */
const MAX_AHEAD = 1_000n;

/** Resolves when the session has all its blocks. @throws {Error} when posted data can never be verified. */
export async function readFirm(options: FirmReaderOptions, deps: FirmReaderDeps): Promise<void> {
  const { chainId, rollup, authors, pollIntervalMs, last } = options;
  const { layer, contact, progress, log, clock, random, signal } = deps;
  const posted = new PostedBlocks({ chainId, rollup, next: options.from });
  const verifier = deps.verifierWith(postedSource(posted, deps.sequencer));
  const namespaces = [sequencerNamespace(chainId), rollupNamespace(rollup)];
  let at = options.fromLayerHeight > 1n ? options.fromLayerHeight : 1n;
  /** Height at which the newest block was found: later ones are not below. */
  let foundAt = at;
  let advancedAt = clock.now();
  let headBefore = -1n;
  const wanted = deps.sequencer && new AskedHeaders(deps.sequencer);

  while (last === undefined || posted.next <= last) {
    const head = await again(() => layer.head(signal));
    contact.answered();
    progress.layer({ head });
    if (at > head) {
      if (head > headBefore) await sleep(pollIntervalMs, signal, clock);
      else await untilThere(at);
      headBefore = head;
      const quietMs = clock.now() - advancedAt;
      // Blobs that were left out have been read again by then.
      const isQuiet = quietMs > QUIET_MS;
      if (isQuiet) progress.nothingPosted();
      if (isQuiet || !posted.hasForgotten) progress.layer({ complete: head });
      if (quietMs > READ_AGAIN_MS && posted.takeForgotten()) {
        wanted?.askAgain({ alsoAbsent: true });
        at = foundAt;
      }
      continue;
    }
    for (; at <= head && (last === undefined || posted.next <= last); at += 1n) {
      const height = at;
      await take(await again(() => layer.read(height, namespaces, signal)));
      progress.layer({ read: at });
      if (posted.takeChanged()) at = foundAt - 1n;
    }
  }

  /** Waits for the next height of a quiet layer, as far as its node can, and otherwise for a while. */
  async function untilThere(height: bigint): Promise<void> {
    try {
      if (layer.waitFor !== undefined) return await layer.waitFor(height, signal);
    } catch {
      signal.throwIfAborted();
    }
    await sleep(pollIntervalMs, signal, clock);
  }

  async function take({ height, blobs: [inSequencers = [], inRollups = []] }: DaBlock): Promise<void> {
    const metadata = await openBlobs(inSequencers, authors, decodePostedMetadata);
    const data = await openBlobs(inRollups, authors, decodePostedRollupData);
    wanted?.askAgain({ alsoAbsent: false });
    const complete: Opened<PostedMetadata>[] = [];
    // One after another: a hostile blob may name as many heights as it likes.
    for (const { entry, author } of metadata.entries) complete.push({ entry: await withHeader(entry), author });
    const useless = await posted.add(height, complete, data.entries);
    progress.useless(metadata.useless + data.useless + useless);
    progress.crowdedBy(posted.crowdedBy);
    while (last === undefined || posted.next <= last) {
      const found = await nextBlock();
      if (found === undefined) return;
      const { block, candidate } = found;
      progress.verified(block);
      progress.posted(block);
      await deps.buffer.push(block, signal);
      wanted?.forget(posted.next);
      posted.advance(candidate);
      foundAt = block.layerHeight;
      advancedAt = clock.now();
    }
  }

  /** Relayers of the reference do not post the signed headers; the sequencer has them. */
  async function withHeader(metadata: PostedMetadata): Promise<PostedMetadata> {
    const { height } = metadata.header;
    if (metadata.signed !== undefined || wanted === undefined || !posted.isWanted(height)) return metadata;
    const signed = height > posted.next + MAX_AHEAD ? undefined : await wanted.at(height, signal);
    if (signed === undefined) posted.leaveOut();
    return { ...metadata, signed };
  }

  /** @returns undefined while it is not there, or lacks the rollup's data: that is never taken for an empty block. */
  async function nextBlock(): Promise<{ block: FirmBlock; candidate: Candidate } | undefined> {
    for (const candidate of posted.candidates()) {
      if (posted.isIncomplete(candidate)) continue;
      try {
        return { block: await verified(candidate), candidate };
      } catch (error) {
        if (error instanceof NotPosted) {
          posted.leaveOut();
          continue;
        }
        if (!(error instanceof Rejected)) throw error;
        log.warn(
          { height: posted.next, hash: toHex(candidate.metadata.hash), reason: errorLine(error) },
          'a posted block does not verify; passing over it',
        );
        progress.invalid();
        posted.reject(candidate);
      }
    }
    return undefined;
  }

  async function verified({ metadata, data, layerHeight }: Candidate): Promise<FirmBlock> {
    const block = await verifier.verify(posted.next, blockFromPosted(metadata, data), metadata.signed, signal);
    return { ...block, layerHeight };
  }

  /** The layer may later have missing data, and may next time give right data in place of wrong. */
  async function again<T>(work: () => Promise<T>): Promise<T> {
    for (let attempts = 0; ; attempts += 1) {
      try {
        return await work();
      } catch (error) {
        signal.throwIfAborted();
        if (error instanceof Rejected) progress.invalid();
        else if (!(error instanceof DaUnavailable)) throw error;
        contact.lost(error);
        await sleep(backoffMs(attempts, PEER_BACKOFF, random), signal, clock);
      }
    }
  }
}

/** Data that a block is verified with is not there yet; it may come later. */
class NotPosted extends Error {
  override readonly name = 'NotPosted';
}

/** Headers and validators: the posted ones, else those of the sequencer. */
function postedSource(posted: PostedBlocks, sequencer: ProofSource | undefined): ProofSource {
  const ask = async <T>(what: string, height: bigint, signal: AbortSignal, work: Promise<T> | undefined) => {
    if (work === undefined) throw new NotPosted(`${what} of block ${height} was not posted yet`);
    try {
      return await work;
    } catch (cause) {
      signal.throwIfAborted();
      throw new NotPosted(`${what} of block ${height} was not posted, and the sequencer does not answer`, { cause });
    }
  };
  return {
    async commit(height, signal, hash) {
      const own = hash === undefined ? undefined : posted.signedHeader(height, hash);
      return own ?? ask('the header', height, signal, sequencer?.commit(height, signal));
    },
    async validators(height, signal, hash) {
      const own = hash === undefined ? undefined : posted.findValidators(hash);
      if (own !== undefined) return own;
      const set = await ask('the validator set', height, signal, sequencer?.validators(height, signal));
      posted.know(set);
      return set;
    },
  };
}
