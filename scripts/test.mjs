// Everything a change must pass, on a fresh clone too: lint, types (the build), unit tests, end-to-end scenarios; with
// `--chaos` also about a minute of faults under load on each combination of rollup and engine.
// Ends with the line `N passed, N failed`; exits 1 when anything failed.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { prepare, prepareTools, root } from './prepare.mjs';

prepare();
prepareTools();

const bin = (name) => join(root, 'node_modules', '.bin', name);
const scratch = mkdtempSync(join(tmpdir(), 'switchyard-test-'));
const totals = { passed: 0, failed: 0 };

/** Far more than a check takes: one that never ends is a failure, and the others still run. */
const CHECK_MS = 10 * 60_000;

/** A check that is one pass or one failure. */
function check(name, command, args) {
  console.log(`\n== ${name}`);
  const { status, error } = spawnSync(command, args, { cwd: root, stdio: 'inherit', timeout: CHECK_MS });
  if (error !== undefined) console.log(`${name}: ${error.message}`);
  totals[status === 0 ? 'passed' : 'failed'] += 1;
}

/** A Vitest project: as many passes and failures as it has tests; a file that does not load is a failure too. */
function vitest(project) {
  console.log(`\n== ${project}`);
  const report = join(scratch, `${project}.json`);
  const args = ['run', '--project', project, '--reporter=default', '--reporter=json', `--outputFile.json=${report}`];
  const { status } = spawnSync(bin('vitest'), args, { cwd: root, stdio: 'inherit' });
  const before = totals.failed;
  try {
    const result = JSON.parse(readFileSync(report, 'utf8'));
    totals.passed += result.numPassedTests;
    totals.failed += result.numFailedTests;
    totals.failed += result.testResults.filter(
      (file) => file.status === 'failed' && file.assertionResults.length === 0,
    ).length;
  } catch {
    totals.failed += 1;
  }
  // Vitest also fails for errors outside any test.
  if (status !== 0 && totals.failed === before) totals.failed += 1;
}

/** Kills that are planned for each run; some find a process that is being started again, and are missed. */
const KILLS = 34;

/** One pass or failure for each combination; those with CometBFT are left out, visibly, where it is not installed. */
async function chaos() {
  const { cometbft } = await import('../e2e/dist/support/comet.js');
  for (const engine of ['solo', 'cometbft']) {
    for (const rollup of ['messenger', 'evm']) {
      const name = `chaos: ${rollup}, ${engine}`;
      if (engine === 'cometbft' && cometbft === undefined) {
        console.log(`\n== ${name}: left out, no cometbft found`);
        continue;
      }
      const seed = process.env.SWITCHYARD_SEED ?? '1';
      const options = { minutes: 0.9, rollup, engine, kills: KILLS, seed };
      const args = Object.entries(options).flatMap(([option, value]) => [`--${option}`, String(value)]);
      check(name, process.execPath, ['e2e/dist/chaos/main.js', ...args]);
    }
  }
}

check('lint', bin('biome'), ['check', '--error-on-warnings', '.']);
check('protobuf lint', bin('buf'), ['lint']);
check('generated code is current', process.execPath, ['scripts/gen.mjs', '--check']);
vitest('unit');
vitest('e2e');
if (process.argv.includes('--chaos')) await chaos();

rmSync(scratch, { recursive: true, force: true });
console.log(`\n${totals.passed} passed, ${totals.failed} failed`);
process.exit(totals.failed === 0 ? 0 : 1);
