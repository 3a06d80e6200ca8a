import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { BadOptions } from '../bad-options.ts';
import type { Rollup } from '../rollups.ts';
import { type AnyClient, type DefinitionWorkload, definitionWorkload } from './definition-workload.ts';
import { FAULTS, type FaultName } from './fault-names.ts';
import { frameworkApi, frameworkRollup } from './framework-rollup.ts';
import type { RunOptions } from './progress.ts';
import { type RunResult, runSeed } from './run.ts';
import { shrunk } from './shrink.ts';
import { ASSET, type Composition, compose } from './stack.ts';
import type { SimulatedRollup, Workload } from './workload.ts';

export type { InvariantFacts, Invariants } from '@switchyard/rollup/invariants';
export type { Activity, ActivityFacts } from './activity.ts';
export type { Chance } from './chance.ts';
export { FAULTS, type FaultName } from './fault-names.ts';
export type { ValueFacts } from './generate.ts';
export type { Violation } from './observer.ts';
export { isUnanswered, type NodeAccess, type RollupApi, type RollupNode } from './rollup-api.ts';
export type { RunResult } from './run.ts';
export type { TransactionFacts, Workload } from './workload.ts';

/** Options of a simulation. Those of a definition have the types of its client. */
export interface SimulateOptions<Client = AnyClient> extends DefinitionWorkload<Client> {
  /** Transactions of the rollup, and its rules; derived from its schemas, if absent. */
  readonly workload?: Workload;
  /** Number of seeds, from 1 on, or the seeds themselves. */
  readonly seeds?: number | readonly number[];
  /** Blocks of the sequencer during which there are transactions and faults. */
  readonly heights?: number;
  /** Kinds of faults; all, if absent. */
  readonly faults?: readonly FaultName[];
  /** Names of the only steps that are taken, as a failure has them. */
  readonly only?: readonly string[];
  /** Most runs in which steps of a failing seed are left out one after the other; 100, if absent. */
  readonly shrinkRuns?: number;
  /** Called after each seed, whether it holds or not. */
  readonly onResult?: (result: RunResult) => void;
  /** Takes one line about each fault and each violation. */
  readonly note?: (line: string) => void;
}

const DEFAULTS = { seeds: 20, heights: 100, shrinkRuns: 100 } as const;
/** A smaller run may take this much longer than the first failed one, in simulated milliseconds. */
const LATER_MS = 2_000;
/** Log lines of each part in the message of a failure. */
const SHOWN_LINES = 15;

/** A rule did not hold in a simulated network. See the example of {@link simulate}. */
export class SimulationFailed extends Error {
  override readonly name = 'SimulationFailed';

  constructor(
    /** The smallest run of the seed in which the rule does not hold. */
    readonly result: RunResult,
    /** Options of that run. */
    readonly smallest: Pick<SimulateOptions, 'seeds' | 'heights' | 'only'>,
  ) {
    super(getMessage(result, smallest));
  }
}

/**
 * Runs a network with this rollup through faults, one seed after the other: parts are stopped, killed between any two steps and lose
 * unflushed data, links are slow, lose calls or are cut, disks are full, clocks are set. The code is that of production; time,
 * links and disks are simulated, so that the same seed does the same in every run, and a day takes seconds.
 *
 * Everything in this thread that takes its time from the framework is in simulated time in the meantime.
 *
 * @throws {SimulationFailed} for the first seed in which a rule did not hold: acknowledged transactions are executed once, nodes have the
 *   same blocks for ever, commitments never go back, each deposit is credited once, no part ends on its own, everything is ready again
 *   soon after the last fault, and the rules of the workload.
 * @throws {BadOptions} with one line, before anything is started.
 * @example
 * ```ts
 * const options = { seeds: 50, actors: [alice, bob], faults: FAULTS.filter((fault) => fault !== 'disk') };
 * await simulate(definedRollup(counter, genesisText), options).catch((error) => {
 *   if (error instanceof BadOptions) console.error(error.message);
 *   if (error instanceof SimulationFailed) console.error(error.smallest);
 *   throw error;
 * });
 * ```
 */
export async function simulate<Client>(
  rollup: Rollup<string, Client>,
  options?: SimulateOptions<Client>,
): Promise<readonly RunResult[]>;
export async function simulate(rollup: Rollup, options: SimulateOptions = {}): Promise<readonly RunResult[]> {
  const { seeds, ...given } = checked(rollup, options);
  const { onResult, shrinkRuns = DEFAULTS.shrinkRuns } = options;
  const composition: Composition = await compose(
    options.workload === undefined ? rollup : { ...rollup, defined: undefined },
  );
  const directory = mkdtempSync(join(tmpdir(), 'switchyard-simulation-'));
  const results: RunResult[] = [];
  try {
    for (const seed of seeds) {
      const run = { ...given, composition, seed, directory };
      const result = await runSeed(run);
      onResult?.(result);
      if (result.violations.length > 0) throw await smallestFailure(run, result, shrinkRuns);
      results.push(result);
    }
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
  return results;
}

/** Leaves out steps of a seed as long as the first rule that did not hold does not hold without them. */
async function smallestFailure(run: RunOptions, failed: RunResult, tries: number): Promise<SimulationFailed> {
  const { seed, heights } = run;
  let [smallest, only] = [failed, run.only && [...run.only]];
  const fails = async (fewer: readonly string[]): Promise<boolean> => {
    const longestMs = failed.simulatedMs + LATER_MS;
    const { note: _, ...quiet } = run;
    const found = await runSeed({ ...quiet, longestMs, only: new Set(fewer) });
    if (found.violations[0]?.rule !== failed.violations[0]?.rule) return false;
    [smallest, only] = [found, [...fewer]];
    return true;
  };
  let left = Object.keys(failed.steps);
  // Any that is left alone, too.
  if (tries > 0) await fails(left);
  for (const kind of tries > 0 ? new Set(left.map(getKind)) : []) {
    const others = left.filter((name) => getKind(name) !== kind);
    if (await fails(others)) left = others;
  }
  await shrunk(left, fails, tries);
  return new SimulationFailed(smallest, { seeds: [seed], heights, ...(only && { only }) });
}

const getKind = (step: string): string => step.slice(0, step.indexOf(' '));

function checked(rollup: Rollup, options: SimulateOptions) {
  const { seeds = DEFAULTS.seeds, heights = DEFAULTS.heights, faults = FAULTS, only, note, invariants } = options;
  const whole = (name: string, value: number, least: number): void => {
    if (!(Number.isSafeInteger(value) && value >= least))
      throw new BadOptions(`${name}: expected a whole number from ${least} on, got ${value}`);
  };
  whole('heights', heights, 1);
  const list = typeof seeds === 'number' ? Array.from({ length: seeds }, (_, index) => index + 1) : seeds;
  if (typeof seeds === 'number') whole('seeds', seeds, 1);
  for (const seed of list) whole('seeds', seed, 0);
  for (const fault of faults) {
    if (!FAULTS.includes(fault)) throw new BadOptions(`faults: expected some of ${FAULTS.join(', ')}, got ${fault}`);
  }
  return {
    ...{ seeds: list, heights, faults, rollup: simulatedRollup(rollup, options), invariants },
    ...(only && { only: new Set(only) }),
    ...(note && { note }),
  };
}

function simulatedRollup({ defined, name }: Rollup, options: SimulateOptions): SimulatedRollup {
  if (options.workload !== undefined) return frameworkRollup(options.workload);
  if (defined !== undefined)
    return { ...definitionWorkload(defined, options, ASSET), mayRefuse: true, api: frameworkApi(true) };
  throw new BadOptions(`workload: rollup ${name} has transactions of its own, which a workload has to make`);
}

function getMessage(
  { seed, violations, steps, logs }: RunResult,
  { heights, only }: Pick<SimulateOptions, 'seeds' | 'heights' | 'only'>,
): string {
  const rules = violations.map(({ rule, detail }) => `  ${rule}: ${detail}`);
  const taken = Object.entries(steps).map(([name, text]) => `  ${name}${text === '' ? '' : `: ${text}`}`);
  const lines = Object.entries(logs).flatMap(([label, all]) => [
    `  ${label}:`,
    ...all.slice(-SHOWN_LINES).map((line) => `    ${line}`),
  ]);
  const again = `seeds: [${seed}], heights: ${heights}${only ? `, only: ${JSON.stringify(only)}` : ''}`;
  return [
    `seed ${seed}, ${heights} heights: ${violations.length} violations`,
    ...rules,
    ...(only === undefined ? [] : ['with these steps alone', ...taken]),
    `repeat it with: simulate(rollup, { ...options, ${again} })`,
    'newest log lines',
    ...lines,
  ].join('\n');
}
