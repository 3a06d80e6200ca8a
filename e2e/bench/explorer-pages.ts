import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { RunningExplorer } from '../support/explorer.ts';
import { httpLoad } from './http-load.ts';

/** Path of a request of one kind, each for another thing than those before it. @param number Number of the request. */
export type Page = (number: number) => string;

const CONNECTIONS = 8;
/** Time for each kind of pages. */
const PAGE_SECONDS = 2;

/**
 * Reads every kind of pages for a while.
 *
 * @param kinds Pages by their name in the output; paths below `base`.
 * @returns the greatest of the 99th percentiles, in milliseconds.
 */
export async function slowest(
  { url, usage }: RunningExplorer,
  base: string,
  kinds: ReadonlyMap<string, Page>,
  progress: (text: string) => void,
): Promise<number> {
  let worst = 0;
  for (const [name, page] of kinds) {
    let number = 0;
    const path = () => `${base}${page(number++)}`;
    const before = usage().cpuSeconds;
    const { p50, p99 } = await httpLoad({ url, path, connections: CONNECTIONS, seconds: PAGE_SECONDS });
    const cpuMs = ((usage().cpuSeconds - before) * 1_000) / number;
    const figures = [`p50 ${p50.toFixed(1)} ms`, `p99 ${p99.toFixed(1)} ms`, `CPU ${cpuMs.toFixed(1)} ms`];
    progress(`${name}: ${number} requests, ${figures.join(', ')}`);
    worst = Math.max(worst, p99);
  }
  return worst;
}

/** A directory for one index, which is removed. */
export async function withDirectory<T>(use: (directory: string) => Promise<T>): Promise<T> {
  const directory = mkdtempSync(join(tmpdir(), 'switchyard-bench-'));
  try {
    return await use(directory);
  } finally {
    rmSync(directory, { recursive: true });
  }
}
