// What ran, what failed and what was left out.

import { relative } from 'node:path';
import { root } from '../prepare.mjs';

/** @typedef {{ name: string, passed: number, failed: number, skipped: number, seconds: number, failure?: string, failures?: readonly string[] }} StageResult */

/** Of the message of a failed test; the whole is where the test ran. */
const MAX_MESSAGE_LINES = 40;

/**
 * Counts and failures of a run of Vitest. A file that does not load is a failure, and so is a hook: it fails for all the tests
 * that it is there for, which are skipped.
 *
 * @param {readonly import('vitest/node').TestModule[]} modules
 */
export function countsOf(modules) {
  const failures = modules.flatMap((module) => {
    const where = relative(root, module.moduleId);
    const failed = [...module.children.allTests('failed')].map((test) => describe(where, test.fullName, test.result()));
    const suites = [...module.children.allSuites()].map((suite) => ({
      what: `${suite.fullName}: a hook fails`,
      errors: suite.errors(),
    }));
    const outside = [{ what: 'fails outside its tests', errors: module.errors() }, ...suites]
      .filter(({ errors }) => errors.length > 0)
      .map(({ what, errors }) => describe(where, what, { errors }));
    return [...failed, ...outside];
  });
  const count = (/** @type {'passed' | 'skipped'} */ state) =>
    modules.reduce((total, module) => total + [...module.children.allTests(state)].length, 0);
  return { passed: count('passed'), failed: failures.length, skipped: count('skipped'), failures };
}

/**
 * @param {string} file
 * @param {string} what
 * @param {{ errors?: readonly { message?: string, stack?: string }[] }} result
 */
function describe(file, what, { errors = [] }) {
  const [error] = errors;
  const lines = (error?.stack || error?.message || '').split('\n').slice(0, MAX_MESSAGE_LINES);
  return [`${file}: ${what}`, ...lines.map((line) => `    ${line}`)].join('\n');
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
