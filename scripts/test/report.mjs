// A Vitest reporter: counts, failures and the slowest parts as JSON, in the file that SWITCHYARD_TEST_REPORT names.
import { writeFileSync } from 'node:fs';
import { countsOf } from './results.mjs';

export default class {
  /** @param {readonly import('vitest/node').TestModule[]} modules */
  onTestRunEnd(modules) {
    const file = process.env.SWITCHYARD_TEST_REPORT;
    if (file !== undefined) writeFileSync(file, JSON.stringify(countsOf(modules)));
  }
}
