import { createHash } from 'node:crypto';
import { watchInvariants } from '@switchyard/rollup/invariants';
import { useTime } from '@switchyard/service';
import { MemoryDisk } from '@switchyard/storage';
import { Chance } from './chance.ts';
import type { Violation } from './observer.ts';
import { end, type Run, type RunOptions, report } from './progress.ts';
import { scenario } from './scenario.ts';
import { SimulatedStack } from './stack.ts';
import { SimulatedTime } from './time.ts';
import { SimulatedWays } from './ways.ts';

/** Steps of the run of one seed, and the rules that did not hold. */
export interface RunResult {
  readonly seed: number;
  readonly violations: readonly Violation[];
  readonly faults: number;
  readonly sent: number;
  readonly acknowledged: number;
  readonly deposits: number;
  /** Other actions of users, by kind. */
  readonly activity: Readonly<Record<string, number>>;
  readonly blocks: number;
  /** Time that has passed in the simulation, in milliseconds. */
  readonly simulatedMs: number;
  readonly events: number;
  /** Digest of all events, of the hashes of the rollup's blocks and of the violations: the same for the same seed. */
  readonly trace: string;
  /** After violations: the steps by name, and the newest log lines of each part. */
  readonly steps: Readonly<Record<string, string>>;
  readonly logs: Readonly<Record<string, readonly string[]>>;
}

/** 2026-01-01, in milliseconds since 1970. */
const BEGINNING_MS = 1_767_225_600_000;
const BLOCK_MS = 100;
/** Faults leave time for blocks: no seed takes longer, for each height and in all besides. */
const LONGEST_MS = { each: 5_000, besides: 600_000 } as const;

/** Runs a network through one seed of faults. To be called in a process, or a thread, in which nothing else happens. */
export async function runSeed(options: RunOptions): Promise<RunResult> {
  const { seed, composition, directory } = options;
  const trace = createHash('sha256');
  let events = 0;
  const time = new SimulatedTime({
    unixMs: BEGINNING_MS,
    chance: new Chance(seed, 'time'),
    onEvent(now, order) {
      events += 1;
      trace.update(`${now} ${order} `);
    },
  });
  const { giveBack } = useTime(() => time);
  const ways = new SimulatedWays(time, new Chance(seed, 'ways'));
  const diskChance = new Chance(seed, 'disk');
  const flushMs = () => (diskChance.happens(0.05) ? diskChance.integer(20, 300) : diskChance.integer(1, 10));
  const run: Run = {
    ...{ options, time, ways, trace, violations: [], failingDisks: new Map(), sent: [], isStuck: false },
    ...{ steps: new Map(), over: new AbortController() },
    ...{ faults: 0, deposits: 0, activity: {} },
  };
  const stack = await SimulatedStack.create(
    composition,
    {
      ...{ directory, time, ways, blockIntervalMs: BLOCK_MS, chance: new Chance(seed, 'peer') },
      onFailure: (label, error) => failed(run, stack, label, error),
      onNode(label, node) {
        const { invariants = {} } = options;
        if (label === stack.rollup) watchInvariants(node, invariants, (rule, detail) => end(run, { rule, detail }));
      },
    },
    (onCommit) => new MemoryDisk({ clock: time, flushMs, onCommit }),
  );
  const outcome: { blocks?: number; error?: unknown } = {};
  const onUnhandled = (error: unknown) => end(run, { rule: 'no unhandled error', detail: getStack(error) });
  process.on('unhandledRejection', onUnhandled);
  process.on('uncaughtException', onUnhandled);
  scenario(run, stack).then(
    (blocks) => {
      outcome.blocks = blocks;
    },
    (error: unknown) => {
      outcome.error = error;
    },
  );
  const { longestMs = LONGEST_MS.besides + LONGEST_MS.each * options.heights } = options;
  const isOver = await time.pass(
    longestMs,
    () => run.over.signal.aborted || outcome.blocks !== undefined || outcome.error !== undefined,
  );
  if (!isOver) report(run, { rule: 'progress', detail: `not over after ${longestMs} ms` });
  if (outcome.error !== undefined) report(run, { rule: 'the run', detail: getStack(outcome.error) });
  const isWhole = run.violations.length === 0;
  const logs = isWhole ? [] : stack.labels.map((label) => [label, stack.lines(label)] as const);
  const { sent, violations, faults } = run;
  const simulatedMs = time.now();
  run.over.abort();
  stack.close();
  // The code of parts that were killed ends on its own, at the latest when its time is over.
  await time.pass(simulatedMs + 60_000);
  process.off('unhandledRejection', onUnhandled);
  process.off('uncaughtException', onUnhandled);
  giveBack();
  return {
    ...{ seed, violations, faults, events, simulatedMs },
    sent: sent.length,
    deposits: run.deposits,
    activity: run.activity,
    acknowledged: sent.filter(({ isAcknowledged }) => isAcknowledged).length,
    blocks: outcome.blocks ?? 0,
    trace: trace.update(JSON.stringify(violations)).digest('hex'),
    steps: isWhole ? {} : Object.fromEntries(run.steps),
    logs: Object.fromEntries(logs),
  };
}

const getStack = (error: unknown): string => (error instanceof Error ? (error.stack ?? error.message) : String(error));

/** A part has ended on its own; if its disk has failed, it is started again as a supervisor would. */
function failed(run: Run, stack: SimulatedStack, label: string, error: Error): void {
  if ((run.failingDisks.get(label) ?? 0) === 0) end(run, { rule: 'no part ends on its own', detail: error.message });
  run.time.after(1_000, () => stack.start(label));
}
