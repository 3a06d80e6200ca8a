// What ran, what failed and what was left out.

import { relative } from 'node:path';
import { root } from '../prepare.mjs';

/** @typedef {{ name: string, passed: number, failed: number, skipped: number, seconds: number, failure?: string, failures?: readonly string[] }} StageResult */

/** Of the message of a failed test; the whole is where the test ran. */
const MAX_MESSAGE_LINES = 40;

/**
 * Counts and failed tests of Vitest's JSON report; a file that does not load, or fails outside its tests, is a failure too.
 *
 * @param {any} report
 */
export function countsOf(report) {
  const failures = report.testResults
    .filter((/** @type {any} */ file) => file.status === 'failed')
    .flatMap((/** @type {any} */ file) => {
      const failed = file.assertionResults.filter((/** @type {any} */ test) => test.status === 'failed');
      if (failed.length === 0) return [describe(file.name, 'fails outside its tests', file.message ?? '')];
      return failed.map((/** @type {any} */ test) =>
        describe(file.name, test.fullName, test.failureMessages?.[0] ?? ''),
      );
    });
  return { passed: report.numPassedTests, failed: failures.length, skipped: report.numPendingTests, failures };
}

/**
 * @param {string} file
 * @param {string} test
 * @param {string} message
 */
function describe(file, test, message) {
  const lines = message.split('\n').slice(0, MAX_MESSAGE_LINES);
  return [`${relative(root, file)}: ${test}`, ...lines.map((line) => `    ${line}`)].join('\n');
}

/**
 * The last lines of a run.
 *
 * @param {readonly StageResult[]} stages
 * @param {readonly string[]} leftOut
 */
export function summary(stages, leftOut) {
  const width = Math.max(...stages.map(({ name }) => name.length));
  const cell = (/** @type {unknown} */ value) => String(value).padStart(8);
  const row = (/** @type {string} */ name, /** @type {readonly unknown[]} */ cells) =>
    `${name.padEnd(width)}${cells.map(cell).join('')}`;
  const sum = (/** @type {'passed' | 'failed'} */ key) => stages.reduce((total, stage) => total + stage[key], 0);
  const lines = [
    row('stage', ['passed', 'failed', 'skipped', 'seconds']),
    ...stages.map(({ name, passed, failed, skipped, seconds, failure }) => {
      const line = row(name, [passed, failed, skipped, Math.round(seconds)]);
      return failure === undefined ? line : `${line}  ${failure}`;
    }),
  ];
  if (leftOut.length > 0) lines.push('', `left out, run by .ci/run: ${leftOut.join(', ')}`);
  const failures = stages.flatMap((stage) => stage.failures ?? []);
  if (failures.length > 0) lines.push('', ...failures);
  return [...lines, '', `${sum('passed')} passed, ${sum('failed')} failed`].join('\n');
}
