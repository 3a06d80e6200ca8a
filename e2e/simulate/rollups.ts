import { evm, messenger } from '@switchyard/network';
import { type RunResult, type SimulateOptions, simulate } from '@switchyard/network/simulate';
import { evmWorkload } from './evm-workload.ts';
import { messengerWorkload } from './messenger-workload.ts';

export const ROLLUPS = ['messenger', 'evm'] as const;
export type RollupName = (typeof ROLLUPS)[number];

const EVM_EVERY = 5;

/** The rollup of a seed, if none is requested: the EVM in every fifth. */
export const getRollup = (seed: number): RollupName => (seed % EVM_EVERY === 0 ? 'evm' : 'messenger');

/** Runs seeds with the workload of their rollup, unless another one is given. @throws {SimulationFailed} */
export function simulateRollup(name: RollupName, options: SimulateOptions): Promise<readonly RunResult[]> {
  return name === 'evm'
    ? simulate(evm(), { workload: evmWorkload, ...options })
    : simulate(messenger(), { workload: messengerWorkload, ...options });
}
