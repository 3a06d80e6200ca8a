import { afterAll, beforeAll, expect, test } from 'vitest';
import { type EvmExplorer, evmExplorer } from '../evm/testing.ts';
import { evmKey } from '../store/evm-tables.ts';
import { insert } from '../store/statements.ts';
import { testApi } from '../testing/api.ts';

/* An EVM rollup with one transaction and one token, and a sequencer with one block. */

const TOKEN = '0x5FbDB2315678afecb367f032d93F642f64180aa3';
const PAGES = '#/rollups/test-evm/evm';

let explorer: EvmExplorer;
let api: ReturnType<typeof testApi>;
let transaction: string;
let account: string;

beforeAll(async () => {
  explorer = await evmExplorer();
  const { chain, store, indexer, node } = explorer;
  const alice = chain.account(0);
  await chain.sequence([alice.transfer(chain.account(1).address, 7n)]);
  await explorer.indexed();
  const [{ hash, from }] = (await explorer.api('/transactions')).items;
  [transaction, account] = [hash, from];
  const key = evmKey(indexer.state().head?.id ?? ('' as never));
  const columns = ['rollup', 'address', 'kind', 'number', 'transfers', 'holders', 'described', 'exact', 'due', 'asked'];
  const token = [key, TOKEN.slice(2).toLowerCase(), 'erc20', 1, 3, 2, 1, 1, 0, 1];
  await store.write(insert('evm_tokens', columns, [token]));
  const sequencer = { state: () => ({ height: 1, latest: 1 }) as never, changed: undefined as never };
  api = testApi({ store, sequencer, rollups: [indexer as never], evm: [{ indexer, node }] });
});
afterAll(async () => {
  api?.stop();
  await explorer?.close();
});

const follow = async (path: string) => {
  const { status, response } = await api.get(path);
  return status === 302 ? response.headers.get('location') : status;
};

// Defect: addresses that wallets and tools build for a transaction, an account, a block or a token were not found
test('addresses of wallets and tools lead to the pages', async () => {
  expect(await follow(`/tx/${transaction}`)).toBe(`../${PAGES}/transactions/${transaction}`);
  expect(await follow(`/address/${account.toLowerCase()}`)).toBe(`../${PAGES}/addresses/${account}`);
  expect(await follow('/block/1')).toBe(`../${PAGES}/blocks/1`);
  expect(await follow(`/token/${TOKEN}?a=${account}`)).toBe(`../${PAGES}/tokens/${TOKEN}`);
  expect(await follow(`/test-evm/tx/${transaction}`)).toBe(`../../${PAGES}/transactions/${transaction}`);
  expect(await follow('/test-evm/block/1')).toBe(`../../${PAGES}/blocks/1`);
});

test('the page of a transaction that was just sent waits for its block', async () => {
  const sent = `0x${'ab'.repeat(32)}`;
  expect(await follow(`/tx/${sent}`)).toBe(`../${PAGES}/transactions/${sent}`);
  expect(await follow(`/test-evm/tx/${sent}`)).toBe(`../../${PAGES}/transactions/${sent}`);
});

test.each([
  ...['/tx/0x12', '/tx/%2F%2Fexample.com', '/block/99', `/token/0x${'ab'.repeat(20)}`, '/address/0x12', '/nft/1'],
  ...['/unknown/block/1', `/unknown/tx/0x${'ab'.repeat(32)}`, `/tx/${'a'.repeat(2_000)}`],
])('%s leads nowhere', async (path) => {
  expect(await follow(path)).toBe(404);
});
