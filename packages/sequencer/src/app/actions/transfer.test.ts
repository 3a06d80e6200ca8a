import fc from 'fast-check';
import { expect, test } from 'vitest';
import { actionChain, address, alice, bob, bridge, initBridge, NRIA, NTIA, pauper, RICH } from '../testing.ts';
import { handlers } from './registry.ts';

const send = (to = bob, amount = 40n, prefix = 'astria') =>
  ({ kind: 'transfer', to: address(to, prefix), amount, asset: NRIA, feeAsset: NRIA }) as const;

test('moves the amount and nothing else', () => {
  const chain = actionChain();
  expect(chain.run(handlers.transfer, alice.account, send())).toEqual([]);
  expect([chain.balance(alice.account, NRIA.id), chain.balance(bob.account, NRIA.id)]).toEqual([
    RICH - 40n,
    RICH + 40n,
  ]);
});

test('to a bridge account it makes no deposit', () => {
  const chain = actionChain();
  chain.run(handlers.initBridgeAccount, bridge.account, initBridge());
  expect(chain.run(handlers.transfer, alice.account, send(bridge))).toEqual([]);
});

test.each([
  ['more than is held', send(bob, RICH + 1n), 'insufficient-balance'],
  ['an asset that is not held', { ...send(), asset: NTIA }, 'insufficient-balance'],
  ['an address of another chain', send(bob, 1n, 'other'), 'malformed'],
])('refuses %s', (_, action, reason) => {
  expect(() => actionChain().run(handlers.transfer, alice.account, action)).toThrow(
    expect.objectContaining({ reason }),
  );
});

test('refuses a bridge account as signer', () => {
  const chain = actionChain();
  chain.run(handlers.initBridgeAccount, bridge.account, initBridge());
  expect(() => chain.run(handlers.transfer, bridge.account, send())).toThrow(
    expect.objectContaining({ reason: 'is-a-bridge' }),
  );
});

test('neither creates nor destroys value', () => {
  const people = [alice, bob, pauper];
  const step = fc.tuple(fc.constantFrom(...people), fc.constantFrom(...people), fc.bigInt({ min: 0n, max: 2n * RICH }));
  fc.assert(
    fc.property(fc.array(step, { maxLength: 20 }), (steps) => {
      const chain = actionChain();
      for (const [from, to, amount] of steps) {
        try {
          chain.run(handlers.transfer, from.account, send(to, amount));
        } catch (error) {
          expect(error).toMatchObject({ reason: 'insufficient-balance' });
        }
      }
      expect(people.reduce((sum, who) => sum + chain.balance(who.account, NRIA.id), 0n)).toBe(2n * RICH);
    }),
    { numRuns: 50 },
  );
});
