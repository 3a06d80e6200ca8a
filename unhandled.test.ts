import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const root = import.meta.dirname;
const vitest = join(root, 'node_modules', 'vitest', 'vitest.mjs');

/** Runs one of the probes as a test, with the settings of all tests. */
function run(probe: string) {
  const config = join(root, 'scripts', 'unhandled', 'probes.config.mjs');
  const { NODE_OPTIONS: _, SWITCHYARD_TEST_UNHANDLED: __, ...env } = process.env;
  const { status, stdout, stderr } = spawnSync(process.execPath, [vitest, 'run', '--config', config, probe], {
    cwd: root,
    env: { ...env, NO_COLOR: '1', VITEST: '', VITEST_WORKER_ID: '' },
    encoding: 'utf8',
  });
  return { status, printed: stdout + stderr };
}

test.each([
  ['in a process that a test starts', 'child', 'forgotten by a child'],
  ['in the process of a test', 'own', 'forgotten by a test'],
])('an error that nobody handles %s fails the run', { timeout: 60_000 }, (_, probe, message) => {
  const { status, printed } = run(probe);
  expect(printed).toContain(message);
  expect(status).toBe(1);
});

test('one that is handled does not', { timeout: 60_000 }, () => {
  const { status, printed } = run('good');
  expect({ status, failed: printed.includes('FAIL') }).toEqual({ status: 0, failed: false });
});
