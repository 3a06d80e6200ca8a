import { afterEach, beforeEach, expect, test } from 'vitest';
import { evmKey } from '../store/evm-tables.ts';
import { insert } from '../store/statements.ts';
import { evmNode } from './evm-node.ts';
import { searchEvm } from './search.ts';
import { suggestEvm } from './suggest.ts';
import { type EvmExplorer, evmExplorer } from './testing.ts';

let explorer: EvmExplorer;
beforeEach(async () => {
  explorer = await evmExplorer();
});
afterEach(() => explorer.close());

const search = async (query: string) => {
  const { store, indexer } = explorer;
  const found = await searchEvm({ store, evm: [{ indexer, node: evmNode('http://127.0.0.1:1') }] }, query);
  return found.map(({ kind, path }) => [kind, path]);
};

const suggest = async (query: string) => {
  const { store, indexer } = explorer;
  const context = { store, evm: [{ indexer, node: evmNode('http://127.0.0.1:1') }] };
  const digits = query.replace(/^0x/, '').toLowerCase();
  const found = await suggestEvm(context, query, /^[0-9a-f]{4,}$/.test(digits) ? digits : undefined);
  return found.map(({ kind, path }) => [kind, path]);
};

test('finds transactions by hash, addresses with and without their case, and nothing else', async () => {
  const { chain, api, indexed } = explorer;
  const alice = chain.account(0);
  await chain.sequence([alice.transfer(chain.account(1).address, 7n)]);
  await indexed();
  const [{ hash, from }] = (await api('/transactions')).items;
  const transaction = ['evm-transaction', `/rollups/test-evm/evm/transactions/${hash}`];
  expect(await search(hash)).toEqual([transaction]);
  expect(await search(hash.slice(2).toUpperCase())).toEqual([transaction]);
  const address = ['evm-address', `/rollups/test-evm/evm/addresses/${from}`];
  expect(await search(from)).toEqual([address]);
  expect(await search(from.toLowerCase().slice(2))).toEqual([address]);
  for (const length of [6, 41]) expect(await suggest(from.slice(0, length))).toEqual([address]);
  expect(await suggest(hash.slice(0, 10))).toEqual([transaction]);
  expect(await suggest(`${hash.slice(0, 10)}${hash[10] === '0' ? '1' : '0'}`)).toEqual([]);
  for (const nothing of [`0x${'0'.repeat(64)}`, '0x12', 'unknown', "' OR 1 = 1 --", '%']) {
    expect([nothing, await search(nothing)]).toEqual([nothing, []]);
  }
});

test('finds tokens by symbol, by the beginning of the name, and by their contract', async () => {
  const { chain, store, indexed, indexer } = explorer;
  await chain.sequence([]);
  await indexed();
  const key = evmKey(indexer.state().head?.id ?? ('' as never));
  const contract = '5fbdb2315678afecb367f032d93f642f64180aa3';
  const columns = ['rollup', 'address', 'kind', 'number', 'transfers', 'holders', 'described', 'name', 'symbol'];
  await store.write(
    insert(
      'evm_tokens',
      [...columns, 'exact', 'due', 'asked'],
      [[key, contract, 'erc20', 1, 3, 2, 1, 'Harbour %Credit', 'HBC', 1, 0, 1]],
    ),
  );
  const path = '/rollups/test-evm/evm/tokens/0x5FbDB2315678afecb367f032d93F642f64180aa3';
  for (const query of ['hbc', 'harbour %', 'HARBOUR'])
    expect([query, await search(query)]).toEqual([query, [['token', path]]]);
  expect((await search(contract))[0]).toEqual(['token', path]);
  expect(await search('hb')).toEqual([]);
  for (const query of ['hb', 'Harbour %', 'HAR'])
    expect([query, await suggest(query)]).toEqual([query, [['token', path]]]);
  for (const query of ['h', 'credit', '0xhb', '%']) expect([query, await suggest(query)]).toEqual([query, []]);
});
