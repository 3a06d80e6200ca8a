import { type ChildProcess, spawn } from 'node:child_process';
import { join } from 'node:path';
import { root } from '../support/network.ts';
import type { LoadJob } from './load/main.ts';

const ENTRY = join(root, 'e2e', 'dist', 'chaos', 'load', 'main.js');

/** The process that puts the load on. It is no part of the attacked system. */
export interface LoadProcess {
  begin(): void;
  /** Resolves when a transaction is acknowledged from now on, at the latest after this time. */
  acknowledged(withinMs: number): Promise<void>;
  /** Nothing new; resolves when all is answered for good, or given up. */
  finish(): Promise<void>;
  kill(): void;
}

/** Resolves when its accounts have their money. */
export async function startLoad(job: LoadJob): Promise<LoadProcess> {
  const child: ChildProcess = spawn(process.execPath, [ENTRY, JSON.stringify(job)], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve));
  await new Promise<void>((resolve, reject) => {
    child.stdout?.once('data', () => resolve());
    child.once('close', (code) => reject(new Error(`the load ended with ${code} before it began`)));
  });
  // Each line is taken, whether or not it is waited for: a full pipe would stop the load.
  child.stdout?.resume();
  return {
    begin: () => void child.stdin?.write('\n'),
    acknowledged: (withinMs) =>
      new Promise((resolve) => {
        const done = (): void => {
          clearTimeout(timer);
          child.stdout?.off('data', done);
          resolve();
        };
        const timer = setTimeout(done, withinMs);
        child.stdout?.on('data', done);
      }),
    async finish() {
      child.stdin?.write('\n');
      const code = await ended;
      if (code !== 0) throw new Error(`the load ended with ${code}`);
    },
    kill: () => void child.kill('SIGKILL'),
  };
}
