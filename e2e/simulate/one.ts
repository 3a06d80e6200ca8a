import { FAULTS, type FaultName, SimulationFailed } from '@switchyard/network/simulate';
import { simulateRollup } from './rollups.ts';

/*
 * Prints the seed and the rules of the first failure, as JSON; without one, the trace of each seed. Arguments: the rollup, kinds of
 * faults with commas between them, or `all`, and the seeds.
 */

const HEIGHTS = 60;

try {
  const [rollup, kinds = 'all', ...seeds] = process.argv.slice(2);
  // Kinds that there are not are refused.
  const faults = kinds === 'all' ? FAULTS : (kinds.split(',') as FaultName[]);
  const results = await simulateRollup(rollup === 'evm' ? rollup : 'messenger', {
    ...{ seeds: seeds.map(Number), heights: HEIGHTS, faults, shrinkRuns: 0 },
  });
  console.log(JSON.stringify({ traces: results.map(({ trace }) => trace) }));
} catch (error) {
  if (!(error instanceof SimulationFailed)) throw error;
  const { seed, violations } = error.result;
  console.log(JSON.stringify({ seed, rules: [...new Set(violations.map(({ rule }) => rule))] }));
}
process.exit();
