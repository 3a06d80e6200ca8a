import { expect, test } from 'vitest';
import { BlockGas, hasRoom, mostGas } from './block-gas.ts';

test('a block counts the kind of gas of which more is used', () => {
  const gas = new BlockGas('amsterdam', 1_000n);
  gas.add({ execution: 300n, state: 500n });
  expect([gas.used, { gasLeft: gas.gasLeft, stateGasLeft: gas.stateGasLeft }]).toEqual([
    500n,
    { gasLeft: 700n, stateGasLeft: 500n },
  ]);
  gas.add({ execution: 400n, state: 0n });
  expect([gas.used, { gasLeft: gas.gasLeft, stateGasLeft: gas.stateGasLeft }]).toEqual([
    700n,
    { gasLeft: 300n, stateGasLeft: 500n },
  ]);
});

test('before Amsterdam there is one kind', () => {
  const gas = new BlockGas('osaka', 1_000n);
  gas.add({ execution: 300n, state: 0n });
  expect([gas.used, { gasLeft: gas.gasLeft, stateGasLeft: gas.stateGasLeft }]).toEqual([300n, { gasLeft: 700n }]);
});

const MAX = 16_777_216n;

test.each([
  ['all of it', 100n, { gasLeft: 100n }, true],
  ['more', 101n, { gasLeft: 100n }, false],
  ['as much as EIP-7825 allows, and state', 5n * MAX, { gasLeft: MAX, stateGasLeft: 5n * MAX }, true],
  ['less than that', 5n * MAX, { gasLeft: MAX - 1n, stateGasLeft: 5n * MAX }, false],
  ['too much state', 5n * MAX, { gasLeft: MAX, stateGasLeft: 5n * MAX - 1n }, false],
  ['a small one behind others', 100n, { gasLeft: 99n, stateGasLeft: MAX }, false],
])('room for a transaction: %s', (_, gasLimit, left, expected) => {
  expect(hasRoom(gasLimit, left)).toBe(expected);
});

test.each([
  [{ gasLeft: 7n }, 7n],
  [{ gasLeft: MAX, stateGasLeft: 5n * MAX }, 5n * MAX],
  [{ gasLeft: MAX - 1n, stateGasLeft: 5n * MAX }, MAX - 1n],
  [{ gasLeft: MAX - 1n, stateGasLeft: 3n }, 3n],
])('the largest transaction with %o', (left, most) => {
  expect([mostGas(left), hasRoom(most, left), hasRoom(most + 1n, left)]).toEqual([most, true, false]);
});
