import { expect, test } from 'vitest';
import { bridges } from '../tables/bridge.ts';
import { actionChain, address, alice, bob, bridge, CHAT, initBridge, NRIA, NTIA } from '../testing.ts';
import { handlers } from './registry.ts';

const { initBridgeAccount } = handlers;

test('ties the signer to the rollup and the asset, with itself as both keys', () => {
  const chain = actionChain();
  expect(chain.run(initBridgeAccount, bridge.account, initBridge())).toEqual([]);
  expect(bridges.get(chain.state, bridge.account)).toEqual({
    rollup: CHAT,
    asset: NRIA.id,
    sudo: bridge.account,
    withdrawer: bridge.account,
    depositsDisabled: false,
  });
});

test('accepts other keys, and an unregistered asset', () => {
  const chain = actionChain();
  const action = initBridge({ asset: NTIA, sudo: address(alice), withdrawer: address(bob) });
  chain.run(initBridgeAccount, bridge.account, action);
  expect(bridges.get(chain.state, bridge.account)).toMatchObject({
    asset: NTIA.id,
    sudo: alice.account,
    withdrawer: bob.account,
  });
});

test.each([
  ['a sudo address of another chain', initBridge({ sudo: address(alice, 'other') }), 'malformed'],
  ['a withdrawer address of another chain', initBridge({ withdrawer: address(bob, 'other') }), 'malformed'],
])('refuses %s', (_, action, reason) => {
  expect(() => actionChain().run(initBridgeAccount, bridge.account, action)).toThrow(
    expect.objectContaining({ reason }),
  );
});

test('happens once: nothing ever changes the rollup or the asset', () => {
  const chain = actionChain();
  chain.run(initBridgeAccount, bridge.account, initBridge());
  expect(() => chain.run(initBridgeAccount, bridge.account, initBridge({ asset: NTIA }))).toThrow(
    expect.objectContaining({ reason: 'already-a-bridge' }),
  );
  expect(bridges.get(chain.state, bridge.account)?.asset).toBe(NRIA.id);
});
