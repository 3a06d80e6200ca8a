// Around a whole run: fails it when a test file has left something behind, for example by a process that it did not end.
import { mkdirSync, mkdtempSync, readdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { FILE_PREFIX, PORTS_DIRECTORY, RUN_DIRECTORY, removeTree } from './directory.mjs';

/** @param {import('vitest/node').TestProject} project */
export default function setup(project) {
  // A short name: paths of Unix sockets are limited to about 100 bytes.
  const directory = mkdtempSync(join(tmpdir(), 'switchyard-'));
  mkdirSync(join(directory, PORTS_DIRECTORY));
  project.provide(RUN_DIRECTORY, directory);
  return () => {
    // The hook of a file whose tests are all skipped does not run: its own directory is left, with nothing in it.
    const isEmpty = (/** @type {string} */ name) =>
      name.startsWith(FILE_PREFIX) && readdirSync(join(directory, name)).length === 0;
    const left = readdirSync(directory).filter((name) => name !== PORTS_DIRECTORY && !isEmpty(name));
    removeTree(directory);
    if (left.length === 0) return;
    console.error(`tests left ${left.length} temporary directories: ${left.join(', ')}`);
    // Vitest prints errors of a teardown but exits with 0.
    process.exitCode = 1;
  };
}
