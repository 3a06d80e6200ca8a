import { Worker } from 'node:worker_threads';

/**
 * If processors are scarce, threads that compute for many do not hold up the threads that answer. Only on Linux does a thread
 * have a priority of its own.
 */
const NICER_BY = 5;
const BOOT = `
  const os = require('node:os');
  const { workerData } = require('node:worker_threads');
  if (process.platform === 'linux') os.setPriority(Math.min(os.constants.priority.PRIORITY_LOW, os.getPriority() + workerData.nicerBy));
  import(workerData.program);
`;

/** More saves no processor time, as measured with blocks of transfers. */
const MAX_YOUNG_MB = 16;

/** `workerData` of a thread. */
export interface BackgroundData<T> {
  readonly program: string;
  readonly nicerBy: number;
  readonly data: T;
}

export interface BackgroundOptions {
  /** Structured-cloned. */
  readonly data?: unknown;
  readonly maxHeapMb: number;
  /** How much less urgent it is than the starting thread, in steps of `nice`; 5, if absent. */
  readonly nicerBy?: number;
}

/**
 * A thread of lower priority than the starting thread. It does not keep the process alive.
 *
 * @param program In a process a compiled file.
 */
export function backgroundThread(program: URL, { data, maxHeapMb, nicerBy = NICER_BY }: BackgroundOptions): Worker {
  const workerData: BackgroundData<unknown> = { program: program.href, nicerBy, data };
  const worker = new Worker(BOOT, {
    eval: true,
    workerData,
    // Under tests, flags of the process lead to sources; a thread runs compiled files.
    execArgv: [],
    // A heap as large as the process's would only let garbage pile up.
    resourceLimits: {
      maxOldGenerationSizeMb: maxHeapMb,
      maxYoungGenerationSizeMb: Math.min(MAX_YOUNG_MB, Math.max(2, maxHeapMb / 32)),
    },
  });
  worker.unref();
  return worker;
}
