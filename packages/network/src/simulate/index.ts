import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { RollupClient } from '@switchyard/client';
import type { EvmClient } from '@switchyard/evm/client';
import { BadOptions } from '../bad-options.ts';
import type { Rollup } from '../rollups.ts';
import { evmRollup } from './evm-rollup.ts';
import { FAULTS, type FaultName } from './faults.ts';
import { frameworkRollup } from './framework-rollup.ts';
import { type RunResult, runSeed } from './run.ts';
import type { SimulatedRollup } from './simulated-rollup.ts';
import { type Composition, compose } from './stack.ts';
import type { Workload } from './workload.ts';

export type { Chance } from './chance.ts';
export { FAULTS, type FaultName } from './faults.ts';
export type { Violation } from './observer.ts';
export type { RunResult } from './run.ts';
export type { MakeTransaction, TransactionFacts, Workload } from './workload.ts';

/** @typeParam Client How the workload looks at the rollup. */
export interface SimulateOptions<Client = RollupClient> {
  /** Number of seeds, from 1 on, or the seeds themselves. */
  readonly seeds?: number | readonly number[];
  /** Blocks of the sequencer during which there are transactions and faults. */
  readonly heights?: number;
  /** Kinds of faults; all, if absent. */
  readonly faults?: readonly FaultName[];
  /** Transactions of the rollup, and its rules. That of the messenger or of the EVM, if absent. */
  readonly workload?: Workload<Client>;
  /** Called after each seed, whether it holds or not. */
  readonly onResult?: (result: RunResult) => void;
  /** Takes one line about each fault and each violation. */
  readonly note?: (line: string) => void;
}

const DEFAULTS = { seeds: 20, heights: 100 } as const;
/** Log lines of each part in the message of a failure. */
const SHOWN_LINES = 15;

/** A rule did not hold in a simulated network. */
export class SimulationFailed extends Error {
  override readonly name = 'SimulationFailed';

  constructor(
    readonly result: RunResult,
    readonly heights: number,
  ) {
    super(messageOf(result, heights));
  }
}

/**
 * Runs a network with this rollup through faults, one seed after the other: parts are stopped, killed between any two steps and lose
 * what was not flushed, links are slow, lose calls or are cut, disks are full, clocks are set. The code is that of production; time,
 * links and disks are simulated, so that the same seed does the same in every run, and a day takes seconds.
 *
 * Everything in this thread that takes its time from the framework is in simulated time meanwhile.
 *
 * @throws {SimulationFailed} for the first seed in which a rule did not hold: whatever was acknowledged is executed once, nodes have the
 *   same blocks for ever, commitments never go back, each deposit is credited once, no part ends by itself, everything is ready again
 *   soon after the last fault, and the rules of the workload.
 * @throws {BadOptions} with one line, before anything is started.
 */
export async function simulate(
  rollup: Rollup<string, EvmClient>,
  options?: SimulateOptions<EvmClient>,
): Promise<readonly RunResult[]>;
export async function simulate(rollup: Rollup, options?: SimulateOptions): Promise<readonly RunResult[]>;
export async function simulate(
  rollup: Rollup,
  options: SimulateOptions<EvmClient> | SimulateOptions = {},
): Promise<readonly RunResult[]> {
  const { seeds, heights, faults, rollup: simulated } = checked(rollup, options);
  const { onResult, note } = options;
  const composition: Composition = await compose(rollup);
  const directory = mkdtempSync(join(tmpdir(), 'switchyard-simulation-'));
  const results: RunResult[] = [];
  try {
    for (const seed of seeds) {
      const result = await runSeed({
        composition,
        rollup: simulated,
        seed,
        heights,
        faults,
        directory,
        ...(note && { note }),
      });
      onResult?.(result);
      if (result.violations.length > 0) throw new SimulationFailed(result, heights);
      results.push(result);
    }
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
  return results;
}

function checked(rollup: Rollup, options: SimulateOptions<EvmClient> | SimulateOptions) {
  const { seeds = DEFAULTS.seeds, heights = DEFAULTS.heights, faults = FAULTS } = options;
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
  if (options.workload === undefined && rollup.process !== undefined) {
    throw new BadOptions(`workload: rollup ${rollup.name} has transactions of its own, which a workload has to make`);
  }
  return { seeds: list, heights, faults, rollup: simulatedRollup(rollup, options) };
}

function simulatedRollup(
  { program }: Rollup,
  { workload }: SimulateOptions<EvmClient> | SimulateOptions,
): SimulatedRollup {
  // Which client a workload has is decided by the program, which no type of ours connects.
  return program === 'evm'
    ? evmRollup(workload as Workload<EvmClient> | undefined)
    : frameworkRollup(workload as Workload | undefined);
}

function messageOf({ seed, violations, logs }: RunResult, heights: number): string {
  const rules = violations.map(({ rule, detail }) => `  ${rule}: ${detail}`);
  const lines = Object.entries(logs).flatMap(([label, all]) => [
    `  ${label}:`,
    ...all.slice(-SHOWN_LINES).map((line) => `    ${line}`),
  ]);
  return [
    `seed ${seed}, ${heights} heights: ${violations.length} violations`,
    ...rules,
    'newest log lines',
    ...lines,
  ].join('\n');
}
