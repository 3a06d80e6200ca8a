import type { Hash } from 'node:crypto';
import type { Invariants } from '@switchyard/rollup/invariants';
import { sleep } from '@switchyard/service';
import type { DevAccount } from '../accounts/accounts.ts';
import type { Step } from './activity.ts';
import { Chance } from './chance.ts';
import type { FaultName } from './fault-names.ts';
import type { Violation } from './observer.ts';
import type { Sent } from './sent.ts';
import { type Composition, QUEUE_CAPACITY, type SimulatedStack } from './stack.ts';
import type { SimulatedTime } from './time.ts';
import type { SimulatedWays } from './ways.ts';
import type { SimulatedRollup } from './workload.ts';

/** Between the last fault and the moment at which everything has to be ready, and everything acknowledged in a block. */
const RECOVERY_MS = 30_000;
/** After a wait in vain, which has given the same time to everything else: long enough to ask a few times. */
const AFTER_FAILURE_MS = 2_000;
export const LOOK_MS = 250;

export interface RunOptions {
  readonly composition: Composition;
  readonly rollup: SimulatedRollup;
  readonly seed: number;
  /** Blocks of the sequencer during which there are faults and transactions. */
  readonly heights: number;
  readonly faults: readonly FaultName[];
  readonly directory: string;
  /** Simulated time after which the run is over at the latest. */
  readonly longestMs?: number;
  /** Names of the steps that are taken; all, if absent. */
  readonly only?: ReadonlySet<string> | undefined;
  /** Rules of the state of a definition. */
  readonly invariants?: Invariants | undefined;
  /** Takes one line about each fault and each violation. */
  readonly note?: (line: string) => void;
}

/** A run under way. */
export interface Run {
  readonly options: RunOptions;
  readonly time: SimulatedTime;
  readonly ways: SimulatedWays;
  readonly violations: Violation[];
  /** Takes facts that must be equal for equal seeds. */
  readonly trace: Hash;
  /** Faults that last, of the disks of parts that may end for that. */
  readonly failingDisks: Map<string, number>;
  readonly sent: Sent[];
  /** The taken steps, with their effects. */
  readonly steps: Map<string, string>;
  /** Aborts at a violation after which a run shows nothing more. */
  readonly over: AbortController;
  /** Set once something has not come true in time. */
  isStuck: boolean;
  faults: number;
  deposits: number;
  /** Other actions of users, by kind. */
  activity: Readonly<Record<string, number>>;
}

/** Keeps a violation: the first one of its rule, unless the run is over. */
export function report({ violations, options, time, over }: Run, violation: Violation): void {
  if (over.signal.aborted || violations.some(({ rule }) => rule === violation.rule)) return;
  violations.push(violation);
  options.note?.(`${time.now()} ms: violation: ${violation.rule}: ${violation.detail}`);
}

/** Asks again and again. @returns whether it came true in time. */
export async function comesTrue(run: Run, isTrue: () => Promise<boolean>): Promise<boolean> {
  const end = run.time.now() + (run.isStuck ? AFTER_FAILURE_MS : RECOVERY_MS);
  while (run.time.now() < end && !run.over.signal.aborted) {
    if (await isTrue()) return true;
    await sleep(200);
  }
  run.isStuck = true;
  return false;
}

/** Asks about each of them again and again. @returns those of which it has not come true in time. */
export async function lateOnes<T>(
  run: Run,
  all: Iterable<T>,
  isTrue: (each: T) => boolean | Promise<boolean>,
): Promise<ReadonlySet<T>> {
  const waiting = new Set(all);
  await comesTrue(run, async () => {
    for (const each of waiting) if (await isTrue(each)) waiting.delete(each);
    return waiting.size === 0;
  });
  return waiting;
}

/** Keeps a violation after which nothing else is to be seen. */
export function end(run: Run, violation: Violation): void {
  report(run, violation);
  run.over.abort();
}

export async function becomeReady(run: Run, stack: SimulatedStack): Promise<void> {
  for (const label of await lateOnes(run, stack.labels, (each) => stack.isReady(each))) {
    report(run, { rule: 'ready again', detail: `${label}: ${stack.lines(label).at(-1) ?? 'no line'}` });
  }
}

/** Everybody who has sent something can send more, and is answered. */
export async function takeMore(run: Run, senders: readonly DevAccount[]): Promise<void> {
  const acknowledged = (account: string) =>
    run.sent.filter((each) => each.account === account && (each.isAcknowledged || each.isRefused));
  const before = new Map(senders.map(({ name }) => [name, acknowledged(name).length]));
  // If only some steps are taken, none may be left.
  const wanted = [...before].filter(([, count]) => count > 0 && run.options.only === undefined);
  for (const [name] of await lateOnes(run, wanted, ([each, count]) => acknowledged(each).length > count))
    report(run, { rule: 'serves again', detail: `nothing of ${name} is taken any more` });
}

/** The composer's queue never holds more than it may. */
export async function watchQueue(run: Run, stack: SimulatedStack, signal: AbortSignal): Promise<void> {
  const url = `${stack.makeUrl('composer', 'health')}/status`;
  while (!signal.aborted) {
    const answer = await stack.outside.fetch(url).catch(() => undefined);
    const { queuedItems = 0 } = ((await answer?.json()) ?? {}) as { readonly queuedItems?: number };
    if (queuedItems > QUEUE_CAPACITY) {
      report(run, { rule: 'queues are bounded', detail: `composer: ${queuedItems} of ${QUEUE_CAPACITY} submissions` });
    }
    await sleep(LOOK_MS, signal).catch(() => undefined);
  }
}

/** Takes one step of a kind after the other until the signal aborts, each after a pause of at least this many milliseconds. */
export async function takeSteps(
  run: Run,
  kind: string,
  [least, most]: readonly [least: number, most: number],
  signal: AbortSignal,
  take: (step: Step) => Promise<unknown>,
): Promise<void> {
  const { seed, only } = run.options;
  let due = run.time.now();
  for (let index = 0; !signal.aborted; index += 1) {
    const name = `${kind} ${index}`;
    const chance = new Chance(seed, name);
    due += chance.integer(least, most);
    // A time of its own, so that omitted ones do not move the others.
    await sleep(Math.max(1, due - run.time.now()), signal).catch(() => undefined);
    if (signal.aborted || only?.has(name) === false) continue;
    run.steps.set(name, '');
    await take({ chance, describe: (text) => void run.steps.set(name, text) });
  }
}
