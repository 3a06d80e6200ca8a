import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { testDeposit } from '@switchyard/evm/testing';
import { type Action, formatAddress, parseDenom, rollupIdFromName } from '@switchyard/protocol';
import { alice } from '@switchyard/protocol/testing';
import { Notifier, silentLogger, wallClock } from '@switchyard/service';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { evmNode } from '../evm/evm-node.ts';
import { suggestEvm } from '../evm/suggest.ts';
import { compiledTokens, evmExplorer } from '../evm/testing.ts';
import { testApi } from '../testing/api.ts';
import { TestChain } from '../testing/chain.ts';
import { fillIndex } from '../testing/fill-index.ts';
import { TestRollup } from '../testing/rollup.ts';
import { EmbeddedStore } from './embedded.ts';
import type { IndexStore, Value } from './store.ts';

/*
 * How SQLite answers the statements of every page. It has no statistics, and takes the first column of a key for a column that
 * divides the rows; `rollup` does not, so that a plan may read a whole table that is short in every test.
 */

let directory: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'switchyard-index-'));
});
afterEach(() => rmSync(directory, { recursive: true }));

/** Few rows, regardless of the chain's activity: one for thousands of submissions (`e`), for a validator, a bridge account, a rollup. */
const SHORT = /^(SCAN (e|validators|bridges|rollups|meta|cursors|CONSTANT ROW)|SEARCH rollups)\b/;
/** All rows of a table, or all of a rollup, which may be the same. */
const WHOLE = /^(SCAN|SEARCH \S+ USING .*\(rollup=\?\))/;

/** Steps of a plan that read more than a page needs. */
function wholeTables(sql: string, plan: readonly string[]): string[] {
  const isSorted = plan.some((step) => step.startsWith('USE TEMP B-TREE'));
  // A table is read in its order until there is enough; rows that are joined to it must be found.
  const isEnough = !isSorted && /LIMIT|SELECT MIN\(/.test(sql);
  const driving = plan.find((step) => /^(SCAN|SEARCH)/.test(step));
  const made = plan.flatMap((step) => /^(CO-ROUTINE|MATERIALIZE) (\S+)/.exec(step)?.[2] ?? []);
  return plan.filter(
    (step) =>
      WHOLE.test(step) &&
      !SHORT.test(step) &&
      !(isEnough && step === driving) &&
      !made.some((name) => step === `SCAN ${name}`),
  );
}

/** Keeps the results of reads. */
function recording(store: IndexStore) {
  const statements = new Map<string, readonly Value[]>();
  const recorder: IndexStore = {
    place: store.place,
    read(sql, params = []) {
      statements.set(sql, params);
      return store.read(sql, params);
    },
    write: (batch) => store.write(batch),
    close: () => store.close(),
  };
  /** Steps that read more than a page needs, each with its statement. */
  const bad = async () => {
    const found: string[] = [];
    for (const [sql, params] of statements) {
      const plan = await store.read(`EXPLAIN QUERY PLAN ${sql}`, params);
      const steps = wholeTables(
        sql,
        plan.map(({ detail }) => String(detail)),
      );
      found.push(...steps.map((step) => `${step}: ${sql.replace(/\s+/g, ' ')}`));
    }
    return found;
  };
  return { store: recorder, statements, bad };
}

// Defect: Sequencer and messages: whole tables read for one message, a list, or transfers of a token
test('pages of the sequencer and of rollups read by indexes', async () => {
  const [chat, nria] = [rollupIdFromName('chat'), parseDenom('nria')];
  const data: Action = { kind: 'rollupDataSubmission', rollup: chat, data: new Uint8Array([1]), feeAsset: nria };
  const chain = new TestChain();
  const hashes = Array.from({ length: 4 }, () => chain.add({ actions: [data] })).flat();
  const { node } = new TestRollup();
  await fillIndex(directory, chain, node, 30_000);
  const store = new EmbeddedStore({ directory, log: silentLogger, wall: wallClock });
  const recorded = recording(store);
  const head = await node.head(new AbortController().signal);
  const state = () => ({ url: node.url, head, number: 4, hash: '', problem: undefined, awaySince: undefined });
  const followed = { changed: new Notifier(), node, state };
  const sequencer = {
    changed: new Notifier(),
    state: () => ({ chainId: 'test-chain', height: 4, latest: 4, problem: undefined }),
  };
  const api = testApi({ store: recorded.store, sequencer, rollups: [followed] });
  const { items } = (await api.get('/v1/rollups/chat/transactions')).body;
  const account = formatAddress(alice.account);
  for (const path of [
    ...['/blocks', '/blocks/2', `/blocks/${chain.hashAt(2)}`, '/blocks/2/transactions', '/transactions'],
    ...[`/transactions/${hashes[0]}`, `/accounts/${account}`, `/accounts/${account}/transactions`, '/bridges'],
    ...['/validators', '/rollups', '/rollups/chat', '/rollups/chat/blocks', '/rollups/chat/transactions'],
    ...[`/rollups/chat/transactions/${items[0].hash}`, `/trace/${items[0].hash}`, '/rollups/chat/deposits'],
    ...['/charts', '/charts?blocks=10000', '/search?q=2', `/search?q=${items[0].hash}`, '/search?q=chat'],
    ...[2, 'ch', String(hashes[0]).slice(0, 6), account.slice(0, 12)].map((query) => `/suggest?q=${query}`),
    ...[
      '/transactions?cursor=3-1',
      '/rollups/chat/transactions?cursor=3-1',
      `/accounts/${account}/transactions?cursor=3-1`,
    ],
  ]) {
    const { status, body } = await api.get(`/v1${path}`);
    expect([path, status, body]).toEqual([path, 200, expect.anything()]);
  }
  expect((await api.get('/v1/rollups/chat/blocks/1')).status).toBe(404);
  expect(recorded.statements.size).toBeGreaterThan(20);
  expect(await recorded.bad()).toEqual([]);
  api.stop();
  await store.close();
});

// Defect: EVM rollups: whole tables read for one page
test('pages of EVM rollups read by indexes, and so do indexing and asking tokens', { timeout: 120_000 }, async () => {
  const store = new EmbeddedStore({ directory, log: silentLogger, wall: wallClock });
  const recorded = recording(store);
  const explorer = await evmExplorer({ store: recorded.store });
  try {
    const { chain, api, ask } = explorer;
    const [owner, other] = [chain.account(0), chain.account(1)];
    const { Coin } = compiledTokens();
    const code = Coin?.creation(1_000n) ?? new Uint8Array();
    const { receipts } = await chain.sequence([owner.deploy(code, { gasLimit: 5_000_000n })]);
    const coin = receipts[0]?.contractAddress ?? '0x';
    const transfer = Coin?.call('transfer(address,uint256)', other.address, 5n) ?? new Uint8Array();
    const { block } = await chain.sequence([owner.call(coin, transfer), testDeposit(other.address, 7n)]);
    await explorer.indexed();
    await explorer.asked();
    const hash = block.transactions[0]?.hash;
    const address = `/addresses/${other.address}`;
    for (const path of [
      ...['/blocks', '/blocks/1', '/blocks/1/transactions', '/transactions', `/transactions/${hash}`, address],
      ...['transactions', 'internal', 'logs', 'token-transfers', 'tokens', 'deposits', 'history'].map(
        (list) => `${address}/${list}`,
      ),
      ...['/transactions?cursor=2-0', `${address}/transactions?cursor=9-9`, `${address}/token-transfers?cursor=9-9-9`],
      ...['/tokens', `/tokens/${coin}`, '/charts', '/charts?blocks=10000', '/contracts'],
      ...['holders', 'transfers', 'items'].map((list) => `/tokens/${coin}/${list}`),
    ]) {
      expect([path, await api(path)]).toEqual([path, expect.anything()]);
    }
    const evm = [{ indexer: explorer.indexer, node: evmNode('http://127.0.0.1:1') }];
    for (const digits of [coin.slice(2, 9), String(hash).slice(2, 20)])
      expect(await suggestEvm({ store: recorded.store, evm }, digits, digits)).toHaveLength(1);
    const account = `address=${other.address}&startblock=0&endblock=99999999&page=1&offset=10&sort=desc`;
    for (const query of [
      ...['txlist', 'txlistinternal', 'tokentx', 'tokennfttx', 'token1155tx'].map(
        (action) => `module=account&action=${action}&${account}`,
      ),
      `module=account&action=tokentx&contractaddress=${coin}&page=1&offset=10`,
      `module=account&action=tokenbalance&contractaddress=${coin}&address=${other.address}`,
      `module=logs&action=getLogs&address=${coin}&fromBlock=0&toBlock=99999999`,
      'module=logs&action=getLogs&fromBlock=0&toBlock=10',
      ...['tokeninfo', 'tokenholderlist', 'tokenholdercount'].map(
        (action) => `module=token&action=${action}&contractaddress=${coin}`,
      ),
      `module=stats&action=tokensupply&contractaddress=${coin}`,
      `module=transaction&action=getstatus&txhash=${hash}`,
      'module=block&action=getblocknobytime&timestamp=9999999999&closest=before',
      'module=block&action=getblocknobytime&timestamp=1&closest=after',
    ]) {
      const response = await ask(`/api?${query}`);
      expect([query, response.status]).toEqual([query, 200]);
    }
    expect(recorded.statements.size).toBeGreaterThan(40);
    expect(await recorded.bad()).toEqual([]);
  } finally {
    await explorer.close();
    await store.close();
  }
});
