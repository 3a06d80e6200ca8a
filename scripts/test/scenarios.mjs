import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../prepare.mjs';

/** One scenario for each part that users run: what `npm test` runs, alongside the unit tests. All others are left to `.ci/run`. */
const QUICK = ['clients', 'deployment-local', 'evm', 'evm-deposit', 'hostile', 'tutorial', 'two-rollups'];

/** Scenarios that keep both cores busy, with load or installations: one at a time, alongside the others. */
const LONG = [
  ...['evm-hostile', 'http-fuzz', 'machines', 'packed', 'precompiles', 'api-schema', 'extending', 'your-own-rollup'],
];

/** Scenarios in simulated time, which passes as it may: one processor alongside others, and no answer in time. */
const SIMULATED = ['simulation'];

/** Scenarios with Kubernetes or with Docker, which keep many processes and wait for half of the time: two at a time. */
const CLUSTER = ['kubernetes', 'kubernetes-rollup', 'kubernetes-sequencer', 'celestia', 'compose'];

const all = readdirSync(join(root, 'e2e', 'scenarios'))
  .filter((file) => file.endsWith('.test.ts'))
  .map((file) => file.slice(0, -'.test.ts'.length));

for (const name of [...QUICK, ...LONG, ...SIMULATED, ...CLUSTER]) {
  if (!all.includes(name)) throw new Error(`scripts/test/scenarios.mjs: no scenario ${name}`);
}

/** @param {boolean} everything */
export function chooseScenarios(everything) {
  const chosen = everything ? all : QUICK;
  const elsewhere = [...LONG, ...SIMULATED, ...CLUSTER];
  return {
    /** Two at a time: they wait for blocks, intervals and restarts most of the time. */
    paired: chosen.filter((name) => !elsewhere.includes(name)),
    long: chosen.filter((name) => LONG.includes(name)),
    simulated: chosen.filter((name) => SIMULATED.includes(name)),
    cluster: chosen.filter((name) => CLUSTER.includes(name)),
    leftOut: all.filter((name) => !chosen.includes(name)),
  };
}

/** @param {string} name */
export const scenarioFile = (name) => join('e2e', 'scenarios', `${name}.test.ts`);
