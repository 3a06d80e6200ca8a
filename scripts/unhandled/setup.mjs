// For every test file: a test fails when a process that it started left an error unhandled. What happens in the test's own
// process, Vitest reports on its own.
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach } from 'vitest';

const hook = `--import=${new URL('record.mjs', import.meta.url)}`;
const options = process.env.NODE_OPTIONS ?? '';
if (!options.includes(hook)) process.env.NODE_OPTIONS = `${options} ${hook}`.trim();

const file = join(tmpdir(), 'unhandled-errors');
process.env.SWITCHYARD_TEST_UNHANDLED = file;

function expectNone() {
  if (!existsSync(file)) return;
  const found = readFileSync(file, 'utf8');
  rmSync(file);
  throw new Error(`a process that was started left an error unhandled:\n${found}`);
}

afterEach(expectNone);
// Errors of processes that were stopped after the last test count too.
afterAll(expectNone);
