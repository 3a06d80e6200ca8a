/** How far the conductor is: for its HTTP API, its metrics, and a log line now and then. */
import {
  type CommitLevel,
  type CommitmentState,
  nextSequencerHeight,
  type Session,
  timestampToMillis,
} from '@switchyard/protocol';
import type { Clock, Logger, Metrics, WallClock } from '@switchyard/service';
import { RecentBlocks } from './recent-blocks.ts';
import type { VerifiedBlock } from './verify.ts';

/** Between two log lines: while blocks hold something, or while the rollup catches up. */
const BUSY_LOG_MS = 10_000;
/** Blocks without entries are only a sign of life. */
const IDLE_LOG_MS = 60_000;
/** A rollup in step is at most two blocks behind. */
const USUAL_LAG = 2n;

export interface ProgressDeps {
  readonly log: Logger;
  readonly metrics: Metrics;
  readonly clock: Clock;
  readonly wall: WallClock;
  readonly commitLevel: CommitLevel;
}

/** A block that was found on the layer, at this height of it. */
type PostedBlock = Pick<VerifiedBlock, 'height' | 'time'> & { readonly layerHeight: bigint };

interface LayerHeights {
  readonly head?: bigint;
  readonly read?: bigint;
  /** All blocks up to here that can be verified are found, and nothing was left out for want of room. */
  readonly complete?: bigint;
  /** Height at which the newest firm block was found. */
  readonly firm?: bigint;
}

export class Progress {
  readonly #deps: ProgressDeps;
  readonly #numbers: ReturnType<typeof numbers>;
  #session: Session | undefined;
  #commitments: CommitmentState | undefined;
  readonly #recent = new RecentBlocks();
  #sequencerHeight: bigint | undefined;
  #verified: VerifiedBlock | undefined;
  #reading: 'stream' | 'poll' = 'stream';
  #layer: LayerHeights = {};
  /** The newest block that was found on the layer. */
  #posted: PostedBlock | undefined;
  #nothingNewer: string | undefined;
  #softWaits: string | undefined;
  #unprovenBlobs: string | undefined;
  /** Since the last log line. */
  #unlogged = { blocks: 0, transactions: 0 };
  #loggedAt = Number.NEGATIVE_INFINITY;

  constructor(deps: ProgressDeps) {
    this.#deps = deps;
    this.#numbers = numbers(deps.metrics);
  }

  get session(): Session | undefined {
    return this.#session;
  }

  opened(session: Session): void {
    this.#session = session;
    this.#numbers.sessions.add();
    this.committed(session.commitments, []);
  }

  closed(): void {
    this.#session = undefined;
    this.waiting(undefined);
  }

  /** Newly learned heights of the data-availability layer. */
  layer(heights: LayerHeights): void {
    this.#layer = { ...this.#layer, ...heights };
    if (heights.head !== undefined) this.#numbers.layerHead.set(Number(heights.head));
    if (heights.read !== undefined) this.#numbers.layerRead.set(Number(heights.read));
  }

  get layerPosition(): { readonly read: bigint; readonly posted: bigint } {
    return { read: this.#layer.read ?? 0n, posted: this.#posted?.layerHeight ?? 0n };
  }

  /** A block was found on the layer, and verified. */
  posted(block: PostedBlock): void {
    this.#posted = block;
    this.#nothingNewer = undefined;
  }

  /** All of the layer is read, and for some time nothing was found. */
  nothingPosted(): void {
    const block = this.#posted;
    const facts = {
      ...{ height: block?.height, layerHeight: block?.layerHeight, layerHead: this.#layer.head },
      time: block && new Date(timestampToMillis(block.time)).toISOString(),
    };
    const since =
      block === undefined
        ? ''
        : ` newer than sequencer block ${block.height} of ${facts.time} (layer height ${block.layerHeight})`;
    if (this.#nothingNewer === undefined)
      this.#deps.log.warn(facts, 'the layer is read to its end, and nothing newer has been posted');
    this.#nothingNewer = `nothing${since} has been posted`;
  }

  get softWaits(): string | undefined {
    return this.#softWaits;
  }

  /** @param reason Why soft blocks wait; undefined if they do not. */
  waiting(reason: string | undefined): void {
    const before = this.#softWaits;
    this.#softWaits = reason;
    if (reason !== undefined && before === undefined) this.#deps.log.warn({ reason }, 'soft blocks wait for firm ones');
    if (reason === undefined && before !== undefined) this.#deps.log.info('soft blocks continue');
  }

  /** Accounts of the layer whose blobs are many, and proven by nothing; undefined without any. */
  get unprovenBlobs(): string | undefined {
    return this.#unprovenBlobs;
  }

  /** @param accounts The accounts whose blobs have used up the room for unproven parts; empty if there is room. */
  crowdedBy(accounts: readonly string[]): void {
    const before = this.#unprovenBlobs;
    this.#unprovenBlobs =
      accounts.length === 0
        ? undefined
        : `${accounts.join(', ')} posted more blocks to the layer that no announced validators have signed than are kept`;
    if (before === undefined && accounts.length > 0)
      this.#deps.log.warn({ accounts }, 'blobs that nothing proves are left out');
  }

  /** Blobs and entries in our namespaces that are of no use. */
  useless(count: number): void {
    this.#numbers.useless.add(count);
  }

  reading(mode: 'stream' | 'poll'): void {
    this.#reading = mode;
  }

  reportHeight(sequencerHeight: bigint): void {
    this.#sequencerHeight = sequencerHeight;
    this.#numbers.sequencerHeight.set(Number(sequencerHeight));
  }

  verified(block: VerifiedBlock): void {
    this.#verified = block;
    this.#numbers.verified.add();
  }

  invalid(): void {
    this.#numbers.invalid.add();
  }

  committed(commitments: CommitmentState, blocks: readonly VerifiedBlock[]): void {
    this.#commitments = commitments;
    this.#recent.add(commitments.soft.number, blocks, this.#deps.wall.unixMs());
    this.#numbers.soft.set(Number(commitments.soft.number));
    this.#numbers.firm.set(Number(commitments.firm.number));
    for (const { transactions } of blocks) {
      this.#numbers.transactions.observe(transactions.length);
      this.#unlogged.transactions += transactions.length;
    }
    this.#numbers.executed.add(blocks.length);
    this.#unlogged.blocks += blocks.length;
    this.#logNowAndThen();
  }

  /** Facts for people. */
  status(): object {
    const { parameters, id } = this.#session ?? {};
    const soft = this.#commitments?.soft;
    return {
      session: id,
      commitLevel: this.#deps.commitLevel,
      rollup: parameters?.rollup,
      sequencerChainId: parameters?.sequencerChainId,
      reading: this.#reading,
      sequencerHeight: this.#sequencerHeight,
      verifiedHeight: this.#verified?.height,
      nextHeight: this.#nextHeight(),
      lag: this.#lag(),
      soft: soft?.number,
      softHash: soft?.hash,
      firm: this.#commitments?.firm.number,
      layerHead: this.#layer.head,
      layerRead: this.#layer.read,
      layerComplete: this.#layer.complete,
      firmLayerHeight: this.#layer.firm,
      firmMeaning: this.#session?.firmMeaning,
      postedHeight: this.#posted?.height,
      postedLayerHeight: this.#posted?.layerHeight,
      nothingNewer: this.#nothingNewer,
      softWaits: this.#softWaits,
      unprovenBlobs: this.#unprovenBlobs,
      recentBlocks: this.#recent.newestFirst(),
      lastBlockTime: soft && new Date(timestampToMillis(soft.timestamp)).toISOString(),
    };
  }

  #nextHeight(): bigint | undefined {
    return this.#session && this.#commitments && nextSequencerHeight(this.#session.parameters, this.#commitments);
  }

  /** Blocks of the sequencer that the rollup has not executed; negative if the sequencer is behind the rollup. */
  #lag(): bigint | undefined {
    const next = this.#nextHeight();
    return next === undefined || this.#sequencerHeight === undefined ? undefined : this.#sequencerHeight + 1n - next;
  }

  /** A few lines a minute at most, however many blocks there are. */
  #logNowAndThen(): void {
    const { blocks, transactions } = this.#unlogged;
    const lag = this.#lag();
    const isBusy = transactions > 0 || (lag !== undefined && lag > USUAL_LAG);
    const now = this.#deps.clock.now();
    if (blocks === 0 || now - this.#loggedAt < (isBusy ? BUSY_LOG_MS : IDLE_LOG_MS)) return;
    const { soft, firm } = this.#commitments ?? {};
    this.#deps.log.info(
      { soft: soft?.number, firm: firm?.number, executed: blocks, transactions, lag },
      'blocks executed',
    );
    this.#loggedAt = now;
    this.#unlogged = { blocks: 0, transactions: 0 };
  }
}

function numbers(metrics: Metrics) {
  return {
    soft: metrics.gauge('executed_soft_block_number', 'Number of the last block committed as soft.'),
    firm: metrics.gauge('executed_firm_block_number', 'Number of the last block committed as firm.'),
    transactions: metrics.histogram('transactions_per_executed_block', 'Entries of the rollup in a block.', {
      buckets: [0, 1, 10, 100, 1_000, 10_000],
    }),
    executed: metrics.counter('executed_blocks_total', 'Blocks executed and committed.'),
    verified: metrics.counter('verified_blocks_total', 'Blocks of the sequencer that passed all checks.'),
    invalid: metrics.counter('invalid_blocks_total', 'Blocks of the sequencer that did not pass a check.'),
    sequencerHeight: metrics.gauge('sequencer_block_height', 'Newest height that the sequencer has reported.'),
    layerHead: metrics.gauge('da_head_height', 'Newest height of the data-availability layer.'),
    layerRead: metrics.gauge('da_read_height', 'Newest height of the layer that has been read.'),
    useless: metrics.counter(
      'da_useless_entries_total',
      'Blobs and entries in our namespaces that are forged, foreign or known.',
    ),
    sessions: metrics.counter('sessions_total', 'Execution sessions opened.'),
  };
}
