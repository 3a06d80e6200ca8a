/** Reads blocks from a sequencer in order of height, verifies them, and puts them into the buffer. */
import { Code, ConnectError } from '@connectrpc/connect';
import type { Endpoint, Endpoints } from '@switchyard/client';
import {
  decodeFilteredBlock,
  decodeSignedHeader,
  type FilteredBlock,
  Rejected,
  type RollupId,
  type SignedHeader,
} from '@switchyard/protocol';
import { anySignal, backoffMs, type Clock, errorLine, type Logger, sleep } from '@switchyard/service';
import type { BlockBuffer } from './buffer.ts';
import type { Contact } from './contact.ts';
import { PEER_BACKOFF } from './plan.ts';
import { pollBlocks } from './poll.ts';
import type { Progress } from './progress.ts';
import type { SequencerSource } from './source.ts';
import { Unprovable } from './trust.ts';
import type { Verifier } from './verify.ts';
import { watchNodes } from './witnesses.ts';

export interface ReaderOptions {
  readonly chainId: string;
  readonly rollup: RollupId;
  readonly from: bigint;
  /** The last height of the session; undefined if it has no end. */
  readonly last: bigint | undefined;
  readonly pollIntervalMs: number;
  readonly requestsPerSecond: number;
}

export interface ReaderDeps {
  readonly endpoints: Endpoints<SequencerSource>;
  readonly verifier: Verifier;
  readonly buffer: BlockBuffer;
  readonly contact: Contact;
  readonly progress: Progress;
  readonly log: Logger;
  readonly clock: Clock;
  readonly random: () => number;
  readonly signal: AbortSignal;
}

/** A block that does not verify may have been damaged on its way: it is asked for again so many times. */
const SECOND_LOOKS = 3;
/** Verifying is work without a pause; others get their turn after so many blocks. */
const BLOCKS_PER_TURN = 16;

/** A node of the sequencer, for as long as it is the one in use. */
export interface ActiveEndpoint {
  readonly source: SequencerSource;
  /** It told its height. */
  heard(latest: bigint): void;
  /** Aborts when another one takes its place, too. */
  readonly signal: AbortSignal;
}

/**
 * Resolves when the last block of the session is in the buffer.
 *
 * @throws {Error} when a block keeps failing its checks, whoever shows it. A sequencer that is away is waited for.
 */
export async function readBlocks(options: ReaderOptions, deps: ReaderDeps): Promise<void> {
  const { endpoints, contact, progress, log, clock, random, signal } = deps;
  const cursor = new Cursor(options, deps);
  const isSeveral = endpoints.all.length > 1;
  if (isSeveral) void watchNodes(cursor, { chainId: options.chainId, endpoints, clock, signal });
  const polled = new Set<Endpoint<SequencerSource>>();
  /** Nodes that have deleted the next block, or began after it. */
  const without = new Set<Endpoint<SequencerSource>>();
  let attempts = 0;
  let looks = 0;
  while (!cursor.done) {
    const { next } = cursor;
    const endpoint = endpoints.current;
    const { term } = endpoints;
    const mode = polled.has(endpoint) ? 'poll' : 'stream';
    const inUse: ActiveEndpoint = {
      source: endpoint.client,
      heard(latest) {
        // How far it is counts when it is proved, which `watchNodes` sees to.
        endpoints.reportHeight(endpoint);
        cursor.heard(latest);
      },
      signal: isSeveral ? anySignal(signal, term) : signal,
    };
    try {
      progress.reading(mode);
      await (mode === 'stream' ? streamBlocks(cursor, options, inUse) : pollBlocks(cursor, options, deps, inUse));
    } catch (error) {
      signal.throwIfAborted();
      if (cursor.next > next) {
        attempts = looks = 0;
        without.clear();
      }
      if (error instanceof Unprovable) throw error;
      // The other one begins where this one ended.
      if (term.aborted) continue;
      if (mode === 'stream' && ConnectError.from(error).code === Code.Unimplemented) {
        log.info('the sequencer cannot push blocks; polling instead');
        polled.add(endpoint);
        continue;
      }
      if (ConnectError.from(error).code === Code.OutOfRange) {
        without.add(endpoint);
        if (without.size === endpoints.all.length) throw blockIsGone(cursor.next, error);
      }
      if (error instanceof Rejected) {
        progress.invalid();
        if (++looks > SECOND_LOOKS * endpoints.all.length)
          throw new Error(`cannot follow the sequencer: ${errorLine(error)}`, { cause: error });
        log.warn({ height: cursor.next, reason: errorLine(error) }, 'a block does not verify; asking for it again');
        endpoints.reportFault(endpoint, `block ${cursor.next} does not verify: ${errorLine(error)}`);
      } else {
        endpoints.reportFailure(endpoint, errorLine(error));
        if (!endpoints.isUsable) contact.lost(error);
      }
      // Another one is asked at once, but not again and again.
      if (++attempts < endpoints.all.length && endpoints.current !== endpoint) continue;
      await sleep(backoffMs(attempts, PEER_BACKOFF, random), signal, clock);
    }
  }
}

/** No node comes to have a block again, so waiting would hide what has to be done. */
function blockIsGone(height: bigint, cause: unknown): Error {
  const why = errorLine(cause);
  return new Error(
    `no sequencer node has block ${height}, which the rollup needs next: ${why}. Add a node that keeps it to SVC_CONDUCTOR_SEQUENCER_GRPC_URL and _COMETBFT_URL, or restore the rollup's data from a backup of a later block`,
    { cause },
  );
}

/** The one place where blocks enter: in order, checked. */
export class Cursor {
  readonly #options: ReaderOptions;
  readonly #deps: ReaderDeps;
  #next: bigint;
  #sinceTurn = 0;
  #behind = false;
  #isHeldUp = false;

  constructor(options: ReaderOptions, deps: ReaderDeps) {
    this.#options = options;
    this.#deps = deps;
    this.#next = options.from;
  }

  get next(): bigint {
    return this.#next;
  }

  /** Waits for the rollup to take what is in the buffer. */
  get isHeldUp(): boolean {
    return this.#isHeldUp;
  }

  get done(): boolean {
    return this.#options.last !== undefined && this.#next > this.#options.last;
  }

  /** The sequencer told its height. */
  heard(latest: bigint): void {
    const { contact, progress, log } = this.#deps;
    contact.answered();
    progress.heard(latest);
    const behind = latest + 1n < this.#next;
    if (behind && !this.#behind) {
      log.warn(
        { sequencer: latest, next: this.#next },
        'the sequencer is behind the rollup: it is catching up, or was restored from an older backup; waiting for it',
      );
    }
    this.#behind = behind;
  }

  async accept(block: FilteredBlock, signed: SignedHeader): Promise<void> {
    const { verifier, buffer, progress, signal } = this.#deps;
    const verified = await verifier.verify(this.#next, block, signed, signal);
    progress.verified(verified);
    this.#isHeldUp = true;
    await buffer.push(verified, signal);
    this.#isHeldUp = false;
    this.#next += 1n;
    if (++this.#sinceTurn < BLOCKS_PER_TURN) return;
    this.#sinceTurn = 0;
    await new Promise((resolve) => setImmediate(resolve));
  }
}

async function streamBlocks(
  cursor: Cursor,
  { rollup }: ReaderOptions,
  { source, heard, signal }: ActiveEndpoint,
): Promise<void> {
  for await (const { blocks, latest } of source.streamFilteredBlocks(cursor.next, rollup, signal)) {
    heard(latest);
    for (const { block, signedHeader } of blocks) {
      signal.throwIfAborted();
      await cursor.accept(decodeFilteredBlock(block), decodeSignedHeader(signedHeader));
      if (cursor.done) return;
    }
  }
  throw new Error('the sequencer ended the stream of blocks');
}
