/** Simulates networks for `switchyard mcp`, in a process of its own, since a simulation replaces time and chance. */
import { messenger } from '@switchyard/network';
import { SimulationFailed, simulate } from '@switchyard/network/simulate';
import { processWorld } from '@switchyard/service';

process.stdin.on('end', () => process.exit(1)).resume();

const { SIMULATE_SEEDS = '', SIMULATE_HEIGHTS } = process.env;
const options = { seeds: SIMULATE_SEEDS.split(',').map(Number), heights: Number(SIMULATE_HEIGHTS) };

const outcome = await simulate(messenger(), options).then(
  (results) => ({ holds: true, results: results.map(({ logs, ...result }) => result) }),
  (error: unknown) => {
    if (error instanceof SimulationFailed) return { holds: false, results: [error.result] };
    throw error;
  },
);
await processWorld().sendToParent?.({ outcome: JSON.stringify(outcome) });
process.exit();
