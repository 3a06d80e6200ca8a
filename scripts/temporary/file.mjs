// For every test file: a temporary directory of its own. Loaded first, so that its hook runs last.
import { mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, inject } from 'vitest';
import { RUN_DIRECTORY, removeTree } from './directory.mjs';

const directory = mkdtempSync(join(inject(RUN_DIRECTORY), 'f-'));
process.env.TMPDIR = directory;
afterAll(() => removeTree(directory));
