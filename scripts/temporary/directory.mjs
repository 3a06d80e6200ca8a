// Everything that tests create in the temporary directory goes below one directory of the run, and there below one of the test
// file, which is removed when the file is done: also what product code and child processes create, because they read TMPDIR.
import { chmodSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';

/** Key under which the directory of the run is provided to test files. */
export const RUN_DIRECTORY = 'temporaryDirectory';

/** Below it: the ports that test files have taken, which run next to each other. */
export const PORTS_DIRECTORY = 'ports';

/** Prefix of the directory of one test file. Short, because paths of Unix sockets are limited to about 100 bytes. */
export const FILE_PREFIX = 'f-';

/** @param {string} path */
export function removeTree(path) {
  const options = { recursive: true, force: true, maxRetries: 5 };
  try {
    rmSync(path, options);
  } catch {
    // Only root may delete from directories that a test has made read-only.
    unlock(path);
    rmSync(path, options);
  }
}

/** @param {string} path */
function unlock(path) {
  chmodSync(path, 0o700);
  for (const entry of readdirSync(path, { withFileTypes: true })) {
    if (entry.isDirectory()) unlock(join(path, entry.name));
  }
}

/**
 * Gives back what a test file has claimed: there are too few ports for all files of a run, one after the other.
 *
 * @param {string} ports A file for each port that is taken, with the directory of the test file that has it.
 * @param {string} directory
 */
export function releasePorts(ports, directory) {
  for (const port of readdirSync(ports)) {
    const claim = join(ports, port);
    try {
      if (readFileSync(claim, 'utf8') === directory) rmSync(claim);
    } catch {
      // The file alongside this one has taken its claim back in the meantime.
    }
  }
}
