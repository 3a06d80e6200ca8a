import { Rejected } from '@switchyard/protocol';
import { expect, test } from 'vitest';
import { credit, debit } from './accounts.ts';
import type { ActionHandler } from './action.ts';
import { alice, NRIA, testChain, testTxHash } from './testing.ts';

const burn: ActionHandler<{ amount: bigint }, string> = {
  check({ amount }) {
    if (amount === 0n) throw new Rejected('malformed');
  },
  execute({ amount }, { state, signer, tx, emit }) {
    emit(tx);
    debit(state, signer, NRIA, amount);
  },
};

test('runs an action whole or not at all', () => {
  const chain = testChain({ genesis: (state) => credit(state, alice, NRIA, 10n) });
  expect(chain.run(burn, alice, { amount: 4n })).toEqual([testTxHash(0)]);
  expect(() => chain.run(burn, alice, { amount: 7n })).toThrow('insufficient balance');
  expect(() => chain.run(burn, alice, { amount: 0n })).toThrow('malformed');
  expect(chain.balance(alice)).toBe(6n);
});

test('goes from block to block', () => {
  const chain = testChain({ balances: [[alice, NRIA, 10n]] });
  expect(chain.seal().height).toBe(1n);
  chain.run(burn, alice, { amount: 4n });
  expect([chain.height, chain.balance(alice)]).toEqual([2n, 6n]);
  expect(chain.store.head().height).toBe(1n);
});
