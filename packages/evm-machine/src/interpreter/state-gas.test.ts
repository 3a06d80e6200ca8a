import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type Payer, StateGas } from './state-gas.ts';

/** Steps of frames: a charge, something undone, a call, and its end. */
const step = fc.oneof(
  fc.record({ kind: fc.constant('charge' as const), gas: fc.nat(60) }),
  fc.record({ kind: fc.constant('refill' as const), gas: fc.nat(60) }),
  fc.record({ kind: fc.constant('call' as const), gas: fc.nat(100) }),
  fc.record({ kind: fc.constantFrom('return' as const, 'revert' as const, 'fail' as const), gas: fc.constant(0) }),
);

interface Frame extends Payer {
  readonly reservoir: number;
  /** Charged less given back, with calls that succeeded. */
  charged: number;
}

test('gas is neither made nor lost, and a frame that fails leaves the reservoir as it was', () => {
  fc.assert(
    fc.property(fc.nat(200), fc.nat(200), fc.array(step, { maxLength: 40 }), (gas, reservoir, steps) => {
      const state = new StateGas();
      state.begin(reservoir);
      const frames: Frame[] = [{ gas, spillMark: 0, reservoir, charged: 0 }];
      let burnt = 0;
      for (const each of steps) {
        const frame = frames.at(-1);
        const caller = frames.at(-2);
        if (frame === undefined) break;
        if (each.kind === 'charge') {
          if (state.charge(frame, each.gas)) frame.charged += each.gas;
        } else if (each.kind === 'refill') {
          // No more than this frame and those around it have charged, as with slots.
          const open = frames.reduce((sum, { charged }) => sum + charged, 0);
          const back = Math.min(each.gas, open);
          state.refill(frame, back);
          frame.charged -= back;
        } else if (each.kind === 'call') {
          const given = Math.min(each.gas, frame.gas);
          frame.gas -= given;
          frames.push({ gas: given, spillMark: state.spilled, reservoir: state.reservoir, charged: 0 });
        } else if (caller !== undefined) {
          frames.pop();
          if (each.kind === 'return') caller.charged += frame.charged;
          else {
            state.undo(frame, frame.reservoir);
            expect(state.reservoir).toBe(frame.reservoir);
          }
          if (each.kind === 'fail') burnt += frame.gas;
          else caller.gas += frame.gas;
          state.settle(caller);
        }
        const left = frames.reduce((sum, one) => sum + one.gas, 0) + state.reservoir;
        const charged = frames.reduce((sum, one) => sum + one.charged, 0);
        expect(left + charged + burnt).toBe(gas + reservoir);
        expect(state.spilled - (frames.at(-1)?.spillMark ?? 0)).toBeGreaterThanOrEqual(0);
        expect(reservoir - state.reservoir + state.spilled).toBe(charged);
      }
    }),
    { numRuns: 500 },
  );
});

test.each<[string, number, [boolean, number, number, number]]>([
  ['from the reservoir first', 7, [true, 10, 3, 0]],
  ['then from the own gas', 14, [true, 6, 0, 4]],
  ['all of both', 20, [true, 0, 0, 10]],
  ['or nothing at all', 21, [false, 10, 10, 0]],
])('state is paid for %s', (_, gas, expected) => {
  const state = new StateGas();
  state.begin(10);
  const payer = { gas: 10, spillMark: 0 };
  const isPaid = state.charge(payer, gas);
  expect([isPaid, payer.gas, state.reservoir, state.spilled]).toEqual(expected);
});
