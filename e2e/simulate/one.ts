import { messenger } from '@switchyard/network';
import { SimulationFailed, simulate } from '@switchyard/network/simulate';

/* Prints the seed and the rules of the first failure, as JSON; nothing where there is none. */

const SEEDS = 80;
const HEIGHTS = 60;

try {
  await simulate(messenger(), { seeds: SEEDS, heights: HEIGHTS });
} catch (error) {
  if (!(error instanceof SimulationFailed)) throw error;
  const { seed, violations } = error.result;
  console.log(JSON.stringify({ seed, rules: [...new Set(violations.map(({ rule }) => rule))] }));
}
process.exit();
