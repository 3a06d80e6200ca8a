import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { expect, test } from 'vitest';
import { until } from './e2e/support/network.ts';
import { root } from './scripts/prepare.mjs';
import { LONGEST } from './scripts/test/long-first.mjs';
import { afterSecondRun, filesToRunAgain, summary } from './scripts/test/results.mjs';
import { chooseScenarios } from './scripts/test/scenarios.mjs';
import { runStage } from './scripts/test/stage.mjs';

const isAlive = (pid: number) => {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
};

test.each([
  ['that takes too long', 'wait', 1_500, 'not done within 2 s'],
  ['that fails and leaves a process behind', 'exit 3', 60_000, 'ended with status 3'],
])('of a stage %s, nothing keeps running', async (_, end, limitMs, failure) => {
  const file = join(mkdtempSync(join(tmpdir(), 'stage-')), 'pid');
  expect(await runStage('sh', ['-c', `sleep 600 & echo $! > ${file}; ${end}`], { limitMs })).toBe(failure);
  const pid = Number(readFileSync(file, 'utf8'));
  expect(pid).toBeGreaterThan(1);
  await until('the child has ended', () => !isAlive(pid) || undefined);
});

test.each([
  ['true', undefined],
  ['no-such-program', 'spawn no-such-program ENOENT'],
])('a stage that runs %s: %s', async (command, failure) => {
  expect(await runStage(command, [], { limitMs: 60_000 })).toBe(failure);
});

test('output of a stage is given to its caller', async () => {
  let printed = '';
  const print = (text: string) => {
    printed += text;
  };
  await runStage('sh', ['-c', 'echo one; echo two >&2'], { limitMs: 60_000, print });
  expect(printed.split('\n').sort()).toEqual(['', 'one', 'two']);
});

test('the files that begin first are there', () => {
  expect(LONGEST.filter((file) => !existsSync(join(root, file)))).toEqual([]);
});

test('every scenario runs in `.ci/run`, and those that `npm test` leaves out are listed', () => {
  const all = chooseScenarios(true);
  const quick = chooseScenarios(false);
  const names = ({ leftOut, ...chosen }: typeof all) => [...Object.values(chosen).flat(), ...leftOut].sort();
  expect(all.leftOut).toEqual([]);
  expect(quick.leftOut.length).toBeGreaterThan(0);
  expect(names(quick)).toEqual(names(all));
  expect(new Set(names(all)).size).toBe(names(all).length);
});

test('a failed hook, a file that does not load and a failed test are failures with their messages', async () => {
  const directory = mkdtempSync(join(import.meta.dirname, '.report-'));
  try {
    const write = (name: string, text: string) =>
      writeFileSync(join(directory, name), `import { beforeAll, describe, expect, test } from 'vitest';\n${text}`);
    write(
      'hook.test.mjs',
      `describe('four nodes', () => { beforeAll(() => { throw new Error('no port' + '\\nat'.repeat(60)); }); test('sign', () => {}); });`,
    );
    write('loads.test.mjs', `throw new Error('cannot load');`);
    write(
      'test.test.mjs',
      `test('passes', () => {}); test('fails', () => { expect({ a: 1, b: 2 }).toEqual({ a: 1, b: 3 }); });`,
    );
    write('vitest.config.mjs', 'export default { test: { include: ["*.test.mjs"] } };');
    const report = join(directory, 'report.json');
    const args = ['run', '--root', directory, `--reporter=${join(root, 'scripts/test/report.mjs')}`];
    const env = { SWITCHYARD_TEST_REPORT: report };
    expect(await runStage(join(root, 'node_modules/.bin/vitest'), args, { limitMs: 60_000, env })).toBe(
      'ended with status 1',
    );
    const { passed, failed, skipped, failures, failedFiles, slowest } = JSON.parse(readFileSync(report, 'utf8'));
    expect([slowest.tests.length, slowest.files.length]).toEqual([3, 3]);
    expect({ passed, failed, skipped }).toEqual({ passed: 1, failed: 3, skipped: 1 });
    // The first line has what failed; of a long message there are 40.
    expect(Math.max(...failures.map((failure: string) => failure.split('\n').length))).toBe(41);
    const name = relative(root, directory);
    const names = ['hook', 'loads', 'test'].map((file) => `${name}/${file}.test.mjs`);
    expect({ ...failedFiles, names: failedFiles.names.sort() }).toEqual({ names, passed: 1, skipped: 1 });
    const firstLines = failures.map((failure: string) => failure.split('\n').slice(0, 2)).sort();
    expect(firstLines).toEqual([
      [`${name}/hook.test.mjs: four nodes: a hook fails`, '    Error: no port'],
      [`${name}/loads.test.mjs: fails outside its tests`, '    Error: cannot load'],
      [`${name}/test.test.mjs: fails`, '    AssertionError: expected { a: 1, b: 2 } to deeply equal { a: 1, b: 3 }'],
    ]);
    expect(failures.join('\n')).toContain('    -   "b": 3,\n    +   "b": 2,\n');
  } finally {
    rmSync(directory, { recursive: true });
  }
});

test('a few files with failures are run again: what passes then is listed and does not count, what fails again counts', () => {
  const failedFiles = { names: ['a.test.ts'], passed: 3, skipped: 1 };
  const first = { passed: 10, failed: 1, skipped: 2, failures: ['a.test.ts: late\n    Error: none'], failedFiles };
  expect(filesToRunAgain(first)).toEqual(['a.test.ts']);
  expect(filesToRunAgain({ ...first, failedFiles: { ...failedFiles, names: ['a', 'b', 'c', 'd'] } })).toEqual([]);
  expect(filesToRunAgain({ passed: 0, failed: 1, skipped: 0 })).toEqual([]);

  const better = afterSecondRun(first, { passed: 5, failed: 0, skipped: 0 });
  expect(better).toMatchObject({ passed: 12, failed: 0, skipped: 1, unstable: first.failures });
  expect(
    summary([{ name: 'unit', seconds: 1, ...better }], [])
      .split('\n')
      .slice(3),
  ).toEqual([
    'failed, and passed in a second run of the file: a defect to be found',
    ...['a.test.ts: late', '    Error: none', '', '12 passed, 0 failed'],
  ]);
  expect(afterSecondRun(first, { passed: 4, failed: 1, skipped: 0 })).toBe(first);
  expect(afterSecondRun(first, { failure: 'it wrote no report', passed: 0, failed: 1, skipped: 0 })).toBe(first);
  expect(afterSecondRun(first, { passed: 0, failed: 0, skipped: 0 })).toBe(first);
});

test('the summary shows each stage, the slowest files and tests, what was left out and what failed with its message, and ends with the totals', () => {
  const failures = ['e2e/a.test.ts: pages show a block\n    Error: none', 'e2e/b.test.ts: four nodes: a hook fails'];
  const timed = (name: string, ms: number) => ({ name, ms });
  const slowest = { files: [timed('a.test.ts', 61_000)], tests: [timed('a.test.ts: one', 900), timed('b', 60_000)] };
  const stages = [
    { name: 'lint', passed: 1, failed: 0, skipped: 0, seconds: 2.6 },
    { name: 'unit', passed: 7, failed: 2, skipped: 2, failures, seconds: 90, failure: 'ended with status 1', slowest },
  ];
  expect(summary(stages, ['faucet', 'chaos']).split('\n')).toEqual([
    'stage  passed  failed skipped seconds',
    'lint       1       0       0       3',
    'unit       7       2       2      90  ended with status 1',
    '',
    'slowest files, in seconds:',
    '  61.0  a.test.ts',
    '',
    'slowest tests, in seconds:',
    '  60.0  b',
    '   0.9  a.test.ts: one',
    '',
    'left out, run by .ci/run: faucet, chaos',
    '',
    'e2e/a.test.ts: pages show a block',
    '    Error: none',
    'e2e/b.test.ts: four nodes: a hook fails',
    '',
    '8 passed, 2 failed',
  ]);
});
