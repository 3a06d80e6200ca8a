import { contractApi, httpApi } from '@switchyard/client/http-api';
import { rollupClient } from '@switchyard/client/rollup';
import { expect, test } from 'vitest';
import { getAccountHistory } from '../contract.ts';
import { account, balance, texts } from './index.ts';

/** A client of a node that answers as the test does, and the requested paths. */
function node(json: unknown) {
  const wanted: string[] = [];
  const options = {
    url: 'http://rollup',
    fetch: async (url: string) => {
      wanted.push(url.slice('http://rollup'.length));
      return new Response(JSON.stringify(json));
    },
  };
  return { rollup: rollupClient(options), ask: contractApi(httpApi('rollup', options)), asked: wanted };
}

test('asks for a balance of an asset whose name has slashes', async () => {
  const { rollup, asked: wanted } = node('340282366920938463463374607431768211455');
  expect(await balance(rollup, 'astria1x', 'transfer/channel-0/utia')).toBe(2n ** 128n - 1n);
  expect(wanted).toEqual(['/get_account_balance/astria1x/transfer%2Fchannel-0%2Futia']);
});

test('reads messages of this node and of the original one', async () => {
  const text = { id: 3, sender: 'bob', message: 'hi', address: 'astria1x', block: 9, time: '2024-01-01T00:00:00Z' };
  const { rollup, asked: wanted } = node([
    { ...text, hash: null },
    { sender: 'a', message: 'b:c' },
  ]);
  const absent = { id: undefined, address: undefined, block: undefined, time: undefined, hash: undefined };
  expect(await texts(rollup, { after: 2n, limit: 2 })).toEqual([
    { ...text, id: 3n, block: 9n, hash: undefined },
    { ...absent, sender: 'a', message: 'b:c' },
  ]);
  expect(wanted).toEqual(['/recent?after=2&limit=2']);
});

test('reads nonce and balances of an account', async () => {
  const balances = [{ asset: 'nria', amount: '18446744073709551616' }];
  const { rollup } = node({ address: 'astria1x', pendingNonce: 4, nonce: 3, balances });
  expect(await account(rollup, 'astria1x')).toEqual({
    nonce: 3,
    pendingNonce: 4,
    balances: [{ asset: 'nria', amount: 1n << 64n }],
  });
});

test('a page of the history of an account is read by its contract', async () => {
  const entry = {
    kind: 'deposit',
    block: 7,
    time: '2024-01-01T00:00:00Z',
    from: 'a',
    to: 'b',
    asset: 'nria',
    hash: 'c',
  };
  const { ask, asked: wanted } = node({ entries: [{ id: 5, amount: '12', ...entry }], older: 5, newer: null });
  expect(await ask(getAccountHistory, { address: 'astria1x', before: 9n, limit: 1 })).toEqual({
    entries: [{ ...entry, id: 5n, block: 7n, amount: '12' }],
    older: 5n,
    newer: null,
  });
  expect(wanted).toEqual(['/v1/accounts/astria1x/history?before=9&limit=1']);
});
