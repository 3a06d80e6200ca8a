import { type AccountId, U128_MAX } from '@switchyard/protocol';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { balances, credit, debit, nonces, transfer } from './accounts.ts';
import { alice, bob, carol, NRIA, NTIA, testChain } from './testing.ts';

const everybody = [alice, bob, carol];
const getChain = (...held: bigint[]) =>
  testChain({ balances: held.map((amount, i) => [everybody[i] ?? carol, NRIA, amount] as const) });

test('moves an amount', () => {
  const { state, ...chain } = getChain(100n, 5n);
  transfer(state, alice, bob, NRIA, 40n);
  expect([balances.get(state, [alice, NRIA]), balances.get(state, [bob, NRIA])]).toEqual([60n, 45n]);
  expect(chain.store.head().height).toBeUndefined();
});

test('moves one asset and leaves the other', () => {
  const chain = testChain({
    balances: [
      [alice, NRIA, 10n],
      [alice, NTIA, 10n],
    ],
  });
  transfer(chain.state, alice, bob, NTIA, 3n);
  expect([chain.balance(alice, NRIA), chain.balance(alice, NTIA), chain.balance(bob, NTIA)]).toEqual([10n, 7n, 3n]);
});

test('lets an account pay itself what it holds, and no more', () => {
  const chain = getChain(100n);
  transfer(chain.state, alice, alice, NRIA, 100n);
  expect(chain.balance(alice)).toBe(100n);
  expect(() => transfer(chain.state, alice, alice, NRIA, 101n)).toThrow(
    expect.objectContaining({ reason: 'insufficient-balance' }),
  );
});

test.each([
  [
    'more than is held',
    getChain(100n),
    (state: never) => transfer(state, alice, bob, NRIA, 101n),
    'insufficient-balance',
  ],
  [
    'a debit of more than is held',
    getChain(100n),
    (state: never) => debit(state, alice, NRIA, 101n),
    'insufficient-balance',
  ],
  [
    'what the receiver cannot hold',
    getChain(1n, U128_MAX),
    (state: never) => transfer(state, alice, bob, NRIA, 1n),
    'overflow',
  ],
  [
    'a credit past the largest amount',
    getChain(1n),
    (state: never) => credit(state, alice, NRIA, U128_MAX),
    'overflow',
  ],
])('refuses %s and writes nothing', (_, chain, act, reason) => {
  const state = chain.state.child();
  // The rows of the table share no other name for the state's type.
  expect(() => act(state as never)).toThrow(expect.objectContaining({ reason }));
  expect(state.size).toBe(0);
});

test('takes a negative amount for a bug, not for a refusal', () => {
  const { state } = getChain(100n, 100n);
  for (const act of [
    transfer.bind(null, state, alice, bob),
    credit.bind(null, state, alice),
    debit.bind(null, state, alice),
  ]) {
    expect(() => act(NRIA, -1n)).toThrow(RangeError);
  }
});

test('credits and debits up to the edges', () => {
  const chain = getChain(1n);
  credit(chain.state, alice, NRIA, U128_MAX - 1n);
  expect(chain.balance(alice)).toBe(U128_MAX);
  debit(chain.state, alice, NRIA, U128_MAX);
  expect(chain.balance(alice)).toBe(0n);
});

test('neither creates nor destroys value, and keeps no account below zero', () => {
  const who = fc.constantFrom<AccountId>(...everybody);
  fc.assert(
    fc.property(fc.array(fc.tuple(who, who, fc.bigInt(0n, 150n))), (payments) => {
      const chain = getChain(100n, 50n, 0n);
      for (const [from, to, amount] of payments) {
        const held = chain.balance(from);
        try {
          transfer(chain.state, from, to, NRIA, amount);
          expect(held).toBeGreaterThanOrEqual(amount);
        } catch (error) {
          expect(error).toMatchObject({ reason: 'insufficient-balance' });
          expect(held).toBeLessThan(amount);
        }
      }
      const held = everybody.map((account) => chain.balance(account));
      expect(held.reduce((sum, amount) => sum + amount)).toBe(150n);
      expect(held.every((amount) => amount >= 0n)).toBe(true);
    }),
  );
});

test('begins every nonce at zero', () => {
  const { state } = testChain();
  expect(nonces.get(state, alice)).toBe(0);
});

test('stores accounts under these keys and bytes', () => {
  const { state } = testChain();
  nonces.put(state, alice, 258);
  balances.put(state, [alice, NRIA], 1n << 64n);
  expect(state.get(`accounts/nonce/${alice}`)).toEqual(Uint8Array.of(0, 0, 1, 2));
  expect(state.get(`accounts/balance/${alice}/${NRIA}`)).toEqual(
    Uint8Array.of(0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0),
  );
});
