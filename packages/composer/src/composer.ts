import {
  type Clock,
  type Logger,
  type Metrics,
  systemClock,
  systemRandom,
  type WallClock,
  wallClock,
} from '@switchyard/service';
import { groupProblem, type Payer } from './bundles/bundle.ts';
import type { SenderConfig } from './bundles/sender.ts';
import { Submitter } from './bundles/submitter.ts';
import { FeeBudget } from './intake/fee-budget.ts';
import { Intake, type IntakeConfig } from './intake/intake.ts';
import { Backlog } from './queue/backlog.ts';
import type { Journal } from './queue/journal.ts';
import { Outcomes } from './queue/outcomes.ts';
import { SubmissionLog } from './queue/submission-log.ts';
import type { Sequencer } from './sequencer/sequencer.ts';

export interface ComposerConfig extends SenderConfig, Omit<IntakeConfig, 'groupProblem'> {
  /** Fees that submissions may cost; no bound, if undefined. */
  readonly maxFeesPerHour?: number | undefined;
  /** How many of the newest finished submissions can be queried. */
  readonly keptOutcomes: number;
}

export interface ComposerDeps {
  readonly journal: Journal;
  readonly sequencer: Sequencer;
  readonly payer: Payer & { readonly address: string };
  readonly log: Logger;
  readonly clock?: Clock;
  readonly random?: () => number;
  readonly wall?: WallClock;
  readonly onFailure: (error: unknown) => void;
}

/** The parts of a composer, with the state of an earlier run on disk. */
export async function createComposer(config: ComposerConfig, deps: ComposerDeps) {
  const { journal, clock = systemClock, random = systemRandom, wall = wallClock } = deps;
  const recovered = journal.recover();
  // Numbers must not come back that a bundle still speaks of.
  let next = 1;
  for (const { candidates } of recovered.bundles) {
    for (const { ranges } of candidates) for (const { to } of ranges) next = Math.max(next, to);
  }
  const backlog = new Backlog(next);
  for (const { chunk, done } of recovered.chunks) backlog.restore(chunk, done);
  const outcomes = new Outcomes({ maxItems: config.keptOutcomes, clock, wall });
  const forgottenOutcomes = outcomes.restore(recovered.outcomes);
  await journal.settle({ forgottenOutcomes });

  const recent = new SubmissionLog({ clock, wall });
  const isNewQueue = [recovered.chunks, recovered.bundles, recovered.outcomes].every(({ length }) => length === 0);
  const submitter = new Submitter(config, { ...deps, clock, random, backlog, outcomes, recent, isNewQueue });
  await submitter.resume(recovered.bundles);
  const { maxFeesPerHour } = config;
  const rate = () => submitter.feeRate;
  const intake = new Intake(
    { ...config, groupProblem: (entries) => groupProblem(entries, deps.payer, config.maxBytesPerBundle) },
    {
      ...{ backlog, outcomes, journal, recent },
      budget: maxFeesPerHour === undefined ? undefined : new FeeBudget(maxFeesPerHour, { rate, clock }),
      obstacle: () => submitter.lostBlocks,
      onWaiting: () => submitter.notify(),
      onFailure: deps.onFailure,
    },
  );
  return { backlog, outcomes, recent, submitter, intake };
}

export type Composer = Awaited<ReturnType<typeof createComposer>>;

/** Shows the composer's numbers. */
export function observe(
  metrics: Metrics,
  { backlog, intake, submitter }: Pick<Composer, 'backlog' | 'intake' | 'submitter'>,
): void {
  const shown = [
    [metrics.total('transactions_received_total', 'submissions accepted since the start'), () => intake.accepted],
    [metrics.gauge('queued_transactions', 'submissions accepted and in no block yet'), () => backlog.count],
    [metrics.gauge('queued_bytes', 'their bytes'), () => backlog.bytes],
    [metrics.gauge('bundles_in_flight', 'signed transactions in no block yet'), () => submitter.status().inFlight],
    [metrics.gauge('current_nonce', 'nonce of the next bundle'), () => submitter.status().accountNonce ?? 0],
    [metrics.total('transactions_sequenced_total', 'submissions in blocks'), () => submitter.status().itemsSequenced],
    [
      metrics.total('transactions_refused_total', 'submissions that the sequencer refused'),
      () => submitter.status().itemsRefused,
    ],
  ] as const;
  metrics.beforeText(() => {
    for (const [metric, value] of shown) metric.set(value());
  });
}
