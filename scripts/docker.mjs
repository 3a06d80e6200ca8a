// Puts the Docker engine of Debian into a directory, without installing it: an installed one starts, and changes the packet filter of the machine.
// Prints its path. Usage: node scripts/docker.mjs
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { unpackDebian } from './packing/debian.mjs';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const cache = process.env.SWITCHYARD_CACHE ?? join(root, '.cache');
export const place = join(cache, 'docker-debian');

/** @returns the directory, or why there is none. */
export function fetchDocker() {
  if (existsSync(place)) return { place };
  if (process.platform !== 'linux') return { problem: `it runs on Linux, got ${process.platform}` };
  mkdirSync(cache, { recursive: true });
  const unfinished = mkdtempSync(`${place}.`);
  try {
    unpackDebian(['docker.io', 'libdevmapper1.02.1'], unfinished);
    // Whole or not there, despite interruptions; another run may have been faster.
    if (!existsSync(place)) renameSync(unfinished, place);
    return { place };
  } catch (error) {
    return { problem: error.message };
  } finally {
    rmSync(unfinished, { recursive: true, force: true });
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { place: fetched, problem } = fetchDocker();
  if (fetched === undefined) {
    console.error(`the Docker engine is not there: ${problem}; its scenario will be left out`);
    process.exit(1);
  }
  console.log(fetched);
}
