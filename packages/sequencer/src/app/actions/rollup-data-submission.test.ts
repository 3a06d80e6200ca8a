import { rollupIdFromBytes } from '@switchyard/protocol';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { actionChain, alice, appStateJson, bridge, CHAT, data, initBridge } from '../testing.ts';
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

const RESERVED = rollupIdFromBytes(Uint8Array.from({ length: 32 }, (_, index) => (index < 9 ? 0 : 7)));
const NEXT = rollupIdFromBytes(Uint8Array.from({ length: 32 }, (_, index) => (index < 8 ? 0 : 7)));

test('a rollup that can be posted nowhere is refused where the genesis file has the rule, and nowhere else', () => {
  const strict = actionChain(appStateJson({ refuse_reserved_rollup_ids: true }));
  expect(() => strict.run(rollupDataSubmission, alice.account, { ...data('x'), rollup: RESERVED })).toThrow(
    'rollup ids that begin with nine zero bytes are reserved by the data-availability layer',
  );
  expect(() => strict.run(handlers.initBridgeAccount, bridge.account, { ...initBridge(), rollup: RESERVED })).toThrow(
    'nine zero bytes',
  );
  expect(strict.run(rollupDataSubmission, alice.account, { ...data('x'), rollup: NEXT })).toHaveLength(1);
  const old = actionChain();
  expect(old.run(rollupDataSubmission, alice.account, { ...data('x'), rollup: RESERVED })).toHaveLength(1);
  expect(old.run(handlers.initBridgeAccount, bridge.account, { ...initBridge(), rollup: RESERVED })).toEqual([]);
});
