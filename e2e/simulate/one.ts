import { SimulationFailed } from '@switchyard/network/simulate';
import { simulateRollup } from './rollups.ts';

/* Prints the seed and the rules of the first failure, as JSON; without one, the trace of each seed. Arguments: the rollup, and the seeds. */

const HEIGHTS = 60;

try {
  const [rollup, ...seeds] = process.argv.slice(2);
  const results = await simulateRollup(rollup === 'evm' ? rollup : 'messenger', {
    ...{ seeds: seeds.map(Number), heights: HEIGHTS },
  });
  console.log(JSON.stringify({ traces: results.map(({ trace }) => trace) }));
} catch (error) {
  if (!(error instanceof SimulationFailed)) throw error;
  const { seed, violations } = error.result;
  console.log(JSON.stringify({ seed, rules: [...new Set(violations.map(({ rule }) => rule))] }));
}
process.exit();
