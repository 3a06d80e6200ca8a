import { parseDenom } from '@switchyard/protocol';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { actionChain, address, alice, bridge, CHAT, initBridge, lock, NRIA, NTIA, pauper, RICH } from '../testing.ts';
import { handlers } from './registry.ts';

const { bridgeLock } = handlers;

function chainWithBridge(asset = NRIA) {
  const chain = actionChain();
  chain.run(handlers.initBridgeAccount, bridge.account, initBridge({ asset }));
  return chain;
}

test('escrows the amount and announces one deposit', () => {
  const chain = chainWithBridge();
  const events = chain.run(bridgeLock, alice.account, lock(40n));
  expect(events).toMatchObject([
    {
      kind: 'deposit',
      deposit: {
        bridge: { account: bridge.account, prefix: 'astria' },
        rollup: CHAT,
        amount: 40n,
        asset: 'nria',
        destination: '0xabc',
        sourceAction: 0n,
      },
    },
  ]);
  expect([chain.balance(alice.account, NRIA.id), chain.balance(bridge.account, NRIA.id)]).toEqual([
    RICH - 40n,
    RICH + 40n,
  ]);
});

test('tells the rollup the full name of an asset that was given by its id', () => {
  const events = chainWithBridge().run(bridgeLock, alice.account, { ...lock(0n), asset: parseDenom(`ibc/${NRIA.id}`) });
  expect(events).toMatchObject([{ deposit: { asset: 'nria', amount: 0n } }]);
});

test.each([
  ['an ordinary account', lock(1n, pauper), 'not-a-bridge'],
  ['another asset', { ...lock(1n), asset: NTIA }, 'wrong-asset'],
  ['more than is held', lock(RICH + 1n), 'insufficient-balance'],
  ['an address of another chain', { ...lock(1n), to: address(bridge, 'other') }, 'malformed'],
])('refuses %s', (_, action, reason) => {
  expect(() => chainWithBridge().run(bridgeLock, alice.account, action)).toThrow(expect.objectContaining({ reason }));
});

test('refuses an asset whose name is unknown', () => {
  const action = { ...lock(0n), asset: parseDenom(`ibc/${NTIA.id}`) };
  expect(() => chainWithBridge(NTIA).run(bridgeLock, alice.account, action)).toThrow(
    expect.objectContaining({ reason: 'unknown-asset' }),
  );
});

test('refuses a bridge account as signer', () => {
  expect(() => chainWithBridge().run(bridgeLock, bridge.account, lock(1n))).toThrow(
    expect.objectContaining({ reason: 'is-a-bridge' }),
  );
});

test('neither creates nor destroys value', () => {
  fc.assert(
    fc.property(fc.array(fc.bigInt({ min: 0n, max: RICH })), (amounts) => {
      const chain = chainWithBridge();
      const held = () => chain.balance(alice.account, NRIA.id);
      for (const amount of amounts) if (amount <= held()) chain.run(bridgeLock, alice.account, lock(amount));
      expect(held() + chain.balance(bridge.account, NRIA.id)).toBe(2n * RICH);
    }),
    { numRuns: 30 },
  );
});
