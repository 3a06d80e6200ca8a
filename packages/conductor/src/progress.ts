/** How far the conductor is: for its HTTP API, its metrics, and a log line now and then. */
import { type CommitmentState, nextSequencerHeight, type Session, timestampToMillis } from '@switchyard/protocol';
import type { Clock, Logger, Metrics, WallClock } from '@switchyard/service';
import type { CommitLevel } from './plan.ts';
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

export class Progress {
  readonly #deps: ProgressDeps;
  readonly #numbers: ReturnType<typeof numbers>;
  #session: Session | undefined;
  #commitments: CommitmentState | undefined;
  readonly #recent = new RecentBlocks();
  #sequencerHeight: bigint | undefined;
  #verified: VerifiedBlock | undefined;
  #reading: 'stream' | 'poll' = 'stream';
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
    sessions: metrics.counter('sessions_total', 'Execution sessions opened.'),
  };
}
