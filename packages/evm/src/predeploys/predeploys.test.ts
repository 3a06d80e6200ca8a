import { hexToBytes, keccakHex } from '@switchyard/protocol/ethereum';
import { expect, test } from 'vitest';
import { PREDEPLOYS } from './predeploys.ts';

/** Hashes of the code at these addresses; those of Multicall3 and of EntryPoint 0.7 are the published ones. */
test('the code of each contract is what was verified', () => {
  expect(Object.fromEntries(PREDEPLOYS.map(({ name, code }) => [name, keccakHex(hexToBytes(code))]))).toEqual({
    Multicall3: '0xd5c15df687b16f2ff992fc8d767b4216323184a2bbc6ee2f9c398c318e770891',
    Permit2: '0x463331fa7a0d5f07488e42c37b461bb56a822145c161a821fbafe7d4e916b546',
    'EntryPoint 0.7': '0x8db5ff695839d655407cc8490bb7a5d82337a86a6b39c3f0258aa6c3b582fc58',
    'SenderCreator of EntryPoint 0.7': '0x283c9d14378f5f4c4e24045b87d621d48443fa5b4af7dd7180a599b3756a7689',
    'EntryPoint 0.8': '0xf8371bd66af1621efbc8d3f11093fc8992a3e17ec3d345a78cea7e2161a01441',
    'SenderCreator of EntryPoint 0.8': '0xc69a1b3a000d570bc86eb096ee63a9014a17951ad616d720882ec61432b00fcf',
  });
});
