import { messenger } from '@switchyard/network';
import { SimulationFailed, simulate } from '@switchyard/network/simulate';

/* Prints the seed and the rules of the first failure, as JSON; without one, the trace of each seed. Arguments: the seeds. */

const HEIGHTS = 60;

try {
  const results = await simulate(messenger(), { seeds: process.argv.slice(2).map(Number), heights: HEIGHTS });
  console.log(JSON.stringify({ traces: results.map(({ trace }) => trace) }));
} catch (error) {
  if (!(error instanceof SimulationFailed)) throw error;
  const { seed, violations } = error.result;
  console.log(JSON.stringify({ seed, rules: [...new Set(violations.map(({ rule }) => rule))] }));
}
process.exit();
