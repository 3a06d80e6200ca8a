import type { ActionOf } from '@switchyard/protocol';
import { rollupIdFromName } from '@switchyard/protocol';
import { expect, test } from 'vitest';
import { actionChain, address, alice, bob, bridge, initBridge, NRIA, NTIA, pauper, RICH, unlock } from '../testing.ts';
import { handlers } from './registry.ts';

const { bridgeTransfer } = handlers;
const OTHER = rollupIdFromName('other');

const move = (changes: Partial<ActionOf<'bridgeTransfer'>> = {}): ActionOf<'bridgeTransfer'> => ({
  kind: 'bridgeTransfer',
  to: address(bob),
  amount: 40n,
  feeAsset: NRIA,
  destination: '0xdef',
  bridge: address(bridge),
  rollupBlockNumber: 7n,
  withdrawalEvent: 'w1',
  ...changes,
});

/** Two bridges, of two rollups; bob is the second. */
function chainWithBridges(asset = NRIA) {
  const chain = actionChain();
  chain.run(handlers.initBridgeAccount, bridge.account, initBridge({ withdrawer: address(alice) }));
  chain.run(handlers.initBridgeAccount, bob.account, initBridge({ rollup: OTHER, asset }));
  return chain;
}

test('pays out of one bridge account into another, as a deposit to the other rollup', () => {
  const chain = chainWithBridges();
  expect(chain.run(bridgeTransfer, alice.account, move())).toMatchObject([
    {
      kind: 'deposit',
      deposit: { bridge: { account: bob.account }, rollup: OTHER, amount: 40n, asset: 'nria', destination: '0xdef' },
    },
  ]);
  expect([alice, bridge, bob].map((who) => chain.balance(who.account, NRIA.id))).toEqual([
    RICH,
    RICH - 40n,
    RICH + 40n,
  ]);
});

test('shares the record of paid events with unlocks', () => {
  const chain = chainWithBridges();
  chain.run(bridgeTransfer, alice.account, move());
  expect(() => chain.run(handlers.bridgeUnlock, alice.account, unlock(1n, 'w1', pauper))).toThrow(
    expect.objectContaining({ reason: 'event-already-used' }),
  );
});

test.each([
  ['nothing to pay', move({ amount: 0n }), 'malformed'],
  ['no destination', move({ destination: '' }), 'empty'],
  ['an ordinary account to pay to', move({ to: address(pauper) }), 'not-a-bridge'],
  ['an ordinary account to pay from', move({ bridge: address(pauper) }), 'not-a-bridge'],
  ['more than the bridge holds', move({ amount: RICH + 1n }), 'insufficient-balance'],
])('refuses %s', (_, action, reason) => {
  expect(() => chainWithBridges().run(bridgeTransfer, alice.account, action)).toThrow(
    expect.objectContaining({ reason }),
  );
});

test('refuses two bridges of two assets', () => {
  expect(() => chainWithBridges(NTIA).run(bridgeTransfer, alice.account, move())).toThrow(
    expect.objectContaining({ reason: 'wrong-asset' }),
  );
});

test('refuses anybody but the withdrawer', () => {
  expect(() => chainWithBridges().run(bridgeTransfer, bridge.account, move())).toThrow(
    expect.objectContaining({ reason: 'unauthorized' }),
  );
});
