import { spawnSync } from 'node:child_process';
import { join } from 'node:path';

const root = join(import.meta.dirname, '..');

/** Runs a probe, `scripts/<folder>/testdata/<probe>.probe.mjs`, in a Vitest of its own with the settings of all tests. */
export function runProbe(probe: string, environment: NodeJS.ProcessEnv = {}) {
  const vitest = join(root, 'node_modules', 'vitest', 'vitest.mjs');
  const args = [vitest, 'run', '--config', join(root, 'scripts', 'probes.config.mjs'), `/${probe}.probe`];
  const { NODE_OPTIONS: _, SWITCHYARD_TEST_UNHANDLED: __, ...inherited } = process.env;
  const env = { ...inherited, NO_COLOR: '1', VITEST: '', VITEST_WORKER_ID: '', ...environment };
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { cwd: root, env, encoding: 'utf8' });
  return { status, printed: stdout + stderr };
}
