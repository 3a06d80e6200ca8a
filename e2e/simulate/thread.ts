import { parentPort, workerData } from 'node:worker_threads';
import { messenger } from '@switchyard/network';
import { SimulationFailed, simulate } from '@switchyard/network/simulate';

/* One thread of `npm run sim`: its seeds, one after the other. It sends each result; the last one is a failure, if there is one. */

const { seeds, heights, faults } = workerData;
try {
  await simulate(messenger(), { seeds, heights, faults, onResult: (result) => parentPort?.postMessage(result) });
} catch (error) {
  if (!(error instanceof SimulationFailed)) throw error;
}
