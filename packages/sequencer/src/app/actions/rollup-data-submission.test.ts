import fc from 'fast-check';
import { expect, test } from 'vitest';
import { actionChain, alice, CHAT, data } from '../testing.ts';
import { handlers } from './registry.ts';

const { rollupDataSubmission } = handlers;

test('puts the bytes up for the rollup and changes no state', () => {
  const chain = actionChain();
  const before = chain.state.size;
  const events = chain.run(rollupDataSubmission, alice.account, data('hello'));
  expect(events).toEqual([{ kind: 'data', rollup: CHAT, data: new TextEncoder().encode('hello') }]);
  expect(chain.state.size).toBe(before);
});

test('refuses empty data', () => {
  expect(() => actionChain().run(rollupDataSubmission, alice.account, data(''))).toThrow(
    expect.objectContaining({ reason: 'empty' }),
  );
});

test('passes on any bytes unread', () => {
  fc.assert(
    fc.property(fc.uint8Array({ minLength: 1 }), (bytes) => {
      const events = actionChain().run(rollupDataSubmission, alice.account, { ...data('x'), data: bytes });
      expect(events).toEqual([{ kind: 'data', rollup: CHAT, data: bytes }]);
    }),
    { numRuns: 20 },
  );
});
