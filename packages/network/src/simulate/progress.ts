import type { Hash } from 'node:crypto';
import { sleep } from '@switchyard/service';
import type { DevAccount } from '../accounts/accounts.ts';
import type { FaultName } from './faults.ts';
import type { Sent } from './load.ts';
import type { Violation } from './observer.ts';
import type { SimulatedRollup } from './simulated-rollup.ts';
import { type Composition, QUEUE_CAPACITY, type SimulatedStack } from './stack.ts';
import type { SimulatedTime } from './time.ts';
import type { SimulatedWays } from './ways.ts';

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
  /** Takes one line about each fault and each violation. */
  readonly note?: (line: string) => void;
}

/** A run under way. */
export interface Run {
  readonly options: RunOptions;
  readonly time: SimulatedTime;
  readonly ways: SimulatedWays;
  readonly violations: Violation[];
  /** Takes what has to be the same for the same seed. */
  readonly trace: Hash;
  /** Faults that last, of the disks of parts that may end for that. */
  readonly failingDisks: Map<string, number>;
  readonly sent: Sent[];
  /** Set once something has not come true in time. */
  isStuck: boolean;
  faults: number;
  deposits: number;
  /** Claims that the faucet has paid. */
  claims: number;
  /** Withdrawals of the rollup. */
  withdrawals: number;
  /** Atomic bundles that were sent. */
  bundles: number;
}

export function report({ violations, options, time }: Run, violation: Violation): void {
  violations.push(violation);
  options.note?.(`${time.now()} ms: violation: ${violation.rule}: ${violation.detail}`);
}

/** Asks again and again. @returns whether it came true in time. */
export async function comesTrue(run: Run, isTrue: () => Promise<boolean>): Promise<boolean> {
  const end = run.time.now() + (run.isStuck ? AFTER_FAILURE_MS : RECOVERY_MS);
  while (run.time.now() < end) {
    if (await isTrue()) return true;
    await sleep(200);
  }
  run.isStuck = true;
  return false;
}

export async function becomeReady(run: Run, stack: SimulatedStack): Promise<void> {
  const waiting = new Set(stack.labels);
  await comesTrue(run, async () => {
    for (const label of waiting) if (await stack.isReady(label)) waiting.delete(label);
    return waiting.size === 0;
  });
  for (const label of waiting) {
    report(run, { rule: 'ready again', detail: `${label}: ${stack.lines(label).at(-1) ?? 'no line'}` });
  }
}

/** Everybody who has sent something can send more. */
export async function takeMore(run: Run, senders: readonly DevAccount[]): Promise<void> {
  const acknowledged = (account: string) => run.sent.filter((each) => each.account === account && each.isAcknowledged);
  const before = new Map(senders.map(({ name }) => [name, acknowledged(name).length]));
  const waiting = new Set([...before].flatMap(([name, count]) => (count > 0 ? [name] : [])));
  await comesTrue(run, async () => {
    for (const name of waiting) if (acknowledged(name).length > (before.get(name) ?? 0)) waiting.delete(name);
    return waiting.size === 0;
  });
  for (const name of waiting) report(run, { rule: 'serves again', detail: `nothing of ${name} is taken any more` });
}

/** The composer's queue never holds more than it may. */
export async function watchQueue(run: Run, stack: SimulatedStack, signal: AbortSignal): Promise<void> {
  const url = `${stack.urlOf('composer', 'health')}/status`;
  while (!signal.aborted) {
    const answer = await stack.outside.fetch(url).catch(() => undefined);
    const { queuedItems = 0 } = ((await answer?.json()) ?? {}) as { readonly queuedItems?: number };
    if (queuedItems > QUEUE_CAPACITY) {
      report(run, { rule: 'queues are bounded', detail: `composer: ${queuedItems} of ${QUEUE_CAPACITY} submissions` });
    }
    await sleep(LOOK_MS, signal).catch(() => undefined);
  }
}
