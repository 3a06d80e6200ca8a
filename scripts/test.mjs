// Runs the checks that a change must pass, on a fresh clone too: lint, types (the build), unit tests and the quick
// end-to-end scenarios; with `--all` every scenario, the documentation site, and about a minute of faults under load on
// each combination of rollup and engine. Ends with the line `N passed, N failed`; exits 1 when anything failed.
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { evmBinary } from './geth.mjs';
import { newerNode, version as newerVersion } from './newer-node.mjs';
import { prepare, prepareTools, root } from './prepare.mjs';
import { ON_ANY_NODE } from './test/any-node.mjs';
import { afterSecondRun, filesToRunAgain, summary } from './test/results.mjs';
import { chooseScenarios, scenarioFile } from './test/scenarios.mjs';
import { runStage } from './test/stage.mjs';

const MINUTE_MS = 60_000;
const everything = process.argv.includes('--all');

prepare();
prepareTools();

const bin = (name) => join(root, 'node_modules', '.bin', name);
const scratch = mkdtempSync(join(tmpdir(), 'switchyard-test-'));
/** @type {import('./test/results.mjs').StageResult[]} */
const results = [];
const { paired, long, simulated, cluster, leftOut } = chooseScenarios(everything);

/**
 * Runs a stage. A stage that runs alongside others shows its output when it is done.
 *
 * @param {string} name
 * @param {{ isBeside?: boolean }} options
 * @param {(print?: (text: string) => void) => Promise<import('./test/results.mjs').Counts>} run
 */
async function stage(name, { isBeside = true }, run) {
  if (!isBeside) console.log(`\n== ${name}`);
  let output = '';
  const started = performance.now();
  const result = await run(isBeside ? (text) => (output += text) : undefined);
  if (isBeside) console.log(`\n== ${name}\n${output}`);
  if (result.failure !== undefined) console.log(`${name}: ${result.failure}`);
  results.push({ name, ...result, seconds: (performance.now() - started) / 1_000 });
}

/**
 * Puts a program that needs processors and no answer in time behind the scenarios, most of which wait for processes that they
 * started: those set how long a run takes, and fail if nothing answers.
 *
 * @param {string[]} command
 */
const behind = (command) => (process.platform === 'win32' ? command : ['nice', '-n', '5', ...command]);

/**
 * Lets a program have what others leave of the processors: it runs alongside scenarios that wait for half of the time.
 *
 * @param {string[]} command
 */
const last = (command) => (process.platform === 'win32' ? command : ['nice', '-n', '19', ...command]);

/** A check that is one pass or one failure. */
function check(name, command, args, limitMs = 5 * MINUTE_MS) {
  return stage(name, {}, async (print) => {
    const failure = await runStage(command, args, { limitMs, print });
    return failure === undefined ? { passed: 1, failed: 0, skipped: 0 } : { failure, passed: 0, failed: 1, skipped: 0 };
  });
}

/**
 * Test files of a Vitest project: as many passes and failures as there are tests. The few files in which a test fails are run a
 * second time on their own, and the summary lists what passed only then.
 */
function vitest(name, project, files, { limitMs, env = {}, isBeside = true, runner = [bin('vitest')] }) {
  const report = join(scratch, `${name}.json`);
  const reporters = ['--reporter=default', '--reporter=./scripts/test/report.mjs'];
  const [command, ...first] = runner;
  const run = async (chosen, print) => {
    rmSync(report, { force: true });
    const failure = await runStage(command, [...first, 'run', '--project', project, ...reporters, ...chosen], {
      ...{ limitMs, print },
      env: { ...env, SWITCHYARD_TEST_REPORT: report },
    });
    try {
      const counts = JSON.parse(readFileSync(report, 'utf8'));
      // Vitest also fails for errors outside any test.
      const others = failure !== undefined && counts.failed === 0 ? 1 : 0;
      return { ...(others > 0 && { failure }), ...counts, failed: counts.failed + others };
    } catch {
      return { failure: failure ?? 'it wrote no report', passed: 0, failed: 1, skipped: 0 };
    }
  };
  return stage(name, { isBeside }, async (print) => {
    const counts = await run(files, print);
    const again = filesToRunAgain(counts);
    return again.length === 0 ? counts : afterSecondRun(counts, await run(again, print));
  });
}

const scenarios = (name, chosen, options) => vitest(name, 'e2e', chosen.map(scenarioFile), options);

/** The unit tests on a newer Node. Left out, visibly, if that Node was not fetched. */
function onNewerNode() {
  const name = `unit, Node ${newerVersion}`;
  if (existsSync(newerNode)) {
    const program = join(root, 'node_modules', 'vitest', 'vitest.mjs');
    const leaves = ON_ANY_NODE.flatMap((files) => ['--exclude', files]);
    return vitest(name, 'unit', leaves, { limitMs: 40 * MINUTE_MS, runner: last([newerNode, program]) });
  }
  console.log(`\n== ${name}: left out, it was not fetched (node scripts/newer-node.mjs does it, on Linux)`);
  leftOut.push(name);
}

const optionsOf = (options) => Object.entries(options).flatMap(([name, value]) => [`--${name}`, String(value)]);

/** Kills that are planned for each run; some find a process that is being started again, and are missed. */
const KILLS = 30;

/** With a layer: only kills, of what a block passes on its way to become firm. */
const LAYER_RUN = {
  ...{ minutes: 0.4, rollup: 'messenger', engine: 'solo', kills: 24, faults: 'kill', rate: 50 },
  ...{ 'data-availability': 'local', targets: 'sequencer,da,relayer,conductor,rollup' },
};

/** The messenger with the solo engine is simulated, and in every fifth seed the EVM: in two minutes thousands of faults, at any step. */
const SIMULATION = { seeds: 60, heights: 100 };

/** Behind scenarios of real processes: no simulated part notices how long another one takes. */
async function simulations(env) {
  const options = { limitMs: 30 * MINUTE_MS, env, runner: last([bin('vitest')]) };
  await vitest('e2e, simulated', 'e2e', simulated.map(scenarioFile), options);
  const [node, ...first] = last([process.execPath, 'e2e/dist/simulate/main.js']);
  await check('simulation', node, [...first, ...optionsOf(SIMULATION)], 15 * MINUTE_MS);
}

/** One pass or failure for each combination; those with CometBFT are left out, visibly, if it is not installed. */
async function chaos() {
  const { cometbft } = await import('../e2e/dist/support/comet.js');
  const seed = process.env.SWITCHYARD_SEED ?? '1';
  const stageOf = (name, options) => () =>
    check(`chaos: ${name}`, process.execPath, ['e2e/dist/chaos/main.js', ...optionsOf({ ...options, seed })]);
  const combinations = [
    ['evm', 'solo'],
    ['messenger', 'cometbft'],
    ['evm', 'cometbft'],
  ];
  const stages = combinations.flatMap(([rollup, engine]) => {
    const name = `${rollup}, ${engine}`;
    if (engine !== 'cometbft' || cometbft !== undefined)
      return [stageOf(name, { minutes: 0.8, rollup, engine, kills: KILLS })];
    console.log(`\n== chaos: ${name}: left out, no cometbft found`);
    return [];
  });
  return [...stages, stageOf('data availability', LAYER_RUN), stageOf('full disk', { 'full-disk': 1 })];
}

/** Random transactions for each fork; together more than 10^5, in three to four minutes of both processors. */
const RANDOM_TRANSACTIONS = 26_000;

/** Random blocks here and in geth, behind scenarios that wait for installations and blocks; left out, visibly, if its `evm` was not built. */
async function randomBlocks() {
  if (!existsSync(evmBinary)) {
    console.log('\n== random blocks: left out, no evm of geth found (node scripts/geth.mjs builds it, with Go)');
    leftOut.push('random blocks');
    return;
  }
  const seed = process.env.SWITCHYARD_SEED ?? '1';
  const output = join(root, '.cache', 'random-blocks');
  for (const fork of ['cancun', 'prague', 'osaka', 'amsterdam']) {
    const options = optionsOf({ transactions: RANDOM_TRANSACTIONS, seed, fork, output });
    const [node, ...first] = last([process.execPath, 'scripts/evm-random.mjs']);
    await check(`random blocks: ${fork}`, node, [...first, ...options], 15 * MINUTE_MS);
  }
}

async function checks() {
  const [lint, ...first] = behind([bin('biome')]);
  await check('lint', lint, [...first, 'check', '--error-on-warnings', '.']);
  await check('protobuf lint', bin('buf'), ['lint']);
  await check('generated code is current', process.execPath, ['scripts/gen.mjs', '--check']);
  if (everything) await check('documentation site', 'npm', ['run', 'site']);
}

const unit = vitest('unit', 'unit', [], {
  ...{ limitMs: 15 * MINUTE_MS, isBeside: false, runner: behind([bin('vitest')]) },
});
const quick = everything ? [] : [scenarios('e2e', paired, { limitMs: 15 * MINUTE_MS })];
await Promise.all([unit, checks(), ...quick]);
if (everything) {
  const newer = existsSync(newerNode) ? { SWITCHYARD_NEWER_NODE: newerNode } : {};
  const two = { limitMs: 40 * MINUTE_MS, env: { SWITCHYARD_E2E_WORKERS: '2', ...newer }, isBeside: false };
  const stages = [
    () => Promise.all([scenarios('e2e', paired, two), simulations(newer)]),
    () => Promise.all([scenarios('e2e, cluster', cluster, two), onNewerNode()]),
    () => Promise.all([scenarios('e2e, long', long, { limitMs: 30 * MINUTE_MS, isBeside: false }), randomBlocks()]),
    ...(await chaos()),
  ];
  // One after another: next to each other their load fails what waits for a block or a restart.
  for (const run of stages) await run();
} else leftOut.push('documentation site', 'random blocks', 'simulation', 'chaos');

rmSync(scratch, { recursive: true, force: true });
console.log(`\n${summary(results, leftOut)}`);
process.exit(results.every(({ failed }) => failed === 0) ? 0 : 1);
