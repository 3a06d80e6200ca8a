/** Simulates networks for `switchyard mcp`, in a process of its own, since a simulation replaces time and chance. */
import { evm, messenger } from '@switchyard/network';
import { type SimulateOptions, SimulationFailed, simulate } from '@switchyard/network/simulate';

process.stdin.on('end', () => process.exit(1)).resume();

const { SIMULATE_ROLLUP, SIMULATE_SEEDS = '', SIMULATE_HEIGHTS } = process.env;
const options = { seeds: SIMULATE_SEEDS.split(',').map(Number), heights: Number(SIMULATE_HEIGHTS) };
const seedsOf = (given: Pick<SimulateOptions, 'seeds' | 'heights'>) =>
  SIMULATE_ROLLUP === 'evm' ? simulate(evm(), given) : simulate(messenger(), given);

const outcome = await seedsOf(options).then(
  (results) => ({ holds: true, results: results.map(({ logs, ...result }) => result) }),
  (error: unknown) => {
    if (error instanceof SimulationFailed) return { holds: false, results: [error.result] };
    throw error;
  },
);
process.stdout.write(`${JSON.stringify({ level: 'info', outcome: JSON.stringify(outcome) })}\n`, () => process.exit());
