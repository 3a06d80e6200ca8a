import { readdirSync, statSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { basename, dirname, join, relative } from 'node:path';
import { parseArgs } from 'node:util';
import { Summary } from './summary.ts';
import { runFiles } from './threads.ts';

/*
 * `EVM_TESTS=dir npm run evm-tests`: the public state and blockchain tests in a directory, in the formats of ethereum/tests and
 * execution-spec-tests. Ends with status 1 when any failed, and with 2 when there was none to run.
 */
const { values } = parseArgs({
  options: {
    fork: { type: 'string' },
    only: { type: 'string' },
    threads: { type: 'string', default: String(availableParallelism()) },
  },
});

/** Folders whose tests need parts of a node besides execution: the engine API, transactions alone, state without its hash. */
const OTHER_FORMATS = new Set([
  '.meta',
  '.git',
  'blockchain_tests_engine',
  'blockchain_tests_engine_x',
  'transaction_tests',
]);

function testFiles(path: string): string[] {
  if (!statSync(path).isDirectory()) return [path];
  return readdirSync(path, { withFileTypes: true }).flatMap((entry) => {
    if (entry.isDirectory()) return OTHER_FORMATS.has(entry.name) ? [] : testFiles(join(path, entry.name));
    return /\.json(\.gz)?$/.test(entry.name) ? [join(path, entry.name)] : [];
  });
}

async function main(directory: string): Promise<number> {
  const files = testFiles(directory);
  const summary = new Summary();
  const started = performance.now();
  const { fork, only } = values;
  let done = 0;
  await runFiles(files, { threads: Number(values.threads), choice: { fork, only } }, (path, verdicts) => {
    done += 1;
    if (done % 500 === 0) console.error(`${done} of ${files.length} files`);
    const folder = relative(directory, dirname(path)) || basename(directory);
    for (const verdict of verdicts) summary.add(folder, verdict);
  });
  for (const line of summary.lines()) console.log(line);
  const { passed, failed, leftOut } = summary.total;
  const seconds = Math.round((performance.now() - started) / 1_000);
  console.log(`${passed} passed, ${failed} failed, ${leftOut} left out, in ${seconds} s`);
  return passed + failed === 0 ? 2 : failed === 0 ? 0 : 1;
}

const directory = process.env.EVM_TESTS;
if (directory === undefined) {
  console.error('EVM_TESTS: expected a directory with tests of ethereum/tests or execution-spec-tests, got nothing');
  process.exitCode = 2;
} else process.exitCode = await main(directory);
