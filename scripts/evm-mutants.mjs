// Which mistakes the committed state tests would find: changes one number or one comparison at a time in the compiled code of
// the EVM machine, and runs them. Prints each change that they pass with. `--only TEXT` (part of a file's name), `--threads N`,
// `--sample N` (every N-th change), `--under FOLDER` of packages/evm-machine/src (interpreter).
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { Worker } from 'node:worker_threads';
import { root } from './prepare.mjs';
import { mutantsOf } from './test/mutants.mjs';

const { values } = parseArgs({
  options: {
    only: { type: 'string', default: '' },
    under: { type: 'string', default: 'interpreter' },
    sample: { type: 'string', default: '1' },
    threads: { type: 'string', default: String(availableParallelism()) },
  },
});

/** A change that runs longer is found: nothing in the tests takes a tenth of that. */
const LIMIT_MS = 60_000;
const machine = join(root, 'packages', 'evm-machine');
const dist = join(machine, 'dist');
const node = join(root, 'packages', 'evm', 'dist');
const tests = join(root, 'packages', 'evm', 'testdata', 'state-tests');
const testFiles = readdirSync(tests).flatMap((name) => (name.endsWith('.gz') ? [join(tests, name)] : []));

/** The text of a file under `dist` with one change in it. */
function* allMutants() {
  let number = 0;
  const files = readdirSync(join(dist, values.under), { recursive: true, encoding: 'utf8' });
  for (const file of files
    .filter((name) => /(?<!\.test|\.suite)\.js$/.test(name) && name.includes(values.only))
    .sort()) {
    const path = join(values.under, file);
    for (const mutant of mutantsOf(readFileSync(join(dist, path), 'utf8'))) {
      number += 1;
      if (number % Number(values.sample) === 0) yield { path, ...mutant };
    }
  }
}

const PROGRAM = `
  const { parentPort, workerData } = require('node:worker_threads');
  import(workerData.program).then(async ({ runFile }) => {
    for (const file of workerData.testFiles) {
      const verdicts = await runFile(file, {});
      if (verdicts.some(({ result }) => result === 'failed')) return parentPort.postMessage('found');
    }
    parentPort.postMessage('survived');
  }).catch(() => parentPort.postMessage('found'));
`;

/** Runs the tests with the modules of a directory. @returns `found`, or `survived` if they pass. */
async function run(directory) {
  const program = join(directory, 'testing', 'official', 'run-file.js');
  const worker = new Worker(PROGRAM, { eval: true, workerData: { program, testFiles }, stdout: true, stderr: true });
  const result = await new Promise((resolve) => {
    const timer = setTimeout(() => resolve('found'), LIMIT_MS);
    for (const [event, outcome] of [['message'], ['error', 'found'], ['exit', 'found']])
      worker.once(event, (value) => {
        clearTimeout(timer);
        resolve(outcome ?? value);
      });
  });
  await worker.terminate();
  return result;
}

const mutants = allMutants();
const counts = { found: 0, survived: 0 };

async function work(number) {
  // Alongside packages, so that what they import is found.
  const directory = join(root, '.cache', `mutants-${number}`);
  rmSync(directory, { recursive: true, force: true });
  mkdirSync(directory, { recursive: true });
  const filter = (from) => statSync(from).isDirectory() || from.endsWith('.js');
  cpSync(node, directory, { recursive: true, filter });
  const mutated = join(directory, 'node_modules', '@switchyard', 'evm-machine');
  cpSync(dist, join(mutated, 'dist'), { recursive: true, filter });
  // Without the condition for sources, which the tests may set.
  const { type, exports } = JSON.parse(readFileSync(join(machine, 'package.json'), 'utf8'));
  const targets = Object.entries(exports).map(([entry, { default: target }]) => [entry, target]);
  writeFileSync(join(mutated, 'package.json'), JSON.stringify({ type, exports: Object.fromEntries(targets) }));
  if ((await run(directory)) !== 'survived') throw new Error('the tests fail without any change');
  for (const { path, text, line, change } of mutants) {
    const file = join(mutated, 'dist', path);
    const original = readFileSync(file, 'utf8');
    writeFileSync(file, text);
    const result = await run(directory);
    writeFileSync(file, original);
    counts[result] += 1;
    if (result === 'survived') console.log(`${path.replace(/\.js$/, '.ts')}: ${change} in: ${line}`);
  }
  rmSync(directory, { recursive: true, force: true });
}

await Promise.all(Array.from({ length: Number(values.threads) }, (_, number) => work(number)));
console.log(`${counts.found} changes found, ${counts.survived} survived`);
