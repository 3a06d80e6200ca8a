import { Rejected, toHex } from '@switchyard/protocol';
import { anyDamaged } from '@switchyard/protocol/testing';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { decodeState, encodeState, firstState, getEnd, type RelayerState, settled } from './state.ts';

const u64 = fc.bigInt({ min: 0n, max: 2n ** 64n - 1n });
const position = fc.record({ height: fc.bigInt({ min: 1n, max: 2n ** 64n - 1n }), entry: fc.nat(0xffffffff) });
const hash = fc.option(fc.uint8Array({ minLength: 32, maxLength: 32 }), { nil: undefined });
const anyState: fc.Arbitrary<RelayerState> = fc.record({
  ...{ sequencerChainId: fc.string(), daChainId: fc.string(), next: position, hash, fees: u64 },
  daHeight: fc.option(fc.bigInt({ min: 1n, max: 2n ** 64n - 1n }), { nil: undefined }),
  pending: fc.array(
    fc.record({
      ...{ id: fc.string(), bytes: fc.uint8Array(), lastHeight: u64, fee: u64, to: position, hash },
      daHeight: fc.option(
        u64.filter((height) => height > 0n),
        { nil: undefined },
      ),
    }),
    { maxLength: 4 },
  ),
});

const isPlain = (state: RelayerState) => !JSON.stringify([state.sequencerChainId, state.daChainId]).includes('\\ud');

test('is read as it was written', () => {
  fc.assert(
    fc.property(anyState.filter(isPlain), (state) => {
      expect(decodeState(encodeState(state))).toEqual(state);
    }),
  );
});

test('what is damaged is refused or another state', () => {
  fc.assert(
    fc.property(anyDamaged(anyState.filter(isPlain).map(encodeState)), (bytes) => {
      try {
        decodeState(bytes);
      } catch (error) {
        expect(error).toBeInstanceOf(Rejected);
      }
    }),
  );
});

const pending = {
  ...{ id: 'ab', bytes: Uint8Array.of(1, 2), lastHeight: 9n, fee: 3n },
  ...{ to: { height: 6n, entry: 2 }, hash: undefined, daHeight: undefined },
};
const next = { ...pending, id: 'cd', to: { height: 8n, entry: 0 }, hash: new Uint8Array(32).fill(7) };

test('the encoding on disk stays what it is', () => {
  const state = { ...firstState('c', 'l', 5n), daHeight: 8n, fees: 4n, pending: [pending] };
  const hex = '0a016312016c1a0208052808300' + '43a120a02616212020102180920032a0408061002';
  expect(toHex(encodeState(state))).toBe(hex);
  expect(toHex(encodeState({ ...state, pending: [pending, { ...pending, daHeight: 3n }] }))).toBe(
    `${hex}3a140a02616212020102180920032a04080610023803`,
  );
});

test('a part of a block moves the position and not the hash', () => {
  const state = { ...firstState('c', 'l', 5n), hash: new Uint8Array(32).fill(4), fees: 4n };
  expect(settled(state, [{ ...pending, daHeight: 8n }])).toEqual({
    ...state,
    next: pending.to,
    daHeight: 8n,
    fees: 7n,
  });
});

test('what the layer has behind one that it does not have is kept, and done with together', () => {
  const state = firstState('c', 'l', 5n);
  const flight = [pending, { ...next, daHeight: 9n }];
  expect(settled(state, flight)).toEqual({ ...state, pending: flight });
  const { to, hash } = next;
  expect(settled(state, [{ ...pending, daHeight: 12n }, ...flight.slice(1)])).toEqual({
    ...{ ...state, hash, next: to, daHeight: 12n, fees: 6n, pending: [] },
  });
});

test('reading continues behind what is under way', () => {
  const state = { ...firstState('c', 'l', 5n), hash: new Uint8Array(32).fill(4) };
  expect(getEnd(state)).toEqual({ next: state.next, hash: state.hash });
  expect(getEnd({ ...state, pending: [pending] })).toEqual({ next: pending.to, hash: state.hash });
  expect(getEnd({ ...state, pending: [pending, next] })).toEqual({ next: next.to, hash: next.hash });
});
