import { mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { until } from './e2e/support/network.ts';
import { countsOf, summary } from './scripts/test/results.mjs';
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

test('every scenario runs in `.ci/run`, and those that `npm test` leaves out are listed', () => {
  const all = chooseScenarios(true);
  const quick = chooseScenarios(false);
  const names = (chosen: typeof all) => [...chosen.paired, ...chosen.alone, ...chosen.leftOut].sort();
  expect(all.leftOut).toEqual([]);
  expect(quick.leftOut.length).toBeGreaterThan(0);
  expect(names(quick)).toEqual(names(all));
  expect(new Set(names(all)).size).toBe(names(all).length);
});

test('the summary shows each stage, what was left out and what failed with its message, and ends with the totals', () => {
  const name = join(import.meta.dirname, 'e2e', 'a.test.ts');
  const failed = {
    status: 'failed',
    fullName: 'pages show a block',
    failureMessages: [`Error: none\n${'at\n'.repeat(50)}`],
  };
  const counts = countsOf({
    numPassedTests: 7,
    numFailedTests: 1,
    numPendingTests: 2,
    testResults: [
      { name, status: 'failed', assertionResults: [{ status: 'passed' }, failed] },
      { name, status: 'failed', message: 'SyntaxError: no', assertionResults: [] },
      { name, status: 'passed', assertionResults: [{ status: 'passed' }] },
    ],
  });
  const stages = [
    { name: 'lint', passed: 1, failed: 0, skipped: 0, seconds: 2.6 },
    { name: 'unit', ...counts, seconds: 90, failure: 'ended with status 1' },
  ];
  expect(summary(stages, ['faucet', 'chaos']).split('\n')).toEqual([
    'stage  passed  failed skipped seconds',
    'lint       1       0       0       3',
    'unit       7       2       2      90  ended with status 1',
    '',
    'left out, run by .ci/run: faucet, chaos',
    '',
    'e2e/a.test.ts: pages show a block',
    '    Error: none',
    ...Array(39).fill('    at'),
    'e2e/a.test.ts: fails outside its tests',
    '    SyntaxError: no',
    '',
    '8 passed, 2 failed',
  ]);
});
