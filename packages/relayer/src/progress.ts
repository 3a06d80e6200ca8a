/** How far the relayer is: for its HTTP API, its metrics, and a log line now and then. */
import type { RollupId } from '@switchyard/protocol';
import type { Clock, Logger, Metrics } from '@switchyard/service';
import type { Batch } from './batch.ts';
import type { InFlight, PostingEvent } from './plan.ts';
import type { LeftOut } from './postable.ts';
import type { Pending, RelayerState } from './state.ts';

export interface ProgressDeps {
  readonly log: Logger;
  readonly metrics: Metrics;
  readonly clock: Clock;
  /** Utia, below which people have to act. */
  readonly lowBalance: bigint;
}

const LOG_EVERY_MS = 10_000;
/** A call or a transaction that is lost now and then is no trouble. */
const USUAL_FAILURES = 3;

export class Progress {
  readonly #deps: ProgressDeps;
  readonly #numbers: ReturnType<typeof numbers>;
  readonly #leftOut = new Map<string, { readonly rollup: RollupId; readonly reason: LeftOut; blocks: number }>();
  #state: RelayerState | undefined;
  #flight: readonly InFlight[] = [];
  #sequencerHeight: bigint | undefined;
  #fetchedHeight: bigint | undefined;
  #sequencerTrouble: string | undefined = 'the sequencer has not answered yet';
  #daTrouble: string | undefined = 'the data-availability layer has not answered yet';
  #balance: bigint | undefined;
  #batches = 0;
  #unlogged = { batches: 0, bytes: 0, fees: 0n };
  #loggedAt = Number.NEGATIVE_INFINITY;

  constructor(deps: ProgressDeps) {
    this.#deps = deps;
    this.#numbers = numbers(deps.metrics);
  }

  /** The last state on disk. */
  get state(): RelayerState | undefined {
    return this.#state;
  }

  /** Why blocks are not posted. */
  get trouble(): string | undefined {
    const stuck = this.#flight.find(
      ({ posting: { failures, losses, isStubborn } }) =>
        failures >= USUAL_FAILURES || losses >= USUAL_FAILURES || isStubborn,
    );
    return this.#daTrouble ?? stuck?.posting.reason ?? this.#sequencerTrouble;
  }

  reportHeight(latest: bigint): void {
    this.#sequencerHeight = latest;
    this.#numbers.sequencerHeight.set(Number(latest));
  }

  reportFetched(height: bigint): void {
    this.#fetchedHeight = height;
    this.#numbers.fetchedHeight.set(Number(height));
  }

  reportSequencerTrouble(reason: string | undefined): void {
    const { log } = this.#deps;
    if (reason !== undefined && this.#sequencerTrouble !== reason) log.warn({ reason }, 'waiting for the sequencer');
    if (reason === undefined && this.#sequencerTrouble !== undefined) log.info('reading blocks of the sequencer');
    this.#sequencerTrouble = reason;
  }

  reportDaTrouble(reason: string | undefined): void {
    const { log } = this.#deps;
    if (reason !== undefined && this.#daTrouble !== reason) log.warn({ reason }, 'waiting for the layer');
    this.#daTrouble = reason;
  }

  reportBalance(balance: bigint): void {
    const { log, lowBalance } = this.#deps;
    const isLow = balance < lowBalance;
    const wasLow = this.#balance !== undefined && this.#balance < lowBalance;
    if (isLow && !wasLow) log.warn({ balance, lowBalance }, 'the account that pays for blobs runs dry');
    this.#balance = balance;
    this.#numbers.balance.set(Number(balance));
  }

  reportLeftOut(rollup: RollupId, height: bigint, reason: LeftOut): void {
    this.#numbers.leftOut.add(1, { reason });
    const key = `${reason} ${rollup}`;
    const known = this.#leftOut.get(key);
    if (known !== undefined) {
      known.blocks += 1;
      return;
    }
    if (this.#leftOut.size < MAX_LEFT_OUT) this.#leftOut.set(key, { rollup, reason, blocks: 1 });
    const level = reason === 'excluded' ? 'info' : 'error';
    this.#deps.log[level]({ rollup, height, reason }, 'data of a rollup is not posted');
  }

  /** Something has happened to one of the transactions under way. */
  observe(flight: readonly InFlight[], { posting, pending }: InFlight, event: PostingEvent): void {
    const { log } = this.#deps;
    const isNews = !this.#flight.some((each) => each.posting.reason === posting.reason);
    this.#flight = flight;
    if (event.kind === 'failed') this.#numbers.failures.add();
    const isLost = event.kind === 'answer' && event.outcome.kind !== 'pending';
    if (isLost) this.#numbers.losses.add(1, { outcome: event.outcome.kind });
    if (posting.isStubborn) log.error({ reason: posting.reason }, 'the layer refuses a batch');
    else if (isLost || (event.kind === 'failed' && isNews)) {
      log.warn({ id: pending?.id, reason: posting.reason }, 'a batch is not posted yet');
    }
  }

  /** Reports the state that is on disk. */
  reportState(state: RelayerState, flight: readonly InFlight[]): void {
    this.#state = state;
    this.#flight = flight;
    this.#numbers.postedHeight.set(Number(state.next.height - 1n));
    if (state.daHeight !== undefined) this.#numbers.daHeight.set(Number(state.daHeight));
  }

  /** @param batch Undefined if an earlier run has signed it. */
  reportIncluded({ fee, daHeight, bytes: signed }: Pending, batch: Batch | undefined): void {
    const bytes = batch?.blobs.reduce((sum, { data }) => sum + data.length, 0) ?? signed.length;
    this.#batches += 1;
    this.#numbers.batches.add();
    this.#numbers.fees.add(Number(fee));
    this.#numbers.postedBytes.add(bytes);
    this.#numbers.rollupBytes.add(batch?.rollupBytes ?? 0);
    const { batches, bytes: before, fees } = this.#unlogged;
    this.#unlogged = { batches: batches + 1, bytes: before + bytes, fees: fees + fee };
    const { clock, log } = this.#deps;
    if (clock.now() - this.#loggedAt < LOG_EVERY_MS) return;
    this.#loggedAt = clock.now();
    const height = this.#state && this.#state.next.height - 1n;
    log.info({ height, daHeight, ...this.#unlogged }, 'blocks posted');
    this.#unlogged = { batches: 0, bytes: 0, fees: 0n };
  }

  status(): object {
    const { next, daHeight, fees } = this.#state ?? {};
    const waiting = this.#flight.find(({ posting }) => !posting.isIncluded && posting.reason !== undefined);
    return {
      sequencerHeight: this.#sequencerHeight,
      fetchedHeight: this.#fetchedHeight,
      postedHeight: next && next.height - 1n,
      postedRollupsOfNextBlock: next?.entry || undefined,
      daHeight,
      balance: this.#balance,
      isBalanceLow: this.#balance !== undefined && this.#balance < this.#deps.lowBalance,
      feesSpent: fees,
      batches: this.#batches,
      pending: this.#flight.flatMap(({ pending }) => (pending === undefined ? [] : [toStatus(pending)])),
      waitsFor: waiting?.posting.reason,
      leftOut: [...this.#leftOut.values()],
      sequencerTrouble: this.#sequencerTrouble,
      daTrouble: this.#daTrouble,
    };
  }
}

const MAX_LEFT_OUT = 100;

const toStatus = ({ id, bytes, fee, lastHeight, to, daHeight }: Pending): object => ({
  ...{ id, bytes: bytes.length, fee, lastHeight, to: to.height - 1n },
  ...(daHeight !== undefined && { daHeight }),
});

function numbers(metrics: Metrics) {
  return {
    sequencerHeight: metrics.gauge('sequencer_height', 'newest block that the sequencer reported'),
    fetchedHeight: metrics.gauge('fetched_sequencer_height', 'newest block that was read and verified'),
    postedHeight: metrics.gauge('posted_sequencer_height', 'newest block that is in the layer'),
    daHeight: metrics.gauge('da_height', 'height of the layer with the last batch'),
    balance: metrics.gauge('balance_utia', 'of the account that pays'),
    fees: metrics.counter('fees_utia_total', 'paid since the start'),
    batches: metrics.counter('batches_posted_total', 'transactions in the layer since the start'),
    postedBytes: metrics.counter('posted_bytes_total', 'of their blobs'),
    rollupBytes: metrics.counter('rollup_data_bytes_total', 'data of rollups in them, before compression'),
    failures: metrics.counter('da_call_failures_total', 'calls to the layer without an answer'),
    losses: metrics.counter('transactions_lost_total', 'transactions that were not included', { labels: ['outcome'] }),
    leftOut: metrics.counter('rollup_data_left_out_total', 'data of a rollup in a block that is not posted', {
      labels: ['reason'],
    }),
  };
}
