import { createRequire } from 'node:module';
import { isMainThread, Worker, workerData } from 'node:worker_threads';
import type { CompileJob, CompileReport } from './compile.ts';

/*
 * The process in which one compilation runs. It is WebAssembly and has no time of its own to look at a clock, so a second
 * thread ends the process when it takes too much, or when the explorer has gone without ending it.
 */

const WATCH_MS = 100;
const MAX_OUTPUT = 16 * 1_048_576;

if (isMainThread) process.once('message', (job: CompileJob) => void compile(job));
else watch(workerData as CompileJob);

async function compile(job: CompileJob): Promise<void> {
  new Worker(new URL(import.meta.url), { workerData: { ...job, input: '' } });
  const { default: wrapper } = await import('solc/wrapper.js');
  const solc = wrapper(createRequire(import.meta.url)(job.compiler));
  const output: string = solc.compile(job.input);
  const report: CompileReport = { version: solc.version(), output: output.length > MAX_OUTPUT ? undefined : output };
  process.send?.(report, () => process.exit());
}

function watch({ maxMs, maxBytes }: CompileJob): void {
  const parent = process.ppid;
  const since = performance.now();
  setInterval(() => {
    const isOver = performance.now() - since > maxMs || process.ppid !== parent;
    if (isOver || process.memoryUsage.rss() > maxBytes) process.kill(process.pid, 'SIGKILL');
  }, WATCH_MS);
}
