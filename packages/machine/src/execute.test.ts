import { type AccountId, Rejected, toHex } from '@switchyard/protocol';
import { expect, test } from 'vitest';
import { credit, nonces, transfer } from './accounts.ts';
import type { Registry } from './action.ts';
import { type Execution, executeTransaction } from './execute.ts';
import { alice, bob, carol, NRIA, TEST_TIME, testChain, testTxHash } from './testing.ts';

interface Pay {
  readonly kind: 'pay';
  readonly to: AccountId;
  readonly amount: bigint;
}
interface Break {
  readonly kind: 'break';
  readonly error: Error;
}
type TestAction = Pay | Break;
type TestEvent = string;

const handlers: Registry<TestAction, TestEvent> = {
  pay: {
    check({ amount }) {
      if (amount === 0n) throw new Rejected('malformed', { field: 'amount' });
    },
    execute({ to, amount }, { state, signer, height, time, tx, index, emit }) {
      emit(`${index} at ${height}, ${time.seconds}, ${tx === testTxHash(0)}`);
      transfer(state, signer, to, NRIA, amount);
    },
  },
  break: {
    check() {},
    execute({ error }) {
      throw error;
    },
  },
};

const pay = (amount: bigint, to = bob): Pay => ({ kind: 'pay', to, amount });
const chain = () => testChain({ balances: [[alice, NRIA, 100n]] });

function execution(
  state: Execution<TestAction, TestEvent>['state'],
  actions: readonly TestAction[],
  change: { nonce?: number; chainId?: string; before?: Execution<TestAction, TestEvent>['before'] } = {},
): Execution<TestAction, TestEvent> {
  const { nonce = 0, chainId = 'test', before } = change;
  return {
    state,
    handlers,
    tx: { signer: alice, nonce, chainId, actions, hash: testTxHash(0) },
    chainId: 'test',
    height: 7n,
    time: TEST_TIME,
    ...(before === undefined ? {} : { before }),
  };
}

test('runs the actions in order, raises the nonce and returns the events', () => {
  const c = chain();
  expect(executeTransaction(execution(c.state, [pay(40n), pay(60n, carol)]))).toEqual([
    '0 at 7, 1700000000, true',
    '1 at 7, 1700000000, true',
  ]);
  expect([c.balance(alice), c.balance(bob), c.balance(carol), c.nonce(alice)]).toEqual([0n, 40n, 60n, 1]);
});

test.each<[string, readonly TestAction[], object, string]>([
  ['another chain', [pay(1n)], { chainId: 'other' }, 'wrong-chain'],
  ['a nonce that is not yet due', [pay(1n)], { nonce: 1 }, 'nonce-too-high'],
])('refuses %s and leaves the state as it was', (_, actions, change, reason) => {
  const c = chain();
  const before = c.state.size;
  expect(() => executeTransaction(execution(c.state, actions, change))).toThrow(expect.objectContaining({ reason }));
  expect([c.balance(alice), c.balance(bob), c.nonce(alice), c.state.size]).toEqual([100n, 0n, 0, before]);
});

// Defect: A refusal kept the nonce open
test.each<[string, readonly TestAction[], string]>([
  ['an action that is wrong in itself', [pay(1n), pay(0n)], 'malformed'],
  ['a later action that fails', [pay(40n), pay(61n)], 'insufficient-balance'],
])('refuses %s, undoes the actions and uses up the nonce', (_, actions, reason) => {
  const c = chain();
  const run = () => executeTransaction(execution(c.state, actions));
  expect(run).toThrow(expect.objectContaining({ reason }));
  credit(c.state, alice, NRIA, 900n);
  expect(run).toThrow(expect.objectContaining({ reason: 'nonce-too-low' }));
  expect([c.balance(alice), c.balance(bob), c.nonce(alice)]).toEqual([1_000n, 0n, 1]);
});

test('refuses a nonce twice', () => {
  const c = chain();
  executeTransaction(execution(c.state, [pay(1n)]));
  expect(() => executeTransaction(execution(c.state, [pay(1n)]))).toThrow(
    expect.objectContaining({ reason: 'nonce-too-low', facts: { account: alice, expected: 1, got: 0 } }),
  );
});

test('refuses the last nonce, which could not be raised', () => {
  const c = testChain({ genesis: (state) => nonces.put(state, alice, 0xffff_ffff) });
  expect(() => executeTransaction(execution(c.state, [], { nonce: 0xffff_ffff }))).toThrow(
    expect.objectContaining({ reason: 'overflow' }),
  );
});

test('reports the chain before the nonce, and the nonce before the actions', () => {
  const c = chain();
  const reasons = [{ chainId: 'other', nonce: 5 }, { nonce: 5 }, {}].map((change) => {
    try {
      return executeTransaction(execution(c.state, [pay(0n)], change));
    } catch (error) {
      return error instanceof Rejected ? error.reason : error;
    }
  });
  expect(reasons).toEqual(['wrong-chain', 'nonce-too-high', 'malformed']);
});

test('takes a fee before each action, and gives it back when the transaction fails', () => {
  const before: Execution<TestAction, TestEvent>['before'] = (action, { state, signer, emit }) => {
    transfer(state, signer, carol, NRIA, 10n);
    emit(`fee for ${action.kind}`);
  };
  const c = chain();
  expect(() => executeTransaction(execution(c.state, [pay(40n), pay(41n)], { before }))).toThrow('insufficient');
  expect([c.balance(alice), c.balance(carol)]).toEqual([100n, 0n]);
  expect(
    executeTransaction(execution(c.state, [pay(40n), pay(40n)], { before, nonce: 1 })).map((event) =>
      event.slice(0, 3),
    ),
  ).toEqual(['fee', '0 a', 'fee', '1 a']);
  expect([c.balance(alice), c.balance(carol)]).toEqual([0n, 20n]);
});

test('a bug comes with the name of its action, and undoes the actions', () => {
  const c = chain();
  const error = new TypeError('a bug');
  expect(() => executeTransaction(execution(c.state, [pay(1n), { kind: 'break', error }]))).toThrow(
    expect.objectContaining({ message: `action break of transaction ${testTxHash(0)}`, cause: error }),
  );
  expect(c.balance(alice)).toBe(100n);
});

test('has the pinned root after a fixed script', () => {
  const c = chain();
  executeTransaction(execution(c.state, [pay(40n), pay(10n, carol)]));
  expect(() => executeTransaction(execution(c.state, [pay(1n), pay(1000n)], { nonce: 1 }))).toThrow();
  executeTransaction(execution(c.state, [pay(1n, carol)], { nonce: 2 }));
  expect(toHex(c.seal().root)).toBe('7184dfd644582575c6c3d617087a8e96d4dfd5e46693d7380e71ae7de9192bc4');
});
