// What a change must pass, on a fresh clone too: lint, types (the build), unit tests and the quick end-to-end scenarios; with
// `--all` every scenario, the documentation site, and about a minute of faults under load on each combination of rollup and engine.
// Ends with the line `N passed, N failed`; exits 1 when anything failed.
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { evmBinary } from './geth.mjs';
import { prepare, prepareTools, root } from './prepare.mjs';
import { summary } from './test/results.mjs';
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
const { paired, alone, cluster, leftOut } = chooseScenarios(everything);

/**
 * @param {string} name
 * @param {() => Promise<{ failure?: string, passed: number, failed: number, skipped: number, failures?: readonly string[] }>} run
 */
async function stage(name, run) {
  console.log(`\n== ${name}`);
  const started = performance.now();
  const result = await run();
  if (result.failure !== undefined) console.log(`${name}: ${result.failure}`);
  results.push({ name, ...result, seconds: (performance.now() - started) / 1_000 });
}

/** A check that is one pass or one failure. */
function check(name, command, args, limitMs = 5 * MINUTE_MS) {
  return stage(name, async () => {
    const failure = await runStage(command, args, { limitMs });
    return failure === undefined ? { passed: 1, failed: 0, skipped: 0 } : { failure, passed: 0, failed: 1, skipped: 0 };
  });
}

/** Test files of a Vitest project: as many passes and failures as there are tests. */
function vitest(name, project, files, { limitMs, env = {} }) {
  return stage(name, async () => {
    const report = join(scratch, `${results.length}.json`);
    const reporters = ['--reporter=default', '--reporter=./scripts/test/report.mjs'];
    const failure = await runStage(bin('vitest'), ['run', '--project', project, ...reporters, ...files], {
      limitMs,
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
  });
}

/** Kills that are planned for each run; some find a process that is being started again, and are missed. */
const KILLS = 34;

/** With a layer: only kills, of what a block passes on its way to become firm. */
const LAYER_RUN = {
  ...{ minutes: 0.6, rollup: 'messenger', engine: 'solo', kills: 36, faults: 'kill', rate: 50 },
  ...{ 'data-availability': 'local', targets: 'sequencer,da,relayer,conductor,rollup' },
};

/** One pass or failure for each combination; those with CometBFT are left out, visibly, where it is not installed. */
async function chaos() {
  const { cometbft } = await import('../e2e/dist/support/comet.js');
  const seed = process.env.SWITCHYARD_SEED ?? '1';
  const run = (name, options) => {
    const args = Object.entries(options).flatMap(([option, value]) => [`--${option}`, String(value)]);
    return check(name, process.execPath, ['e2e/dist/chaos/main.js', ...args]);
  };
  for (const engine of ['solo', 'cometbft']) {
    for (const rollup of ['messenger', 'evm']) {
      const name = `chaos: ${rollup}, ${engine}`;
      if (engine === 'cometbft' && cometbft === undefined) {
        console.log(`\n== ${name}: left out, no cometbft found`);
        continue;
      }
      await run(name, { minutes: 0.9, rollup, engine, kills: KILLS, seed });
    }
  }
  await run('chaos: data availability', { ...LAYER_RUN, seed });
}

/** Of each fork; together more than 10^5, in three to four minutes of both processors. */
const RANDOM_TRANSACTIONS = 34_000;

/** Random blocks here and in geth; left out, visibly, where its `evm` was not built. */
async function randomBlocks() {
  if (!existsSync(evmBinary)) {
    console.log('\n== random blocks: left out, no evm of geth found (node scripts/geth.mjs builds it, with Go)');
    leftOut.push('random blocks');
    return;
  }
  const seed = process.env.SWITCHYARD_SEED ?? '1';
  for (const fork of ['cancun', 'prague', 'osaka']) {
    const output = join(root, '.cache', 'random-blocks');
    const options = { transactions: RANDOM_TRANSACTIONS, seed, fork, output };
    const args = Object.entries(options).flatMap(([option, value]) => [`--${option}`, String(value)]);
    await check(`random blocks: ${fork}`, process.execPath, ['scripts/evm-random.mjs', ...args], 8 * MINUTE_MS);
  }
}

await check('lint', bin('biome'), ['check', '--error-on-warnings', '.']);
await check('protobuf lint', bin('buf'), ['lint']);
await check('generated code is current', process.execPath, ['scripts/gen.mjs', '--check']);
if (everything) await check('documentation site', 'npm', ['run', 'site']);
else leftOut.push('documentation site');
await vitest('unit', 'unit', [], { limitMs: 15 * MINUTE_MS });
await vitest('e2e', 'e2e', paired.map(scenarioFile), {
  limitMs: 30 * MINUTE_MS,
  env: { SWITCHYARD_E2E_WORKERS: '2' },
});
if (alone.length > 0) await vitest('e2e, alone', 'e2e', alone.map(scenarioFile), { limitMs: 20 * MINUTE_MS });
if (everything) await randomBlocks();
else leftOut.push('random blocks');
if (everything) await chaos();
else leftOut.push('chaos');
if (cluster.length > 0) await vitest('e2e, cluster', 'e2e', cluster.map(scenarioFile), { limitMs: 20 * MINUTE_MS });

rmSync(scratch, { recursive: true, force: true });
console.log(`\n${summary(results, leftOut)}`);
process.exit(results.every(({ failed }) => failed === 0) ? 0 : 1);
