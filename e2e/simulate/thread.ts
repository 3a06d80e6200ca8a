import { parentPort, workerData } from 'node:worker_threads';
import { type RunResult, SimulationFailed } from '@switchyard/network/simulate';
import { getRollup, simulateRollup } from './rollups.ts';

/* One thread of `npm run sim`: its seeds, one after the other. It sends each result; the last one is a failure, if there is one. */

const { rollup, seeds, heights, faults } = workerData;
try {
  for (const seed of seeds) {
    const onResult = (result: RunResult): void => parentPort?.postMessage(result);
    await simulateRollup(rollup ?? getRollup(seed), { seeds: [seed], heights, faults, onResult, shrinkRuns: 0 });
  }
} catch (error) {
  if (!(error instanceof SimulationFailed)) throw error;
}
