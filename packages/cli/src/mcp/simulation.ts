import { fileURLToPath } from 'node:url';
import { Failure } from '../failure.ts';
import { startChild } from '../rebuild/child.ts';
import type { ToolWorld } from './run-command.ts';

/** The bundle of the program beside this file. */
const ENTRY = fileURLToPath(new URL('./simulate-main.js', import.meta.url));

export interface SimulationPlan {
  readonly rollup: string;
  readonly seeds: readonly number[];
  readonly heights: number;
}

/** Runs seeds in a process of their own. @returns JSON: whether all rules held, and the seeds, or the one that failed. @throws {Failure} */
export async function simulated(
  { rollup, seeds, heights }: SimulationPlan,
  { env, signal }: ToolWorld,
): Promise<string> {
  const settings = { SIMULATE_ROLLUP: rollup, SIMULATE_SEEDS: seeds.join(), SIMULATE_HEIGHTS: String(heights) };
  const child = startChild('simulation', ENTRY, settings, env);
  const stopped = new Promise<never>((_, reject) => {
    signal.addEventListener('abort', () => reject(new Failure('the simulation was stopped')), { once: true });
  });
  stopped.catch(() => undefined);
  try {
    return await Promise.race([child.logged('outcome'), stopped]);
  } finally {
    await child.stop();
  }
}
