import { Endpoints } from '@switchyard/client';
import type { DaReader } from '@switchyard/da';
import { type Clock, createMetrics, wallClock } from '@switchyard/service';
import { eventually, memoryLogger } from '@switchyard/service/testing';
import { type ConductorOptions, conduct } from '../conductor.ts';
import { Contact } from '../contact.ts';
import { Progress } from '../progress.ts';
import { createRollup } from '../rollup.ts';
import type { SequencerSource } from '../source.ts';
import type { FakeRollup } from './fake-rollup.ts';

/** A clock on which every pause is over at the next turn, so that no task waits and each gets a turn. */
export function impatientClock(): Clock {
  let now = 0;
  return {
    now: () => now,
    after(ms, fire) {
      const turn = setImmediate(() => {
        now += ms;
        fire();
      });
      return () => clearImmediate(turn);
    },
  };
}

export interface RunningConductor extends AsyncDisposable {
  readonly progress: Progress;
  readonly lines: readonly Readonly<Record<string, unknown>>[];
  /** Settles when the conductor ends. */
  readonly ended: Promise<unknown>;
  /** Resolves when the rollup has committed this block as soft. */
  reaches(number: bigint): Promise<void>;
  messages(): readonly unknown[];
}

interface WorldOptions {
  readonly clock?: Clock;
  readonly layer?: DaReader;
  readonly authors?: readonly Uint8Array[];
}

export function startConductor(
  sources: SequencerSource | readonly SequencerSource[],
  rollup: FakeRollup,
  { clock = impatientClock(), layer, authors = [], ...options }: Partial<ConductorOptions> & WorldOptions = {},
): RunningConductor {
  const { log, lines } = memoryLogger();
  const stop = new AbortController();
  const common = { clock, random: () => 0.5 };
  const commitLevel = options.commitLevel ?? 'SoftIsFirm';
  const progress = new Progress({
    log,
    metrics: createMetrics('test_'),
    ...{ clock: impatientClock(), wall: wallClock },
    commitLevel,
  });
  const contact = new Contact('rollup', 'http://rollup', log);
  const ended = conduct(
    { commitLevel, pollIntervalMs: 1_000, requestsPerSecond: 1_000, expectedChainId: undefined, ...options },
    {
      endpoints: new Endpoints(
        [sources].flat().map((client, index) => ({ url: `http://node-${index}`, client })),
        { maxLag: 5n, badForMs: 60_000, clock: common.clock, log },
      ),
      rollup: createRollup({ transport: rollup.transport(), contact, ...common }),
      sequencer: new Contact('sequencer', 'http://sequencer', log),
      layer: layer && {
        ...{ reader: layer, authors, pollIntervalMs: 1_000, expectedChainId: undefined },
        contact: new Contact('data-availability layer', 'http://layer', log),
      },
      progress,
      log,
      signal: stop.signal,
      ...common,
    },
  ).catch((error: unknown) => error);
  return {
    progress,
    lines,
    ended,
    async reaches(number) {
      await Promise.race([
        eventually(() => rollup.commitments.soft.number >= number || undefined),
        ended.then((error) => Promise.reject(error)),
      ]);
    },
    messages: () => lines.map(({ msg }) => msg),
    async [Symbol.asyncDispose]() {
      stop.abort(new Error('the test is over'));
      await ended;
    },
  };
}
