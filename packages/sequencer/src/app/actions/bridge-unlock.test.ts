import fc from 'fast-check';
import { expect, test } from 'vitest';
import { actionChain, address, alice, bob, bridge, initBridge, NRIA, pauper, RICH, unlock } from '../testing.ts';
import { handlers } from './registry.ts';

const { bridgeUnlock } = handlers;

/** Alice is the withdrawer, so that the signer and the payer are two accounts. */
function chainWithBridge() {
  const chain = actionChain();
  chain.run(handlers.initBridgeAccount, bridge.account, initBridge({ withdrawer: address(alice) }));
  return chain;
}

test('pays out of the bridge account, not out of the signer', () => {
  const chain = chainWithBridge();
  expect(chain.run(bridgeUnlock, alice.account, unlock(40n, 'w1'))).toEqual([]);
  expect([alice, bridge, bob].map((who) => chain.balance(who.account, NRIA.id))).toEqual([
    RICH,
    RICH - 40n,
    RICH + 40n,
  ]);
});

test('pays an event once', () => {
  const chain = chainWithBridge();
  chain.run(bridgeUnlock, alice.account, unlock(40n, 'w1'));
  expect(() => chain.run(bridgeUnlock, alice.account, unlock(1n, 'w1'))).toThrow(
    expect.objectContaining({ reason: 'event-already-used' }),
  );
});

test.each([
  ['nothing to pay', unlock(0n, 'w'), 'malformed'],
  ['no event', unlock(1n, ''), 'malformed'],
  ['an event id over 256 bytes', unlock(1n, 'é'.repeat(129)), 'malformed'],
  ['no rollup block', { ...unlock(1n, 'w'), rollupBlockNumber: 0n }, 'malformed'],
  ['a memo over 64 bytes', { ...unlock(1n, 'w'), memo: 'm'.repeat(65) }, 'malformed'],
  ['more than the bridge holds', unlock(RICH + 1n, 'w'), 'insufficient-balance'],
  ['an ordinary account to pay from', { ...unlock(1n, 'w'), bridge: address(pauper) }, 'not-a-bridge'],
  ['a bridge account to pay to', unlock(1n, 'w', bridge), 'is-a-bridge'],
  ['an address of another chain', { ...unlock(1n, 'w'), to: address(bob, 'other') }, 'malformed'],
  ['a bridge address of another chain', { ...unlock(1n, 'w'), bridge: address(bridge, 'other') }, 'malformed'],
])('refuses %s', (_, action, reason) => {
  expect(() => chainWithBridge().run(bridgeUnlock, alice.account, action)).toThrow(expect.objectContaining({ reason }));
});

test('refuses anybody but the withdrawer', () => {
  expect(() => chainWithBridge().run(bridgeUnlock, bridge.account, unlock(1n, 'w'))).toThrow(
    expect.objectContaining({ reason: 'unauthorized' }),
  );
});

test('whatever the events are called, each pays exactly once', () => {
  fc.assert(
    fc.property(fc.array(fc.string({ minLength: 1, maxLength: 20 }), { maxLength: 10 }), (events) => {
      const chain = chainWithBridge();
      for (const event of [...events, ...events]) {
        try {
          chain.run(bridgeUnlock, alice.account, unlock(1n, event));
        } catch (error) {
          expect(error).toMatchObject({ reason: 'event-already-used' });
        }
      }
      expect(chain.balance(bridge.account, NRIA.id)).toBe(RICH - BigInt(new Set(events).size));
    }),
    { numRuns: 30 },
  );
});
