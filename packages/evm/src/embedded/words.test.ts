import { createEVM } from '@ethereumjs/evm';
import { createAddressFromString } from '@ethereumjs/util';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { hexOf } from '../hex.ts';
import { OF_A_CALL } from '../simulate/checks.ts';
import { Machine } from '../simulate/machine.ts';
import { applyMessage } from '../simulate/message.ts';
import { ALICE, BOB, COINBASE, cancun, ENVIRONMENT, messageOf, stateWith } from '../simulate/testing.ts';
import { TimeBudget } from '../simulate/time-budget.ts';
import type { Data } from '../types.ts';

const RETURN_TOP = '5f5260205ff3';

const machines = () =>
  Promise.all([
    Machine.create({ rules: cancun(), blockHash: () => undefined }),
    Machine.create({
      rules: cancun(),
      blockHash: () => undefined,
      tracer: { step: () => {}, result: () => undefined },
    }),
  ]);

async function run(machine: Machine, code: Data, data = new Uint8Array()) {
  machine.use(stateWith({ [BOB]: { code } }), new TimeBudget(60_000));
  return applyMessage(machine, messageOf({ data }), ENVIRONMENT, OF_A_CALL);
}

test.each<[string, string, string]>([
  ['ADDRESS', '30', BOB],
  ['ORIGIN', '32', ALICE],
  ['CALLER', '33', ALICE],
  ['COINBASE', '41', COINBASE],
  ['PREVRANDAO', '44', `0x${'00'.repeat(20)}`],
])('%s is what the message or the block has, as a word', async (_, opcode, account) => {
  for (const machine of await machines()) {
    const { output } = await run(machine, `0x${opcode}${RETURN_TOP}`);
    expect(hexOf(output)).toBe(`0x${'00'.repeat(12)}${account.slice(2)}`);
  }
});

const number = (value: number | bigint) => {
  const digits = value.toString(16);
  const even = digits.length % 2 === 0 ? digits : `0${digits}`;
  return `${(0x5f + even.length / 2).toString(16)}${even}`;
};
const place = fc.oneof(fc.nat(100), fc.nat(1_000));
const operation = fc.oneof(
  fc.oneof(place, fc.constant(2n ** 255n)).map((at) => `${number(at)}35`), // CALLDATALOAD
  place.map((at) => `${number(at)}51`), // MLOAD
  fc.tuple(fc.nat(300), place).map(([length, at]) => `${number(length)}${number(at)}20`), // KECCAK256
  fc.constantFrom('30', '32', '33'),
);

test('what comes onto the stack is what the library puts there, for the same gas', async () => {
  const library = await createEVM({ common: cancun() });
  const ours = await machines();
  await fc.assert(
    fc.asyncProperty(
      fc.uint8Array({ maxLength: 120 }),
      fc.array(operation, { maxLength: 8 }),
      async (data, operations) => {
        // Call data in memory; all results mixed into one word.
        const mixed = operations.map((each) => `${each}18`).join('');
        const code: Data = `0x365f5f375f${mixed}${RETURN_TOP}`;
        const bytes = new Uint8Array(Buffer.from(code.slice(2), 'hex'));
        const [from, to] = [createAddressFromString(ALICE), createAddressFromString(BOB)];
        const expected = await library.runCode({ code: bytes, data, gasLimit: 1_000_000n, caller: from, to });
        for (const machine of ours) {
          const { output, failure } = await run(machine, code, data);
          expect({ output: hexOf(output), failed: failure !== undefined }).toEqual({
            output: hexOf(expected.returnValue),
            failed: expected.exceptionError !== undefined,
          });
        }
      },
    ),
  );
});
