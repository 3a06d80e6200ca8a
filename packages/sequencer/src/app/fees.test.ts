import { balances } from '@switchyard/machine';
import { type Action, type ActionOf, parseDenom, U128_MAX } from '@switchyard/protocol';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { findFee, getCharges, totalFees } from './fees.ts';
import { feeComponents } from './tables/fees.ts';
import {
  actionChain,
  address,
  alice,
  bridge,
  CHAT,
  data,
  initBridge,
  lock,
  NRIA,
  NTIA,
  sudo,
  TestNode,
  transfer,
  unlock,
} from './testing.ts';

const getAmount = (action: Action) => findFee(actionChain().state, action)?.amount;

test.each<[string, Action, bigint | undefined]>([
  ['the vector of the wire: 32 + 5 bytes', data('hello'), 37n],
  ['a transfer', transfer(alice, 1n), 12n],
  ['the 48 of a new bridge account', initBridge(), 48n],
  ['a lock to a 42-character address: 12 + 4 + 42 + 16', { ...lock(1n), destination: '0x'.padEnd(42, 'a') }, 74n],
  [
    'a lock that gives the asset by its id: 12 + 68 + 5 + 16',
    { ...lock(1n), asset: parseDenom(`ibc/${NRIA.id}`) },
    101n,
  ],
  ['a destination counts in bytes', { ...lock(1n), destination: 'é' }, 34n],
  // Defect: Unlocks cost nothing on local networks and in tests
  ['an unlock', unlock(1n, 'w'), 12n],
  ['an action without a fee asset', { kind: 'sudoAddressChange', newAddress: address(alice) }, undefined],
])('%s', (_, action, fee) => {
  expect(getAmount(action)).toBe(fee);
});

test.each<[string, Action, string]>([
  ['an action without components, though it pays nothing', { kind: 'marketsChange' }, 'action-disabled'],
  ['an asset that is not on the list', { ...data('x'), feeAsset: NTIA }, 'fee-asset-not-allowed'],
])('refuses %s', (_, action, reason) => {
  expect(() => getAmount(action)).toThrow(expect.objectContaining({ reason }));
});

test('a fee stops at the largest amount instead of wrapping around', () => {
  const { state } = actionChain();
  feeComponents.put(state, 'rollupDataSubmission', { base: U128_MAX, multiplier: U128_MAX });
  expect(findFee(state, data('xx'))?.amount).toBe(U128_MAX);
});

test('charges what each account will pay, once for each asset', () => {
  const { state } = actionChain();
  const context = { state, signer: alice.account };
  expect(getCharges([data('a'), data('bc'), transfer(bridge, 100n), transfer(bridge, 1n, NTIA)], context)).toEqual([
    { account: alice.account, asset: NRIA.id, amount: 33n + 34n + 12n + 100n + 12n },
    { account: alice.account, asset: NTIA.id, amount: 1n },
  ]);
});

test('charges a withdrawal to the bridge account', () => {
  const chain = actionChain();
  const state = chain.state;
  expect(() => getCharges([unlock(5n, 'w')], { state, signer: alice.account })).toThrow(
    expect.objectContaining({ reason: 'not-a-bridge' }),
  );
});

test('the fee is taken before the action is executed, and reaches the authority at the end of the block', async () => {
  const node = new TestNode();
  const held = () => [alice, sudo].map((who) => balances.get(node.app.snapshot(), [who.account, NRIA.id]));
  node.submit(alice, data('hello'), data('x'));
  const { result } = await node.make();
  const [before] = [1_000_000n];
  expect(held()).toEqual([before - 37n - 33n, before + 37n + 33n]);
  expect(result.txResults[2]?.events).toEqual([
    {
      type: 'tx.fees',
      attributes: [
        { key: 'actionName', value: 'astria.protocol.transaction.v1.RollupDataSubmission', index: true },
        { key: 'asset', value: `ibc/${NRIA.id}`, index: true },
        { key: 'feeAmount', value: '37', index: true },
        { key: 'positionInTransaction', value: '0', index: true },
      ],
    },
    expect.objectContaining({ type: 'tx.fees' }),
  ]);
});

test('the receiver of the fees is who has the authority after the block', async () => {
  const node = new TestNode();
  node.submit(alice, data('hello'));
  node.submit(sudo, { kind: 'sudoAddressChange', newAddress: address(bridge) });
  await node.make();
  expect(balances.get(node.app.snapshot(), [bridge.account, NRIA.id])).toBe(1_000_037n);
});

test('one memo of prices never gives another sum than none', () => {
  const action = fc.oneof(
    fc.string({ minLength: 1 }).map((text): ActionOf<'rollupDataSubmission'> => data(text, CHAT)),
    fc.constant(transfer(bridge, 3n)),
    fc.string().map((destination): ActionOf<'bridgeLock'> => ({ ...lock(1n), destination })),
  );
  const { state } = actionChain();
  fc.assert(
    fc.property(fc.array(action), (actions) => {
      const alone = actions.reduce((sum, each) => sum + (findFee(state, each)?.amount ?? 0n), 0n);
      expect(totalFees(state, actions).get(NRIA.id) ?? 0n).toBe(alone);
    }),
  );
});
