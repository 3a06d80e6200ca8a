import type { Data } from '@switchyard/evm-machine/types';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { executionReverted, revertReason } from './errors.ts';

/** Error("Not enough Ether provided."), from the documentation of Solidity. */
const NOT_ENOUGH: Data = `0x08c379a0${'20'.padStart(64, '0')}${'1a'.padStart(64, '0')}4e6f7420656e6f7567682045746865722070726f76696465642e000000000000`;

test('a revert has code 3, its reason in the text and what it returned as data', () => {
  expect(executionReverted(NOT_ENOUGH)).toMatchObject({
    code: 3,
    rpcMessage: 'execution reverted: Not enough Ether provided.',
    data: NOT_ENOUGH,
  });
  expect(executionReverted('0x')).toMatchObject({ code: 3, rpcMessage: 'execution reverted', data: '0x' });
  expect(executionReverted('0xdeadbeef')).toMatchObject({ rpcMessage: 'execution reverted', data: '0xdeadbeef' });
});

test.each<[string, number, string]>([
  ['an overflow', 0x11, 'arithmetic underflow or overflow'],
  ['a failed assertion', 0x01, 'assert(false)'],
  ['an unknown code', 0x99, 'unknown panic code: 0x99'],
])('names %s', (_, code, reason) => {
  expect(revertReason(`0x4e487b71${code.toString(16).padStart(64, '0')}`)).toBe(reason);
});

test('finds no reason in data that only begins like one', () => {
  expect(revertReason(`0x08c379a0${'f'.repeat(128)}`)).toBeUndefined();
  expect(revertReason(`0x08c379a0${'20'.padStart(64, '0')}${'ff'.padStart(64, '0')}`)).toBeUndefined();
  fc.assert(
    fc.property(fc.constantFrom('0x08c379a0', '0x4e487b71'), fc.uint8Array({ maxLength: 200 }), (selector, bytes) => {
      revertReason(`${selector}${Buffer.from(bytes).toString('hex')}` as Data);
    }),
  );
});
