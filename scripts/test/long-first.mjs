// The order of test files. A long file that begins last leaves the other processor without work; Vitest knows the
// durations of an earlier run only, and takes large files for long ones if there was none, as in a fresh clone.
import { relative } from 'node:path';
import { BaseSequencer } from 'vitest/node';
import { root } from '../prepare.mjs';

/** The files that take longest, most of them because they wait. */
export const LONGEST = [
  'packages/network/src/simulate/planted.test.ts',
  'packages/explorer/src/evm/verify/verify.test.ts',
  'packages/evm/src/execution/execution.test.ts',
  'packages/cli/src/dev/run/background.test.ts',
  'packages/network/src/local-network-faults.test.ts',
  'packages/relayer/src/exactly-once.test.ts',
  'packages/evm/src/standalone/threads.test.ts',
  'packages/evm-machine/src/precompiles/contract.test.ts',
  'packages/evm/src/threads/threads.test.ts',
  'packages/machine/src/store/lmdb.test.ts',
  'packages/evm-machine/src/interpreter/fast/fast.test.ts',
  'packages/explorer/src/evm/index.test.ts',
  'packages/explorer/src/evm/verify/contract-keeper.test.ts',
  'packages/network/src/local-network-http.test.ts',
  'stages.test.ts',
  ...[
    ...['deployment-local', 'explorer', 'chat', 'corruption', 'archive-s3', 'explorer-evm', 'remote', 'firm', 'geth'],
    ...[
      'explorer-verify',
      'comet',
      'faucet',
      'comet-four',
      'da-faults',
      'bridge-owed',
      'evm-standalone',
      'api-streams',
    ],
  ].map((name) => `e2e/scenarios/${name}.test.ts`),
];

/** @param {string} file Absolute path. */
function rank(file) {
  const index = LONGEST.indexOf(relative(root, file));
  return index === -1 ? LONGEST.length : index;
}

export default class LongFirst extends BaseSequencer {
  /** @param {import('vitest/node').TestSpecification[]} files */
  async sort(files) {
    const sorted = await super.sort(files);
    return sorted.sort((one, other) => rank(one.moduleId) - rank(other.moduleId));
  }
}
