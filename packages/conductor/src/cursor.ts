import type { Endpoints } from '@switchyard/client';
import type { FilteredBlock, RollupId, SignedHeader } from '@switchyard/protocol';
import { type Clock, type Logger, turn } from '@switchyard/service';
import type { BlockBuffer } from './buffer.ts';
import type { Contact } from './contact.ts';
import type { Progress } from './progress.ts';
import type { SequencerSource } from './source.ts';
import type { Verifier } from './verify.ts';

/** Verification is synchronous: after this many blocks the event loop gets a turn. */
const BLOCKS_PER_TURN = 16;

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

/** A node of the sequencer, while it is in use. */
export interface ActiveEndpoint {
  readonly source: SequencerSource;
  /** The node reported its newest height. */
  reportHeight(latest: bigint): void;
  /** Aborts when another one takes its place, too. */
  readonly signal: AbortSignal;
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

  /** Waits for the rollup to take the blocks in the buffer. */
  get isHeldUp(): boolean {
    return this.#isHeldUp;
  }

  get done(): boolean {
    return this.#options.last !== undefined && this.#next > this.#options.last;
  }

  /** The sequencer reported its newest height. */
  reportHeight(latest: bigint): void {
    const { contact, progress, log } = this.#deps;
    contact.answered();
    progress.reportHeight(latest);
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
    await turn();
  }
}
