import fc from 'fast-check';
import { expect, test } from 'vitest';
import { bytesOf } from '../hex.ts';
import { OF_A_CALL } from '../simulate/checks.ts';
import { Machine } from '../simulate/machine.ts';
import { applyMessage } from '../simulate/message.ts';
import { BOB, cancun, ENVIRONMENT, messageOf, stateWith } from '../simulate/testing.ts';
import { TimeBudget } from '../simulate/time-budget.ts';
import { StateOverlay } from '../state/overlay.ts';
import type { Address, Data, Hash } from '../types.ts';

const CAROL: Address = `0x${'c3'.repeat(20)}`;
const slotAt = (index: number): Hash => `0x${index.toString(16).padStart(64, '0')}`;
const byte = (value: number) => value.toString(16).padStart(2, '0');

/** Writes the second word of its input into the slot that the first names, and fails if the third is not 0. */
const CAROLS_CODE: Data = '0x6020355f3555604035156010575f5ffd5b00';

const step = fc.oneof(
  { weight: 5, arbitrary: fc.tuple(fc.nat(3), fc.nat(3)).map(([slot, value]) => `60${byte(value)}60${byte(slot)}55`) },
  { weight: 2, arbitrary: fc.nat(3).map((slot) => `60${byte(slot)}5450`) },
  // A call or a static call of Carol, with slot, value, and whether she reverts.
  {
    weight: 3,
    arbitrary: fc.tuple(fc.nat(3), fc.nat(3), fc.nat(1), fc.boolean()).map(([slot, value, fails, isStatic]) => {
      const data = `60${byte(slot)}5f5260${byte(value)}60205260${byte(fails)}604052`;
      return `${data}5f5f60605f${isStatic ? '' : '5f'}73${CAROL.slice(2)}62030d40${isStatic ? 'fa' : 'f1'}50`;
    }),
  },
);

test('slots are read and written as the library does it, for the same gas and the same refunds', {
  timeout: 60_000,
}, async () => {
  const machine = (tracer?: { step(): void; result(): undefined }) =>
    Machine.create({ rules: cancun(), blockHash: () => undefined, ...(tracer === undefined ? {} : { tracer }) });
  const fast = await machine();
  // Only a machine without a tracer is a fast one.
  const slow = await machine({ step: () => {}, result: () => undefined });
  await fc.assert(
    fc.asyncProperty(
      fc.array(step, { maxLength: 14 }),
      fc.array(fc.nat(3), { minLength: 6, maxLength: 6 }),
      fc.oneof(fc.constant(900_000n), fc.integer({ min: 23_000, max: 90_000 }).map(BigInt)),
      async (steps, originals, gasLimit) => {
        const before = stateWith({
          [BOB]: { code: `0x${steps.join('')}00`, balance: 1n },
          [CAROL]: { code: CAROLS_CODE, balance: 1n },
        });
        for (const [index, value] of originals.entries())
          before.putStorage(index < 3 ? BOB : CAROL, slotAt(index % 3), BigInt(value));
        const run = async (own: Machine) => {
          const state = new StateOverlay(before);
          own.use(state, new TimeBudget(60_000));
          const outcome = await applyMessage(own, messageOf({ gasLimit, data: bytesOf('0x') }), ENVIRONMENT, OF_A_CALL);
          const slots = [BOB, CAROL].map((address) =>
            [0, 1, 2, 3].map((index) => state.storage(address, slotAt(index))),
          );
          return { ...outcome, slots };
        };
        expect(await run(fast)).toEqual(await run(slow));
      },
    ),
    { numRuns: 200 },
  );
});
