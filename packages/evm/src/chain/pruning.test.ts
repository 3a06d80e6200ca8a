import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Address } from '@switchyard/evm-machine/types';
import { KEEP_ALL, type Retention } from '@switchyard/service';
import { expect, test } from 'vitest';
import { openDatabase } from '../database/lmdb.ts';
import { openMemoryDatabase } from '../database/memory.ts';
import { CONTRACTS, createdAt, getCreation, words } from '../embedded/testing/contracts.ts';
import { AddressIndex } from '../explorer/index/address-index.ts';
import { CODES } from '../json/errors.ts';
import { testChain, testDeposit, testRpc } from '../testing.ts';
import { HistoryGone, PrunedHistory } from './chain.ts';
import { numberFromKey, numberKey } from './rows.ts';

const BOB: Address = `0x${'b0'.repeat(20)}`;
const LEAST = 5n;
const keep = (blocks: bigint): Retention => ({ ...KEEP_ALL, blocks, least: LEAST });

type Made = Awaited<ReturnType<typeof testChain>>;

/** Blocks with transfers, logs, deposits and refused transactions, and idle ones between. */
async function grown(retention: Retention, blocks: bigint, { firm = true, database = openMemoryDatabase() } = {}) {
  const made = await testChain({ database, retention });
  if (made.chain.heads.latest === 0n) await made.sequence([made.account(0).deploy(getCreation(CONTRACTS.store))]);
  const digests = database.table('inputDigests');
  while (made.chain.heads.latest < blocks) {
    await made.sequence(entriesAfter(made, made.chain.heads.latest), { firm });
    // Digests like the ones of a conductor's session.
    database.write((writer) => writer.put(digests, numberKey(made.chain.heads.latest), new Uint8Array(32)));
  }
  return made;
}

function entriesAfter({ account }: Made, number: bigint) {
  switch (number % 4n) {
    case 0n:
      return [];
    case 1n:
      return [account(1).transfer(BOB, number), account(2).transfer(BOB, 1n, { nonce: 1_000n + number })];
    case 2n:
      return [account(1).call(getStore(account(0).address), words(number, number))];
    default:
      return [testDeposit(BOB, 5n), account(3).transfer(BOB, 1n)];
  }
}

const getStore = (creator: Address): Address => createdAt(creator, 0);

// Defect: EVM rollup kept old blocks for ever
test('what stays reads as in an archive, before and after a restart', { timeout: 60_000 }, async () => {
  const database = openMemoryDatabase();
  const pruned = await grown(keep(12n), 50n, { database });
  const archive = await grown(KEEP_ALL, 50n);
  expect(pruned.chain.lowest).toBe(39n);
  const again = await testChain({ database, retention: keep(12n) });
  for (const { chain } of [pruned, again]) {
    expect(chain.findHash(50n)).toBe(archive.chain.findHash(50n));
    expect([chain.block(0n), chain.receipts(0n)]).toEqual([archive.chain.block(0n), []]);
    for (let number = 39n; number <= 50n; number += 1n) {
      const expected = archive.chain.block(number);
      expect(chain.header(number)).toEqual(archive.chain.header(number));
      expect([chain.block(number), chain.receipts(number)]).toEqual([expected, archive.chain.receipts(number)]);
      expect(chain.block(expected?.hash ?? '0x')).toEqual(expected);
      for (const { hash } of expected?.transactions ?? []) expect(chain.transaction(hash)?.block).toBe(number);
    }
    for (let number = 38n; number <= 50n; number += 1n) {
      for (const address of [BOB, pruned.account(1).address, getStore(pruned.account(0).address)]) {
        expect(chain.state(number).account(address)).toEqual(archive.chain.state(number).account(address));
      }
    }
    const query = { from: 39n, to: 50n, addresses: [], topics: [] };
    expect(chain.logs(query, 1_000)).toEqual(archive.chain.logs(query, 1_000));
  }
});

test('of what goes nothing stays, in any table', { timeout: 60_000 }, async () => {
  const { chain, database } = await grown(keep(12n), 60n);
  const blockIn: Record<string, (key: Uint8Array, value: Uint8Array) => bigint> = {
    headers: (key) => numberFromKey(key),
    bodies: (key) => numberFromKey(key),
    receipts: (key) => numberFromKey(key),
    refused: (key) => numberFromKey(key),
    inputDigests: (key) => numberFromKey(key),
    numbers: (_, value) => numberFromKey(value),
    transactions: (_, value) => numberFromKey(value),
    refusals: (_, value) => numberFromKey(value),
    logs: (key) => numberFromKey(key, key.length - 8),
    'account-history': (key) => numberFromKey(key, key.length - 8),
    'slot-history': (key) => numberFromKey(key, key.length - 8),
    'index-transactions': (key) => numberFromKey(key, 20),
    'index-withdrawals': (key) => numberFromKey(key, 20),
    'index-nonces': (_, value) => numberFromKey(value),
  };
  for (const [name, getNumber] of Object.entries(blockIn)) {
    const numbers = database
      .table(name)
      .range()
      .map(([key, value]) => getNumber(key, value));
    expect([name, numbers.length > 0]).toEqual([name, true]);
    // A header may be needed by those above it; old state goes some commits later.
    const spare = name === 'headers' ? 5n : name.endsWith('-history') ? 2n : 0n;
    expect([name, numbers.filter((number) => number > 0n && number < chain.lowest - spare)]).toEqual([name, []]);
  }
  expect(new AddressIndex(database).creation(getStore((await grown(KEEP_ALL, 1n)).account(0).address))).toBeDefined();
});

test('asking for what is gone is an error that names the lowest block, as of go-ethereum', {
  timeout: 60_000,
}, async () => {
  const made = await grown(keep(12n), 50n);
  const { chain } = made;
  for (const ask of [
    () => chain.block(5n),
    () => chain.receipts(38n),
    () => chain.header(1n),
    () => chain.findHash(7n),
  ]) {
    expect(ask).toThrow(PrunedHistory);
  }
  for (const number of [0n, 5n, 37n]) expect(() => chain.state(number)).toThrow(HistoryGone);
  expect(chain.metadata(5n)).toBeUndefined();
  const rpc = testRpc(made);
  const message = expect.stringMatching(/^pruned history unavailable: block \d+, the lowest block is 39; .*RETAIN/);
  for (const [method, ...params] of [
    ['eth_getBlockByNumber', '0x5', false],
    ['eth_getBlockReceipts', '0x5'],
    ['eth_getBlockTransactionCountByNumber', '0x5'],
    ['eth_getLogs', { fromBlock: '0x1', toBlock: 'latest' }],
  ] as const) {
    await expect(rpc(method, ...params)).rejects.toMatchObject({ code: CODES.pruned, message });
  }
  await expect(rpc('eth_getBalance', BOB, '0x5')).rejects.toMatchObject({ code: CODES.server });
  expect(await rpc('eth_getBlockByNumber', '0x0', false)).toMatchObject({ number: '0x0' });
  expect(await rpc('eth_getBlockByNumber', '0x27', false)).toMatchObject({ number: '0x27' });
  expect(await rpc('eth_getBlockByNumber', '0x1000', false)).toBeNull();
});

test('the firm block stays, however old it is', { timeout: 60_000 }, async () => {
  const database = openMemoryDatabase();
  await grown(keep(6n), 8n, { database });
  const { chain, executor } = await grown(keep(6n), 40n, { database, firm: false });
  expect([chain.heads.finalized, chain.lowest]).toEqual([8n, 8n]);
  expect((await executor.state()).commitments.firm.number).toBe(8n);
});

test('a limit that comes late is reached in the end', { timeout: 60_000 }, async () => {
  const database = openMemoryDatabase();
  await grown(KEEP_ALL, 150n, { database });
  const { chain } = await grown(keep(10n), 155n, { database });
  expect(chain.lowest).toBe(146n);
});

test('the file of a chain that is pruned as it grows stays about as large as it is', { timeout: 60_000 }, async () => {
  const directory = mkdtempSync(join(tmpdir(), 'pruning-'));
  const database = openDatabase(directory);
  try {
    const sizes: number[] = [];
    for (let blocks = 60n; blocks <= 300n; blocks += 60n) {
      await grown(keep(40n), blocks, { database });
      sizes.push(database.size());
    }
    const archive = mkdtempSync(join(tmpdir(), 'pruning-'));
    const all = openDatabase(archive);
    await grown(KEEP_ALL, 300n, { database: all });
    const kept = all.size();
    await all.close();
    rmSync(archive, { recursive: true, force: true });
    // Two slots of the beacon roots contract are new with each of the first 8,191 blocks, regardless of pruning.
    const [before = 0, after = 0] = [sizes[1], sizes.at(-1)];
    expect(after - before).toBeLessThan(kept / 3);
  } finally {
    await database.close();
    rmSync(directory, { recursive: true, force: true });
  }
});
