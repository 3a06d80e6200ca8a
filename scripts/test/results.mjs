// What ran, what failed and what was left out.

/** @typedef {{ name: string, passed: number, failed: number, skipped: number, seconds: number, failure?: string }} StageResult */

/**
 * Counts of Vitest's JSON report; a file that does not load is a failure too.
 *
 * @param {any} report
 */
export function countsOf(report) {
  const broken = report.testResults.filter(
    (/** @type {any} */ file) => file.status === 'failed' && file.assertionResults.length === 0,
  );
  return {
    passed: report.numPassedTests,
    failed: report.numFailedTests + broken.length,
    skipped: report.numPendingTests,
  };
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
  return [...lines, '', `${sum('passed')} passed, ${sum('failed')} failed`].join('\n');
}
