import { type Clock, type Logger, systemClock } from '@switchyard/service';
import { Backlog, type Range } from './backlog.ts';
import type { Payer } from './bundle.ts';
import { Door } from './door.ts';
import { Fates } from './fates.ts';
import type { Journal } from './journal.ts';
import type { Sequencer } from './sequencer.ts';
import { Submitter, type SubmitterConfig } from './submitter.ts';

export interface ComposerConfig extends SubmitterConfig {
  readonly maxItems: number;
  readonly maxQueueBytes: number;
  /** Longest data of one submission: what a bundle has room for. */
  readonly maxItemBytes: number;
  /** How many of the newest finished submissions can be asked about. */
  readonly keptFates: number;
}

export interface ComposerDeps {
  readonly journal: Journal;
  readonly sequencer: Sequencer;
  readonly payer: Payer;
  readonly log: Logger;
  readonly clock?: Clock;
  readonly random?: () => number;
  readonly onFailure: (error: unknown) => void;
}

/** The parts of a composer, with what an earlier run left on disk. */
export async function createComposer(config: ComposerConfig, deps: ComposerDeps) {
  const { journal, clock = systemClock, random = Math.random } = deps;
  const { chunks, bundles, fates: keptFates } = journal.recover();
  const backlog = new Backlog();
  const doneOf = new Map<number, readonly Range[]>();
  for (const { chunk, done } of chunks) {
    backlog.add(chunk, done);
    doneOf.set(chunk.id, done);
  }
  const fates = new Fates(config.keptFates);
  fates.add(keptFates);
  const submitter = new Submitter(config, { ...deps, clock, random, backlog, fates });
  await submitter.resume(bundles, (chunk) => doneOf.get(chunk) ?? [{ chunk, from: 0, to: Number.MAX_SAFE_INTEGER }]);
  const doorConfig = { maxItemBytes: config.maxItemBytes, maxItems: config.maxItems, maxBytes: config.maxQueueBytes };
  const door = new Door(
    doorConfig,
    { backlog, journal, onAccepted: () => submitter.notify(), onFailure: deps.onFailure },
    Math.max(0, ...chunks.map(({ chunk }) => chunk.id), ...bundles.flatMap(lastChunk)) + 1,
  );
  return { backlog, fates, submitter, door };
}

export type Composer = Awaited<ReturnType<typeof createComposer>>;

function lastChunk({
  candidates,
}: {
  readonly candidates: readonly { readonly ranges: readonly Range[] }[];
}): number[] {
  return candidates.flatMap(({ ranges }) => ranges.map(({ chunk }) => chunk));
}
