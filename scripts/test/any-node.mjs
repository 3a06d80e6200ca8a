/**
 * Tests that run on the oldest Node only, since no other version changes what they find: rules of the repository, tools of tests,
 * simulated time, Solidity's compilers, and arithmetic whose vectors take long. The contract tests of precompiles run on each.
 */
export const ON_ANY_NODE = [
  '*.test.ts',
  'e2e/**',
  'packages/evm-machine/src/interpreter/**',
  'packages/explorer/src/evm/verify/**',
  'packages/network/src/simulate/**',
  'packages/evm-machine/src/precompiles/bn254.test.ts',
  'packages/evm-machine/src/precompiles/kzg.test.ts',
];
