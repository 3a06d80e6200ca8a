import type { Action, ActionOf } from '@switchyard/protocol';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { applyValidatorUpdate, MAX_VALIDATORS, validators } from '../tables/authority.ts';
import { allowedFeeAssets, feeComponents } from '../tables/fees.ts';
import { actionChain, address, alice, bob, NRIA, NTIA, pauper, sudo, validator } from '../testing.ts';
import { handlerFor, handlers } from './registry.ts';

const power = (value: bigint, key = bob): ActionOf<'validatorUpdate'> => ({
  kind: 'validatorUpdate',
  publicKey: key.publicKey,
  power: value,
  name: '',
});
const assets = (change: 'addition' | 'removal', asset = NTIA): ActionOf<'feeAssetChange'> => ({
  kind: 'feeAssetChange',
  change,
  asset,
});
const price = { kind: 'feeChange', action: 'transfer', base: 5n, multiplier: 1n } as const;
const handOver = { kind: 'sudoAddressChange', newAddress: address(alice) } as const;

test('sudoAddressChange hands all of this over', () => {
  const chain = actionChain();
  chain.run(handlers.sudoAddressChange, sudo.account, handOver);
  expect(() => chain.run(handlers.feeChange, sudo.account, price)).toThrow(
    expect.objectContaining({ reason: 'unauthorized' }),
  );
  chain.run(handlers.feeChange, alice.account, price);
});

test('feeChange sets both components and announces that costs changed', () => {
  const chain = actionChain();
  expect(chain.run(handlers.feeChange, sudo.account, price)).toEqual([{ kind: 'feesChanged' }]);
  expect(feeComponents.get(chain.state, 'transfer')).toEqual({ base: 5n, multiplier: 1n });
});

test('feeChange enables an action that genesis left out', () => {
  const chain = actionChain();
  expect(feeComponents.get(chain.state, 'marketsChange')).toBeUndefined();
  chain.run(handlers.feeChange, sudo.account, { ...price, action: 'marketsChange' });
  expect(feeComponents.has(chain.state, 'marketsChange')).toBe(true);
});

test('feeAssetChange adds and removes', () => {
  const chain = actionChain();
  chain.run(handlers.feeAssetChange, sudo.account, assets('addition'));
  expect(allowedFeeAssets(chain.state)).toEqual([NRIA.id, NTIA.id]);
  chain.run(handlers.feeAssetChange, sudo.account, assets('removal', NRIA));
  expect(allowedFeeAssets(chain.state)).toEqual([NTIA.id]);
});

test('validatorUpdate does not grow the set beyond what CometBFT runs', () => {
  const chain = actionChain();
  const key = (index: number) => Buffer.alloc(32, index.toString(16).padStart(8, '0'), 'hex');
  for (let index = 1; index < MAX_VALIDATORS; index += 1) {
    applyValidatorUpdate(chain.state, { publicKey: key(index), power: 1n });
  }
  expect(() => chain.run(handlers.validatorUpdate, sudo.account, power(1n))).toThrow(
    expect.objectContaining({ reason: 'limit-reached' }),
  );
  chain.run(handlers.validatorUpdate, sudo.account, { ...power(9n), publicKey: key(1) });
  chain.run(handlers.validatorUpdate, sudo.account, { ...power(0n), publicKey: key(2) });
  chain.run(handlers.validatorUpdate, sudo.account, power(1n));
});

test('validatorUpdate adds, changes and removes, and tells the engine', () => {
  const chain = actionChain();
  expect(chain.run(handlers.validatorUpdate, sudo.account, power(3n))).toEqual([
    { kind: 'validatorUpdate', update: { publicKey: bob.publicKey, power: 3n } },
  ]);
  chain.run(handlers.validatorUpdate, sudo.account, power(4n));
  expect(validators.get(chain.state, bob.account)?.power).toBe(4n);
  chain.run(handlers.validatorUpdate, sudo.account, power(0n, validator));
  expect(validators.has(chain.state, validator.account)).toBe(false);
});

test.each([
  ['the last fee asset being removed', assets('removal', NRIA), 'limit-reached'],
  ['a fee asset being added twice', assets('addition', NRIA), 'already-present'],
  ['an absent fee asset being removed', assets('removal'), 'not-present'],
  ['the last validator being removed', power(0n, validator), 'last-validator'],
  ['an unknown validator being removed', power(0n), 'unknown-validator'],
  ['a validator name over 32 bytes', { ...power(1n), name: 'n'.repeat(33) }, 'malformed'],
  ['a new authority of another chain', { ...handOver, newAddress: address(bob, 'other') }, 'malformed'],
] as const)('refuses %s', (_, action: Action, reason) => {
  expect(() => actionChain().run(handlerFor(action), sudo.account, action)).toThrow(
    expect.objectContaining({ reason }),
  );
});

test.each([
  ['feeChange', price],
  ['feeAssetChange', assets('addition')],
  ['validatorUpdate', power(1n)],
  ['sudoAddressChange', handOver],
] as const)('%s is for the authority alone', (_, action: Action) => {
  expect(() => actionChain().run(handlerFor(action), alice.account, action)).toThrow(
    expect.objectContaining({ reason: 'unauthorized' }),
  );
});

test('whatever is asked for, one validator remains', () => {
  const keys = [alice, bob, pauper, validator];
  const step = fc.tuple(fc.constantFrom(...keys), fc.bigInt({ min: 0n, max: 3n }));
  fc.assert(
    fc.property(fc.array(step, { maxLength: 30 }), (steps) => {
      const chain = actionChain();
      const set = new Set([validator]);
      for (const [key, value] of steps) {
        try {
          chain.run(handlers.validatorUpdate, sudo.account, power(value, key));
          value === 0n ? set.delete(key) : set.add(key);
        } catch (error) {
          expect((error as { reason: string }).reason).toMatch(/validator/);
        }
      }
      expect(keys.filter((key) => validators.has(chain.state, key.account))).toEqual(
        keys.filter((key) => set.has(key)),
      );
      expect(set.size).toBeGreaterThan(0);
    }),
    { numRuns: 50 },
  );
});

test.each([
  ['ibc', 'astria_vendored.penumbra.core.component.ibc.v1.IbcRelay'],
  ['ics20Withdrawal', 'astria.protocol.transaction.v1.Ics20Withdrawal'],
  ['ibcRelayerChange', 'astria.protocol.transaction.v1.IbcRelayerChange'],
  ['ibcSudoChange', 'astria.protocol.transaction.v1.IbcSudoChange'],
  ['recoverIbcClient', 'astria.protocol.transaction.v1.RecoverIbcClient'],
  ['currencyPairsChange', 'astria.protocol.transaction.v1.CurrencyPairsChange'],
  ['marketsChange', 'astria.protocol.transaction.v1.MarketsChange'],
] as const)('%s is refused by its name', (kind, action) => {
  expect(() => actionChain().run(handlerFor({ kind }), sudo.account, { kind })).toThrow(
    expect.objectContaining({ reason: 'unsupported-action', facts: { action } }),
  );
});
