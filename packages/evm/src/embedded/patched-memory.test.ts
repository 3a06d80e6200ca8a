import fc from 'fast-check';
import { expect, test } from 'vitest';
import { bytesOf } from '../hex.ts';
import { OF_A_CALL } from '../simulate/checks.ts';
import { Machine } from '../simulate/machine.ts';
import { applyMessage } from '../simulate/message.ts';
import { BOB, cancun, ENVIRONMENT, messageOf, stateWith } from '../simulate/testing.ts';
import { TimeBudget } from '../simulate/time-budget.ts';
import type { Data } from '../types.ts';

const push = (value: bigint | number) => {
  const digits = value.toString(16);
  const even = digits.length % 2 === 0 ? digits : `0${digits}`;
  return `${(0x5f + even.length / 2).toString(16)}${even}`;
};

const word = fc.nat({ max: 256 }).chain((bits) => fc.bigInt({ min: 0n, max: (1n << BigInt(bits)) - 1n }));
const place = fc.oneof(fc.nat(80), fc.nat(3_000));
const step = fc.oneof(
  fc.tuple(word, place).map(([value, at]) => `${push(value)}${push(at)}52`), // MSTORE
  fc.tuple(word, place).map(([value, at]) => `${push(value)}${push(at)}53`), // MSTORE8
  fc.tuple(place, place).map(([from, to]) => `${push(from)}51${push(to)}52`), // MLOAD, MSTORE
  fc.tuple(fc.nat(300), place, place).map(([length, from, to]) => `${push(length)}${push(from)}${push(to)}5e`), // MCOPY
  place.map((at) => `59${push(at)}52`), // MSIZE, MSTORE
  fc.tuple(fc.nat(100), place).map(([length, at]) => `${push(length)}5f${push(at)}37`), // CALLDATACOPY
);

test('memory holds what that of the library holds, for the same gas', async () => {
  const fast = await Machine.create({ rules: cancun(), blockHash: () => undefined });
  // Only a machine without a tracer is a fast one.
  const tracer = { step: () => {}, result: () => undefined };
  const slow = await Machine.create({ rules: cancun(), blockHash: () => undefined, tracer });
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 12 }), fc.nat(3_200), fc.nat(200), async (steps, length, at) => {
      const code: Data = `0x${steps.join('')}${push(length)}${push(at)}f3`;
      const run = async (machine: Machine) => {
        machine.use(stateWith({ [BOB]: { code } }), new TimeBudget(5_000));
        const message = messageOf({ data: bytesOf(`0x${'c7'.repeat(70)}`) });
        return applyMessage(machine, message, ENVIRONMENT, OF_A_CALL);
      };
      const found = await run(fast);
      expect(found).toEqual(await run(slow));
      expect(found.failure).toBeUndefined();
    }),
  );
});
