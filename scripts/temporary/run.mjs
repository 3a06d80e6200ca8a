// Around a whole run: fails it when a test file has left something behind, for example by a process that it did not end.
import { accessSync, constants, mkdirSync, mkdtempSync, readdirSync, statfsSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { FILE_PREFIX, PORTS_DIRECTORY, RUN_DIRECTORY, removeTree } from './directory.mjs';

/** A file system in memory, if Linux has one: unit tests open thousands of stores, and flushes cost nothing there. */
const MEMORY = '/dev/shm';
/** Several times what unit tests take at once. Containers often have 64 MiB. */
const LEAST_BYTES = 2 ** 31;

/** @param {import('vitest/node').TestProject} project */
export default function setup(project) {
  const directory = makeDirectory(project.vitest.projects.every(({ name }) => name === 'unit'));
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

/** A short name: paths of Unix sockets are limited to about 100 bytes. @param {boolean} mayBeInMemory */
function makeDirectory(mayBeInMemory) {
  const make = (/** @type {string} */ parent) => mkdtempSync(join(parent, 'switchyard-'));
  if (!mayBeInMemory || process.env.TMPDIR !== undefined || !hasRoom(MEMORY)) return make(tmpdir());
  const directory = make(MEMORY);
  if (mayExecute(directory)) return directory;
  removeTree(directory);
  return make(tmpdir());
}

/** @param {string} parent */
function hasRoom(parent) {
  try {
    const { bavail, bsize } = statfsSync(parent);
    return bavail * bsize >= LEAST_BYTES;
  } catch {
    return false;
  }
}

/** Whether programs that tests write there can be started: some systems forbid it. @param {string} directory */
function mayExecute(directory) {
  const program = join(directory, 'program');
  try {
    writeFileSync(program, '', { mode: 0o700 });
    accessSync(program, constants.X_OK);
    return true;
  } catch {
    return false;
  } finally {
    removeTree(program);
  }
}
