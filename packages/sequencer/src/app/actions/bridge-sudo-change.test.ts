import type { ActionOf } from '@switchyard/protocol';
import { expect, test } from 'vitest';
import { bridges } from '../tables/bridge.ts';
import { actionChain, address, alice, bob, bridge, initBridge, lock, NRIA, pauper } from '../testing.ts';
import { handlers } from './registry.ts';

const { bridgeSudoChange } = handlers;

const change = (changes: Partial<ActionOf<'bridgeSudoChange'>> = {}): ActionOf<'bridgeSudoChange'> => ({
  kind: 'bridgeSudoChange',
  bridge: address(bridge),
  newSudo: undefined,
  newWithdrawer: undefined,
  feeAsset: NRIA,
  disableDeposits: false,
  ...changes,
});

function chainWithBridge() {
  const chain = actionChain();
  chain.run(handlers.initBridgeAccount, bridge.account, initBridge());
  return chain;
}

test('changes the keys that are named and leaves the others', () => {
  const chain = chainWithBridge();
  chain.run(bridgeSudoChange, bridge.account, change({ newWithdrawer: address(bob) }));
  expect(bridges.get(chain.state, bridge.account)).toMatchObject({ sudo: bridge.account, withdrawer: bob.account });
  chain.run(bridgeSudoChange, bridge.account, change({ newSudo: address(alice) }));
  expect(bridges.get(chain.state, bridge.account)).toMatchObject({ sudo: alice.account, withdrawer: bob.account });
});

test('stops deposits, and the next change without that word allows them again', () => {
  const chain = chainWithBridge();
  chain.run(bridgeSudoChange, bridge.account, change({ disableDeposits: true }));
  expect(() => chain.run(handlers.bridgeLock, alice.account, lock(1n))).toThrow(
    expect.objectContaining({ reason: 'deposits-disabled' }),
  );
  chain.run(bridgeSudoChange, bridge.account, change());
  expect(chain.run(handlers.bridgeLock, alice.account, lock(1n))).toHaveLength(1);
});

test.each([
  ['an ordinary account', bridge, change({ bridge: address(pauper) }), 'not-a-bridge'],
  ['a key that is not the sudo', alice, change(), 'unauthorized'],
  ['a sudo address of another chain', bridge, change({ newSudo: address(bob, 'other') }), 'malformed'],
  ['a withdrawer address of another chain', bridge, change({ newWithdrawer: address(bob, 'other') }), 'malformed'],
  ['a bridge address of another chain', bridge, change({ bridge: address(bridge, 'other') }), 'malformed'],
])('refuses %s', (_, signer, action, reason) => {
  expect(() => chainWithBridge().run(bridgeSudoChange, signer.account, action)).toThrow(
    expect.objectContaining({ reason }),
  );
});
