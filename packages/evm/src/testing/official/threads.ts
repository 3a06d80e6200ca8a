import { Worker } from 'node:worker_threads';
import type { Choice, Verdict } from './verdict.ts';

/** Runs the files in this many threads. @param onFile When one is done. @throws What a thread ended with. */
export async function runFiles(
  files: readonly string[],
  { threads, choice }: { readonly threads: number; readonly choice: Choice },
  onFile: (path: string, verdicts: readonly Verdict[]) => void,
): Promise<void> {
  const waiting = [...files].reverse();
  const work = async (): Promise<void> => {
    const worker = new Worker(new URL('./worker.js', import.meta.url), { workerData: choice });
    try {
      for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
        const current = path;
        await new Promise<void>((resolve, reject) => {
          worker.once('message', (verdicts: readonly Verdict[]) => {
            worker.removeAllListeners('error');
            onFile(current, verdicts);
            resolve();
          });
          worker.once('error', (cause) => reject(new Error(`${current}: the thread has ended`, { cause })));
          worker.postMessage(current);
        });
      }
    } finally {
      await worker.terminate();
    }
  };
  await Promise.all(Array.from({ length: Math.min(threads, files.length) }, work));
}
