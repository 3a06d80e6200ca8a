// For every test file: a temporary directory of its own. Loaded first, so that its hook runs last.
import { mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, inject } from 'vitest';
import { FILE_PREFIX, PORTS_DIRECTORY, RUN_DIRECTORY, releasePorts, removeTree } from './directory.mjs';

const run = inject(RUN_DIRECTORY);
const ports = join(run, PORTS_DIRECTORY);
process.env.SWITCHYARD_TEST_PORTS = ports;

const directory = mkdtempSync(join(run, FILE_PREFIX));
process.env.TMPDIR = directory;
afterAll(() => {
  releasePorts(ports, directory);
  removeTree(directory);
});
