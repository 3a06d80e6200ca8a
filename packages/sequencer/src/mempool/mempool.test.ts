import { testTxHash } from '@switchyard/machine/testing';
import {
  type AccountId,
  type AssetId,
  GROUP_RANK,
  parseDenom,
  type SequencerTransaction,
  type TxHash,
} from '@switchyard/protocol';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Charge, Ledger } from './entry.ts';
import { MEMPOOL_DEFAULTS, Mempool, type MempoolConfig } from './mempool.ts';

const NRIA: AssetId = parseDenom('nria').id;
// Any text will do as an account here: the pool only compares them.
const [alice, bob, bridge] = ['alice', 'bob', 'bridge'] as AccountId[] as [AccountId, AccountId, AccountId];

class Bank implements Ledger {
  readonly nonces = new Map<AccountId, number>();
  readonly held = new Map<AccountId, bigint>();
  nonce = (account: AccountId) => this.nonces.get(account) ?? 0;
  balance = (account: AccountId) => this.held.get(account) ?? 0n;
}

let counter = 0;

function tx(
  signer: AccountId,
  nonce: number,
  group: SequencerTransaction['group'] = 'bundleableGeneral',
): SequencerTransaction {
  const bytes = new Uint8Array(100);
  const hash: TxHash = testTxHash(counter++);
  return { bytes, hash, signer, nonce, chainId: 'test-1', publicKey: new Uint8Array(32), actions: [], group };
}

const costs = (amount: bigint, account: AccountId = alice): Charge[] => [{ account, asset: NRIA, amount }];

function setUp(config: Partial<MempoolConfig> = {}) {
  const bank = new Bank();
  bank.held.set(alice, 100n).set(bob, 100n).set(bridge, 100n);
  const clock = { now: 0 };
  const pool = new Mempool({ ...MEMPOOL_DEFAULTS, ...config }, { now: () => clock.now });
  const put = (entry: SequencerTransaction, charges: readonly Charge[] = []) =>
    pool.insert(entry, GROUP_RANK[entry.group], charges, bank);
  /** A block with these transactions, in which only nonces change. */
  const block = (included: readonly SequencerTransaction[], touched: readonly AccountId[] = []) => {
    for (const { signer, nonce } of included) bank.nonces.set(signer, nonce + 1);
    pool.afterBlock({
      height: 1n,
      included: included.map(({ hash }) => hash),
      touched: new Set([...included.map(({ signer }) => signer), ...touched]),
      ledger: bank,
      recost: undefined,
    });
  };
  return { pool, bank, clock, put, block };
}

const order = (pool: Mempool) => pool.candidates().map(({ signer, nonce }) => `${signer} ${nonce}`);

test('consecutive nonces are pending, a gap parks, and filling it releases', () => {
  const { pool, put } = setUp();
  expect([put(tx(alice, 0)), put(tx(alice, 2)), put(tx(alice, 3))]).toEqual(['pending', 'parked', 'parked']);
  expect([pool.pendingCount, pool.parkedCount, pool.nextNonce(alice)]).toEqual([1, 2, 1]);
  expect(put(tx(alice, 1))).toBe('pending');
  expect([pool.pendingCount, pool.parkedCount, pool.nextNonce(alice)]).toEqual([4, 0, 4]);
});

test('all pending transactions of an account together stay within its balance', () => {
  const { pool, put } = setUp();
  expect([put(tx(alice, 0), costs(60n)), put(tx(alice, 1), costs(41n)), put(tx(alice, 2), costs(1n))]).toEqual([
    'pending',
    'parked',
    'parked',
  ]);
  expect(order(pool)).toEqual(['alice 0']);
});

test('money that arrives in a block releases what waited for it', () => {
  const { pool, bank, put, block } = setUp();
  const first = tx(alice, 0);
  put(first, costs(101n));
  expect(pool.findState(first.hash)).toBe('parked');
  const woken: number[] = [];
  pool.onPending(() => woken.push(pool.pendingCount));
  bank.held.set(alice, 101n);
  block([], [alice]);
  expect([pool.findState(first.hash), woken]).toEqual(['pending', [1]]);
});

test('what a bridge account pays is reserved there, and not from the signer', () => {
  const { pool, bank, put, block } = setUp();
  bank.held.set(alice, 0n);
  expect([put(tx(alice, 0), costs(70n, bridge)), put(tx(bob, 0), costs(40n, bridge))]).toEqual(['pending', 'parked']);
  bank.held.set(bridge, 110n);
  // Neither signer was touched by the block, only the account that pays.
  block([], [bridge]);
  expect(pool.pendingCount).toBe(2);
  bank.held.set(bridge, 60n);
  block([], [bridge]);
  expect(order(pool)).toEqual(['bob 0']);
});

test.each([
  ['the same transaction again', 0, 'alreadyPresent'],
  ['another transaction with a pending nonce', 1, 'nonceTaken'],
  ['another transaction with a parked nonce', 2, 'nonceTaken'],
  ['a nonce that is used', 3, 'invalidNonce'],
] as const)('refuses %s', (_, which, outcome) => {
  const { bank, put } = setUp();
  bank.nonces.set(alice, 5);
  const held = tx(alice, 5);
  put(held);
  put(tx(alice, 9));
  const entries = [held, tx(alice, 5), tx(alice, 9), tx(alice, 4)];
  expect(put(entries[which] ?? held)).toBe(outcome);
});

test('bounds the parked transactions of an account and of all', () => {
  const { put } = setUp({ maxParkedPerAccount: 2, maxParked: 3 });
  const outcomes = [put(tx(alice, 1)), put(tx(alice, 2)), put(tx(alice, 3)), put(tx(bob, 1)), put(tx(bob, 2))];
  expect(outcomes).toEqual(['parked', 'parked', 'accountParkedFull', 'parked', 'parkedFull']);
  // Full parking does not block transactions that can be pending.
  expect(put(tx(alice, 0))).toBe('pending');
});

test('bounds number and bytes of everything held', () => {
  expect(setUp({ maxCount: 0 }).put(tx(alice, 0))).toBe('insertionFailed');
  const { pool, put } = setUp({ maxBytes: 250 });
  expect([put(tx(alice, 0)), put(tx(alice, 1)), put(tx(alice, 2))]).toEqual(['pending', 'pending', 'insertionFailed']);
  expect(pool.bytes).toBe(200);
});

test('fills blocks by group, then by distance from the first nonce, then by age', () => {
  const { pool, bank, put } = setUp();
  bank.nonces.set(bob, 7);
  put(tx(alice, 0));
  put(tx(alice, 1));
  put(tx(alice, 2, 'unbundleableSudo'));
  put(tx(bob, 7));
  put(tx(bob, 8, 'unbundleableGeneral'));
  put(tx(bridge, 0, 'bundleableSudo'));
  expect(order(pool)).toEqual(['alice 0', 'bob 7', 'alice 1', 'bob 8', 'bridge 0', 'alice 2']);
});

test('an included transaction is removed, is answered as included for a minute, and the rest stays in place', () => {
  const { pool, clock, put, block } = setUp();
  const [first, second] = [tx(alice, 0), tx(alice, 1)];
  put(first);
  put(second);
  block([first]);
  expect(order(pool)).toEqual(['alice 1']);
  expect(pool.takeRemoval(first.hash)).toMatchObject({ why: 'alreadyIncluded' });
  expect(pool.takeRemoval(first.hash)).toMatchObject({ why: 'alreadyIncluded', detail: 'included in block 1' });
  clock.now = 60_000;
  expect(pool.takeRemoval(first.hash)).toMatchObject({ why: 'alreadyIncluded' });
  expect(pool.takeRemoval(first.hash)).toBeUndefined();
});

test('a nonce used by another copy of the key makes ours stale', () => {
  const { pool, put, block } = setUp();
  const own = tx(alice, 0);
  put(own);
  put(tx(alice, 1));
  block([tx(alice, 0)]);
  expect(pool.takeRemoval(own.hash)).toMatchObject({ why: 'invalidNonce' });
  expect(order(pool)).toEqual(['alice 1']);
});

test('a transaction that fails takes everything of its account after it along', () => {
  const { pool, put } = setUp();
  const all = [tx(alice, 0), tx(alice, 1), tx(alice, 2), tx(alice, 9)];
  for (const each of all) put(each);
  put(tx(bob, 0));
  pool.removeFailed(all[1] as SequencerTransaction, 'it failed');
  expect(order(pool)).toEqual(['alice 0', 'bob 0']);
  expect(all.map(({ hash }) => pool.takeRemoval(hash)?.why)).toEqual([
    undefined,
    'executionFailed',
    'lowerNonceRemoved',
    'lowerNonceRemoved',
  ]);
  // The reason is given once: sent again, it is checked again.
  expect(put(all[1] as SequencerTransaction)).toBe('pending');
});

test('transactions expire, whatever their place, on the next insertion or block', () => {
  const { pool, clock, put, block } = setUp();
  const old = [tx(alice, 0), tx(alice, 5)];
  put(old[0] as SequencerTransaction);
  put(old[1] as SequencerTransaction);
  clock.now = 200_000;
  const young = [tx(alice, 1), tx(bob, 0)];
  for (const each of young) put(each);
  clock.now = 240_001;
  block([]);
  expect(order(pool)).toEqual(['bob 0']);
  expect([...old, ...young].map(({ hash }) => pool.takeRemoval(hash)?.why)).toEqual([
    'expired',
    'lowerNonceRemoved',
    'lowerNonceRemoved',
    undefined,
  ]);
  clock.now = 440_001;
  expect(put(tx(alice, 0))).toBe('pending');
  expect(order(pool)).toEqual(['alice 0']);
});

test('a parked transaction expires though its account has none pending', () => {
  const { pool, clock, put } = setUp();
  put(tx(alice, 3));
  clock.now = 240_001;
  put(tx(bob, 0));
  expect(pool.count).toBe(1);
});

test('new fees are counted for what waits already', () => {
  const { pool, bank, put } = setUp();
  const [cheap, dear, gone] = [tx(alice, 0), tx(bob, 0), tx(bridge, 0)];
  for (const each of [cheap, dear, gone]) put(each, costs(1n, each.signer));
  const recost = (entry: SequencerTransaction) =>
    entry === gone ? undefined : costs(entry === dear ? 101n : 2n, entry.signer);
  pool.afterBlock({ height: 1n, included: [], touched: new Set(), ledger: bank, recost });
  expect([cheap, dear, gone].map(({ hash }) => pool.findState(hash))).toEqual(['pending', 'parked', undefined]);
  expect(pool.removal(gone.hash)).toMatchObject({ why: 'executionFailed' });
});

test('a balance that is spent parks no more than the limits allow', () => {
  const { pool, bank, put, block } = setUp({ maxParkedPerAccount: 2, maxParked: 3 });
  const all = Array.from({ length: 6 }, (_, nonce) => tx(alice, nonce));
  for (const each of all) put(each, costs(10n));
  for (const each of [tx(bob, 0), tx(bob, 1)]) put(each, costs(10n, bob));
  bank.held.set(alice, 10n);
  bank.held.set(bob, 0n);
  block([], [alice, bob]);
  expect(order(pool)).toEqual(['alice 0']);
  expect(pool.parkedCount).toBe(3);
  expect(pool.removal((all[5] as SequencerTransaction).hash)).toMatchObject({ why: 'internal' });
});

test('forgets the oldest removals first', () => {
  const { pool, put, block } = setUp({ maxRemoved: 2 });
  const all = [tx(alice, 0), tx(alice, 1), tx(alice, 2)];
  for (const each of all) put(each);
  block(all);
  expect(all.map(({ hash }) => pool.removal(hash)?.why)).toEqual([undefined, 'alreadyIncluded', 'alreadyIncluded']);
});

test('lists what waits in block-building order, parked last', () => {
  const { pool, put } = setUp();
  const [parked, pending] = [tx(alice, 4), tx(bob, 0)];
  put(parked);
  put(pending);
  expect(pool.transactions(10)).toEqual([pending.bytes, parked.bytes]);
  expect(pool.transactions(1)[0]).toBe(pending.bytes);
});

test('its counts and sums agree with what it holds, whatever happens', () => {
  const step = fc.record({
    who: fc.constantFrom(alice, bob),
    nonce: fc.nat(6),
    cost: fc.bigInt({ min: 0n, max: 60n }),
    payer: fc.constantFrom(alice, bob, bridge),
    what: fc.constantFrom('put', 'put', 'put', 'block', 'fail', 'wait', 'spend'),
  });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
      const { pool, bank, clock, put, block } = setUp({ maxParkedPerAccount: 3, maxParked: 4 });
      for (const { who, nonce, cost, payer, what } of steps) {
        const [first] = pool.candidates();
        if (what === 'put') put(tx(who, bank.nonce(who) + nonce), costs(cost, payer));
        if (what === 'block') block(first === undefined ? [] : [first], [alice, bob, bridge]);
        if (what === 'fail' && first !== undefined) pool.removeFailed(first, 'failed');
        if (what === 'wait') clock.now += 60_000;
        if (what === 'spend') {
          bank.held.set(payer, cost);
          block([], [payer]);
        }
        const pending = pool.candidates();
        expect(pending).toHaveLength(pool.pendingCount);
        expect(pool.transactions(100)).toHaveLength(pool.count);
        expect(pool.bytes).toBe(100 * pool.count);
        for (const account of [alice, bob]) {
          const nonces = pending.filter(({ signer }) => signer === account).map((each) => each.nonce);
          expect(nonces).toEqual(nonces.map((_, index) => bank.nonce(account) + index));
          expect(pool.nextNonce(account)).toBe(nonces.length === 0 ? undefined : bank.nonce(account) + nonces.length);
        }
      }
    }),
    { numRuns: 200 },
  );
});
