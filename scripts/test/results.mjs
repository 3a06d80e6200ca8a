// Results of the run: the tests that ran, failed and were left out.

import { relative } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { root } from '../prepare.mjs';

/** @typedef {{ readonly name: string, readonly ms: number }} Timed */
/** @typedef {{ passed: number, failed: number, skipped: number, failure?: string, failures?: readonly string[], unstable?: readonly string[], failedFiles?: FailedFiles, slowest?: { readonly tests: readonly Timed[], readonly files: readonly Timed[] } }} Counts */
/** Files with a failure, and how many of their tests passed and were skipped. @typedef {{ readonly names: readonly string[], readonly passed: number, readonly skipped: number }} FailedFiles */
/** @typedef {Counts & { name: string, seconds: number }} StageResult */

/** Lines that are shown of the message of a failed test, and of what differs; the whole is in the log of the test. */
const MAX_LINES = 40;

/** Tests and files that are listed with their durations. */
const SLOWEST = 10;

/**
 * Counts, failures and the slowest parts of a run of Vitest. A file that does not load is a failure, and so is a hook: it fails for all the tests
 * that it is there for, which are skipped.
 *
 * @param {readonly import('vitest/node').TestModule[]} modules
 */
export function countsOf(modules) {
  const failuresOf = (/** @type {import('vitest/node').TestModule} */ module) => {
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
  };
  const failing = modules.filter((module) => failuresOf(module).length > 0);
  const failures = failing.flatMap(failuresOf);
  const count = (/** @type {'passed' | 'skipped'} */ state, counted = modules) =>
    counted.reduce((total, module) => total + [...module.children.allTests(state)].length, 0);
  const tests = modules.flatMap(({ moduleId, children }) =>
    [...children.allTests()].map((test) => ({
      name: `${relative(root, moduleId)}: ${test.fullName}`,
      ms: test.diagnostic()?.duration ?? 0,
    })),
  );
  const files = modules.map((module) => {
    const { collectDuration, setupDuration, duration } = module.diagnostic();
    return { name: relative(root, module.moduleId), ms: collectDuration + setupDuration + duration };
  });
  const slowest = { tests: slowestOf(tests), files: slowestOf(files) };
  const failedFiles = {
    names: failing.map(({ moduleId }) => relative(root, moduleId)),
    passed: count('passed', failing),
    skipped: count('skipped', failing),
  };
  return {
    passed: count('passed'),
    failed: failures.length,
    skipped: count('skipped'),
    failures,
    failedFiles,
    slowest,
  };
}

/** More failed files than this are no accident, and are not run again. */
const MAX_AGAIN = 3;

/**
 * The files of a run that are worth a second run on their own; empty, if none failed or too many did.
 *
 * @param {Counts} counts
 */
export function filesToRunAgain({ failedFiles }) {
  const names = failedFiles?.names ?? [];
  return names.length <= MAX_AGAIN ? names : [];
}

/**
 * A run whose failed files were run a second time. If all their tests passed, the failures are listed as unstable and do not
 * count; otherwise the first run counts unchanged.
 *
 * @param {Counts} first
 * @param {Counts} second
 * @returns {Counts}
 */
export function afterSecondRun(first, second) {
  const { failedFiles, failures } = first;
  if (failedFiles === undefined || second.failed > 0 || second.passed === 0) return first;
  return {
    passed: first.passed - failedFiles.passed + second.passed,
    failed: 0,
    skipped: first.skipped - failedFiles.skipped + second.skipped,
    unstable: failures,
    slowest: first.slowest,
  };
}

/** @param {readonly Timed[]} all */
const slowestOf = (all) => [...all].sort((one, other) => other.ms - one.ms).slice(0, SLOWEST);

/**
 * @param {string} file
 * @param {string} what
 * @param {{ errors?: readonly { message?: string, stack?: string, diff?: string }[] }} result
 */
function describe(file, what, { errors = [] }) {
  const [error] = errors;
  const linesOf = (/** @type {string | undefined} */ text) =>
    text ? stripVTControlCharacters(text).split('\n').slice(0, MAX_LINES) : [];
  const lines = [...linesOf(error?.stack || error?.message), ...linesOf(error?.diff)];
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
  for (const key of /** @type {const} */ (['files', 'tests'])) {
    const slowest = slowestOf(stages.flatMap((stage) => stage.slowest?.[key] ?? []));
    if (slowest.length > 0) lines.push('', `slowest ${key}, in seconds:`);
    lines.push(...slowest.map(({ name, ms }) => `${(ms / 1_000).toFixed(1).padStart(6)}  ${name}`));
  }
  if (leftOut.length > 0) lines.push('', `left out, run by .ci/run: ${leftOut.join(', ')}`);
  const unstable = stages.flatMap((stage) => stage.unstable ?? []);
  if (unstable.length > 0)
    lines.push('', 'failed, and passed in a second run of the file: a defect to be found', ...unstable);
  const failures = stages.flatMap((stage) => stage.failures ?? []);
  if (failures.length > 0) lines.push('', ...failures);
  return [...lines, '', `${sum('passed')} passed, ${sum('failed')} failed`].join('\n');
}
