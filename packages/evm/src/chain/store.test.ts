import type { Address, Hash } from '@switchyard/evm-machine/types';
import { toWord } from '@switchyard/protocol/ethereum';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { openMemoryDatabase } from '../database/memory.ts';
import { CONTRACTS, createdAt, getCreation, words } from '../embedded/testing/contracts.ts';
import { deployAll, GAS_LIMIT, getEntries, history, SENDERS } from '../embedded/testing/random-blocks.suite.ts';
import { TEST_BRIDGE, type TestChain, testChain, testDeposit, testGenesis, testInput } from '../testing.ts';
import type { LogQuery } from './chain.ts';
import { iterateLogs, matcher } from './logs.ts';
import { applyGenesis } from './origin.ts';
import { ChainStore, type NewBlock } from './store.ts';

const RECIPIENT: Address = `0x${'ee'.repeat(20)}`;

/** A chain of such blocks, after a block that makes the contracts. */
async function played(steps: Parameters<typeof getEntries>[0][], database = openMemoryDatabase()) {
  const chain = await testChain({ database, genesis: { gasLimit: GAS_LIMIT } });
  const made: NewBlock[] = [await chain.sequence(deployAll(chain.account(0)))];
  for (const each of steps) {
    const state = chain.chain.state(chain.chain.heads.latest);
    const nonces = chain.accounts.slice(0, SENDERS).map(({ address }) => state.account(address)?.nonce ?? 0n);
    made.push(await chain.sequence(getEntries(each, chain.accounts, nonces)));
  }
  return { chain, made };
}

test('what is read after a restart is what was committed', { timeout: 60_000 }, async () => {
  await fc.assert(
    fc.asyncProperty(history, async (blocks) => {
      const database = openMemoryDatabase();
      const { made } = await played(
        blocks.map(({ steps }) => [...steps]),
        database,
      );
      const { chain } = await testChain({ database, genesis: { gasLimit: GAS_LIMIT } });
      expect(chain.heads.latest).toBe(BigInt(made.length));
      for (const { block, receipts, refused } of made) {
        const { number } = block.header;
        expect(chain.block(number)).toEqual(block);
        expect(chain.block(block.hash)).toEqual(block);
        expect(chain.receipts(number)).toEqual(receipts);
        expect(chain.refusedIn(number)).toEqual(refused);
        expect(chain.header(block.hash)).toMatchObject({ size: block.size, transactions: block.transactions.length });
        block.transactions.forEach(({ hash }, index) => {
          expect(chain.transaction(hash)).toEqual({ block: number, index });
          expect(chain.refusal(hash)).toBeUndefined();
        });
        for (const entry of refused) {
          if (entry.kind === 'unknown' || chain.transaction(entry.hash) !== undefined) continue;
          expect(chain.refusal(entry.hash)?.refused.hash).toBe(entry.hash);
        }
      }
    }),
    { numRuns: 8 },
  );
});

/** A chain in which two contracts log under three topics, in some blocks. */
async function logging() {
  const chain = await testChain();
  const sender = chain.account(0);
  await chain.sequence([0, 1].map(() => sender.deploy(getCreation(CONTRACTS.store))));
  const contracts = [createdAt(sender.address, 0), createdAt(sender.address, 1)];
  const made: NewBlock[] = [];
  for (let number = 0; number < 12; number += 1) {
    const calls = Array.from({ length: number % 4 }, (_, index) =>
      sender.call(contracts[(number + index) % 2] ?? RECIPIENT, words(BigInt((number * index) % 3), BigInt(number))),
    );
    made.push(await chain.sequence(calls));
  }
  return { chain, contracts, made };
}

test('a query for logs finds what looking at every log finds', async () => {
  const { chain, contracts, made } = await logging();
  const places = [...contracts, RECIPIENT];
  const topics = [0n, 1n, 2n, 9n].map(toWord);
  const query: fc.Arbitrary<LogQuery> = fc.record({
    from: fc.bigInt({ min: 0n, max: 14n }),
    to: fc.bigInt({ min: 0n, max: 20n }),
    addresses: fc.subarray(places),
    topics: fc.array(fc.subarray<Hash>(topics), { maxLength: 2 }),
  });
  fc.assert(
    fc.property(query, fc.nat(5), (wanted, limit) => {
      const matches = matcher(wanted);
      const all = made
        .flatMap(({ block, receipts }) => [...iterateLogs(block, receipts)])
        .filter(({ block, log }) => block >= wanted.from && block <= wanted.to && matches(log));
      expect(chain.chain.logs(wanted, 1_000)).toEqual({ logs: all, more: false });
      expect(chain.chain.logs(wanted, limit)).toEqual({ logs: all.slice(0, limit), more: all.length > limit });
    }),
  );
});

test('a refused transaction is found with its reason, until its bytes are included after all', async () => {
  const { chain, sequence, account } = await testChain();
  const early = account(0).transfer(RECIPIENT, 1n, { nonce: 1n });
  const { refused } = await sequence([early]);
  expect(refused).toMatchObject([{ entry: 0, kind: 'transaction', code: 'nonce-too-high', from: account(0).address }]);
  const hash = refused[0]?.hash ?? '0x';
  expect(chain.refusal(hash)).toEqual({ block: 1n, refused: refused[0] });
  await sequence([account(0).transfer(RECIPIENT, 1n, { nonce: 0n }), early]);
  expect(chain.refusal(hash)).toBeUndefined();
  expect(chain.transaction(hash)).toEqual({ block: 2n, index: 1 });
});

test('entries are refused in the order of the sequencer block', async () => {
  const { sequence, account } = await testChain();
  const { refused, block } = await sequence([
    testDeposit('not an address', 5n),
    Uint8Array.of(1, 2, 3),
    account(0).transfer(RECIPIENT, 1n),
    { kind: 'unknown' },
    account(1).transfer(RECIPIENT, 1n, { nonce: 7n }),
  ]);
  expect(refused.map(({ entry, code }) => [entry, code])).toEqual([
    [0, 'bad-recipient'],
    [1, 'malformed'],
    [3, 'unknown-entry'],
    [4, 'nonce-too-high'],
  ]);
  expect(block.transactions).toHaveLength(1);
});

test('what is finer than a gwei is kept over blocks and restarts', async () => {
  const database = openMemoryDatabase();
  const genesis = { bridges: [{ address: TEST_BRIDGE, asset: 'wei', precision: 18 }] };
  const deposit = (amount: bigint) => testDeposit(RECIPIENT, amount, { asset: 'wei' });
  const first = await testChain({ database, genesis });
  await first.sequence([deposit(600_000_000n), deposit(300_000_000n)]);
  expect(first.chain.getRemainder(RECIPIENT)).toBe(900_000_000n);
  const again = await testChain({ database, genesis });
  const { block } = await again.sequence([deposit(1_100_000_001n)]);
  expect(block.withdrawals).toEqual([{ index: 0n, validatorIndex: 0n, address: RECIPIENT, amount: 2n }]);
  expect(again.chain.getRemainder(RECIPIENT)).toBe(1n);
  expect(again.chain.state(2n).account(RECIPIENT)?.balance).toBe(2_000_000_000n);
  const next = await again.sequence([deposit(999_999_999n)]);
  expect(next.block.withdrawals).toMatchObject([{ index: 1n, amount: 1n }]);
  expect(again.chain.getRemainder(RECIPIENT)).toBe(0n);
});

test('safe follows the setting, and finalized is firm', async () => {
  for (const safe of ['soft', 'firm'] as const) {
    const { chain, sequence } = await testChain({ safe });
    await sequence([]);
    await sequence([], { firm: false });
    expect(chain.heads).toEqual({ latest: 2n, safe: safe === 'soft' ? 2n : 1n, finalized: 1n });
  }
});

test('listeners hear of each commit once, with its blocks and the new heads', async () => {
  const { chain, executor, sequence } = await testChain();
  const published: unknown[] = [];
  const end = chain.onCommit(({ blocks, heads }) => {
    published.push([blocks.map(({ block }) => block.header.number), heads.latest, heads.finalized]);
  });
  await sequence([]);
  const { commitments } = await executor.state();
  const batch = [2n, 3n].map((number) => testInput(number, []));
  await executor.executeBatch(commitments.soft.hash, batch, { firm: false });
  const { soft } = (await executor.state()).commitments;
  await executor.commit({ soft: soft.hash, firm: soft.hash, lowestCelestiaSearchHeight: 0n });
  end();
  await sequence([]);
  expect(published).toEqual([
    [[1n], 1n, 1n],
    [[2n, 3n], 3n, 1n],
    [[], 3n, 3n],
  ]);
});

test('a database opens only with the genesis that it was created with', async () => {
  const database = openMemoryDatabase();
  const { state, chain }: TestChain = await testChain({ database });
  const other = testGenesis({ rollupName: 'other' });
  expect(() => applyGenesis(other, { database, state, chain })).toThrow('the genesis of rollup "test-evm"');
  const bridges = testGenesis({ bridges: [] });
  expect(() => applyGenesis(bridges, { database, state, chain })).toThrow('put the old file back');
});

test('a write that fails changes nothing', async () => {
  const { chain, executor, database, state, genesis } = await testChain();
  const broken = new ChainStore(database, state, {
    chainId: genesis.chainId,
    safe: 'soft',
    indexers: [
      {
        write() {
          throw new Error('the disk is full');
        },
        remove: () => undefined,
      },
    ],
  });
  const before = await executor.state();
  expect(() =>
    database.write((writer) => broken.write(writer, [blockLike(chain)], { ...chain.commitments, soft: 1n })),
  ).toThrow('the disk is full');
  expect(await executor.state()).toEqual(before);
  expect(new ChainStore(database, state, { chainId: 1n, safe: 'soft', indexers: [] }).commitments.soft).toBe(0n);
});

/** Block 0 again, as if it were a new one. */
function blockLike(chain: ChainStore): NewBlock {
  const block = chain.block(0n);
  if (block === undefined) throw new Error('no first block');
  const origin = { sequencerBlockHash: '', timestamp: { seconds: 0n, nanos: 0 } };
  return { block, receipts: [], refused: [], internal: [], origin, remainders: new Map(), nextWithdrawalIndex: 0n };
}
