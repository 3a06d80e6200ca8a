import { parentPort, workerData } from 'node:worker_threads';
import { runFile } from './run-file.ts';
import type { Choice } from './verdict.ts';

/* A thread that runs one file of tests after another. The main thread is of the same version. */
const choice = workerData as Choice;
parentPort?.on('message', (path: string) => {
  void runFile(path, choice).then((verdicts) => parentPort?.postMessage(verdicts));
});
