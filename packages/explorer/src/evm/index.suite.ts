import {
  type ServedTestChain,
  serveTestChain,
  type TestAccount,
  type TestChain,
  testChain,
  testDeposit,
} from '@switchyard/evm/testing';
import { silentLogger, systemClock, wallClock } from '@switchyard/service';
import { eventually, memoryLogger } from '@switchyard/service/testing';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { RollupIndexer } from '../rollups/rollup-indexer.ts';
import { EVM_TABLES } from '../store/evm-tables.ts';
import type { IndexStore } from '../store/store.ts';
import { evmNode } from './evm-node.ts';
import { evmReader } from './evm-reader.ts';
import { compiledTokens } from './testing.ts';

/** Guarantees of an EVM rollup's index in every store. @param opened The index of this name, made if there is none. */
export function evmIndexSuite(opened: (name: string) => Promise<IndexStore>): void {
  const stores: IndexStore[] = [];
  const open = async (name: string) => {
    const store = await opened(name);
    stores.push(store);
    return store;
  };
  afterEach(async () => {
    for (const store of stores.splice(0)) await store.close();
  });
  let chain: TestChain;
  let served: ServedTestChain;
  beforeAll(async () => {
    chain = await grown(12);
    served = await serveTestChain(chain);
  }, 60_000);
  afterAll(() => served?.close());

  test('killed at any statement of any batch, it ends with the same index', { timeout: 120_000 }, async () => {
    const expected = await filled(await open('whole'), served.url);
    expect(expected.length).toBeGreaterThan(100);
    for (let killAt = 1; killAt <= 80; killAt += 9) {
      const store = await open(`killed_${killAt}`);
      const dying = dyingAt(store, killAt);
      const first = following(dying.store, served.url, 1);
      await eventually(dying.isDead, 30_000);
      await first.end();
      expect(await filled(store, served.url)).toEqual(expected);
    }
  });

  test('two that share an index write each block once', { timeout: 60_000 }, async () => {
    const expected = await filled(await open('alone'), served.url);
    const store = await open('shared');
    const both = [following(store, served.url, 1), following(await open('shared'), served.url, 2)];
    await Promise.all(both.map(({ at }) => at(12)));
    await Promise.all(both.map(({ end }) => end()));
    expect(await contents(store)).toEqual(expected);
  });

  test('a rollup that was reset is filled again, from nothing', { timeout: 60_000 }, async () => {
    const store = await open('reset');
    await filled(store, served.url);
    const other = await grown(5, 1);
    const node = await serveTestChain(other);
    try {
      const { log, lines } = memoryLogger();
      const again = await filled(store, node.url, log);
      expect(again).toEqual(await filled(await open('expected'), node.url));
      expect(lines.map(({ msg }) => msg)).toContain('the rollup was reset, filling its part of the index again');
    } finally {
      await node.close();
    }
  });

  test('lists read by their indexes, whatever the order of the rows', async () => {
    const store = await open('whole');
    const [coin] = await store.read("SELECT address, holders FROM evm_tokens WHERE kind = 'erc20'");
    const holders = await store.read('SELECT balance FROM evm_holders WHERE token = ? ORDER BY balance DESC', [
      coin?.address ?? '',
    ]);
    expect(holders.length).toBe(coin?.holders);
    const sum = holders.reduce((all, { balance }) => all + BigInt(`0x${String(balance)}`), 0n);
    expect(sum).toBe(1_000n);
  });
}

/** A chain with tokens of each kind, payments through a contract, failures, deposits and entries that are refused. */
async function grown(blocks: number, seed = 0): Promise<TestChain> {
  const compiled = compiledTokens();
  const chain = await testChain();
  const [alice, bob, carol] = [0, 1, 2].map((index) => chain.account(index + seed)) as [
    TestAccount,
    TestAccount,
    TestAccount,
  ];
  const create = (name: string, ...args: readonly bigint[]) =>
    alice.deploy(compiled[name]?.creation(...args) ?? new Uint8Array(), { gasLimit: 5_000_000n });
  const { receipts } = await chain.sequence([create('Coin', 1_000n), create('Art'), create('Things')]);
  const [coin, art, things] = receipts.map(({ contractAddress }) => contractAddress ?? ('0x' as const)) as [
    `0x${string}`,
    `0x${string}`,
    `0x${string}`,
  ];
  const call = (name: string, signature: string, ...args: readonly (bigint | string)[]) =>
    compiled[name]?.call(signature, ...args) ?? new Uint8Array();
  for (let block = 2; block <= blocks; block += 1) {
    const number = BigInt(block);
    await chain.sequence([
      alice.call(coin, call('Coin', 'transfer(address,uint256)', bob.address, number)),
      bob.call(coin, call('Coin', 'transfer(address,uint256)', carol.address, 1n)),
      alice.call(art, call('Art', 'move(address,uint256)', block % 2 === 0 ? bob.address : carol.address, number % 3n)),
      alice.call(
        things,
        call('Things', 'mint(address,uint256[],uint256[])', bob.address, 96n, 192n, 2n, 1n, number, 2n, 10n, number),
      ),
      bob.call(coin, call('Coin', 'pay(address)', carol.address), { value: number % 3n }),
      new Uint8Array([1, block]),
      testDeposit(carol.address, number),
    ]);
  }
  return chain;
}

function following(store: IndexStore, url: string, perRequest?: number, log = silentLogger) {
  const node = evmNode(url);
  const few = {
    ...node,
    blocks: (from: number, most: number, signal: AbortSignal) =>
      node.blocks(from, Math.min(most, perRequest ?? most), signal),
  };
  const deps = { store, clock: systemClock, wall: wallClock, random: () => 0, pollMs: 5, log };
  const indexer = new RollupIndexer({ ...deps, reader: evmReader(few, store) });
  const over = new AbortController();
  const work = indexer.run(over.signal);
  return {
    at: (number: number) =>
      eventually(() => indexer.state().number === number && indexer.state().problem === undefined, 60_000),
    head: () => indexer.state().head?.soft,
    async end() {
      over.abort(new Error('the test is over'));
      await work;
    },
  };
}

/** Follows to the newest block. @returns all rows. */
async function filled(store: IndexStore, url: string, log = silentLogger): Promise<string[]> {
  const { soft } = await evmNode(url).head(new AbortController().signal);
  const { at, end } = following(store, url, undefined, log);
  await at(soft);
  await end();
  return contents(store);
}

/** All rows, but for when they were seen. */
async function contents(store: IndexStore): Promise<string[]> {
  const tables = [...EVM_TABLES.map(({ name }) => name), 'rollup_blocks', 'refusals'];
  const rows: string[][] = [];
  for (const table of tables) {
    const found = await store.read(`SELECT * FROM ${table}`);
    rows.push(found.map((row) => `${table} ${JSON.stringify({ ...row, seen: undefined })}`));
  }
  return rows.flat().sort();
}

/** A store like the disk of a process that ends in the middle of a batch: the transaction is not there. */
function dyingAt(store: IndexStore, killAt: number) {
  let statements = 0;
  const dying: IndexStore = {
    place: store.place,
    read: (sql, params) => store.read(sql, params),
    close: () => store.close(),
    async write(batch) {
      statements += batch.length;
      if (statements < killAt) return store.write(batch);
      const cut = batch.slice(0, Math.max(0, batch.length - (statements - killAt) - 1));
      await store
        .write([...cut, { sql: 'INSERT INTO no_such_table (a) VALUES (1)', params: [] }])
        .catch(() => undefined);
      throw new Error('killed');
    },
  };
  return { store: dying, isDead: () => statements >= killAt };
}
