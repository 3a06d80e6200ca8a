import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Action, formatAddress, parseDenom, rollupIdBase64Url, rollupIdFromName } from '@switchyard/protocol';
import { alice, bob, carol } from '@switchyard/protocol/testing';
import { silentLogger, systemClock, wallClock } from '@switchyard/service';
import { eventually } from '@switchyard/service/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { Head } from '../sequencer/head.ts';
import { SequencerIndexer } from '../sequencer/indexer.ts';
import { EmbeddedStore } from '../store/embedded.ts';
import { evmKey } from '../store/evm-tables.ts';
import { insert } from '../store/statements.ts';
import { testApi } from '../testing/api.ts';
import { TestChain } from '../testing/chain.ts';

/* Deposits to a rollup and withdrawals from it: alice deposits and withdraws to carol, bob is the bridge account. */

const CHAT = rollupIdFromName('chat');
const nria = parseDenom('nria');
const EVENT = `0x${'ab'.repeat(32)}.0x${'3'.padStart(64, '0')}`;
const address = ({ account }: typeof alice) => ({ account, prefix: 'astria' });
const unlock = (amount: bigint, withdrawalEvent: string): Action => ({
  ...{ kind: 'bridgeUnlock', to: address(carol), bridge: address(bob), amount, feeAsset: nria },
  ...{ memo: 'thanks', rollupBlockNumber: 7n, withdrawalEvent },
});
const transfer: Action = {
  ...{ kind: 'bridgeTransfer', to: address(alice), bridge: address(bob), amount: 2n, feeAsset: nria },
  ...{ destination: '0xab', rollupBlockNumber: 8n, withdrawalEvent: 'as it likes' },
};
const payment: Action = { kind: 'transfer', to: address(bob), amount: 1n, asset: nria, feeAsset: nria };
const deposit = {
  type: 'tx.deposit',
  attributes: Object.entries({
    ...{ bridgeAddress: formatAddress(bob.account), rollupId: rollupIdBase64Url(CHAT), amount: '50', asset: 'nria' },
    ...{ destinationChainAddress: 'someone', sourceTransactionId: 'cd'.repeat(32), sourceActionIndex: '0' },
  }).map(([key, value]) => ({ key, value })),
};

const directory = mkdtempSync(join(tmpdir(), 'switchyard-index-'));
const stop = new AbortController();
let work: Promise<unknown>;
let store: EmbeddedStore;
let api: ReturnType<typeof testApi>;
beforeAll(async () => {
  const chain = new TestChain();
  chain.add(
    { actions: [transfer], result: { code: 1, log: 'not paid' } },
    { actions: [payment], result: { events: [deposit] } },
  );
  chain.add({ actions: [unlock(5n, EVENT), transfer], signer: bob });
  chain.add({ actions: [unlock(6n, 'another')], signer: bob });
  store = new EmbeddedStore({ directory, log: silentLogger, wall: wallClock });
  const source = Object.assign(chain, {
    // biome-ignore lint/correctness/useYield: a node that does not push, so that it is polled
    async *streamFilteredBlocks(): AsyncGenerator<never> {
      throw new Error('no stream');
    },
  });
  const deps = { clock: systemClock, log: silentLogger, random: () => 0, source };
  const head = new Head({ ...deps, pollMs: 5 });
  const indexer = new SequencerIndexer({ ...deps, store, head, concurrency: 4, chainId: undefined });
  work = Promise.all([head.run(stop.signal), indexer.run(stop.signal)]).catch(() => undefined);
  await eventually(() => indexer.state().height === chain.height, 30_000);
  api = testApi({ store, sequencer: indexer });
});
afterAll(async () => {
  api?.stop();
  stop.abort(new Error('the test is over'));
  await work;
  await store?.close();
  rmSync(directory, { recursive: true });
});

const amounts = async (path: string) => {
  const { status, body } = await api.get(path);
  expect(status).toBe(200);
  return body.items.map(({ amount }: { amount: string }) => amount);
};
const find = ({ account }: typeof alice) => `/v1/accounts/${account}`;

test('withdrawals are listed for the rollup, for who was paid and for the bridge account', async () => {
  const { body } = await api.get(`/v1/rollups/${CHAT}/withdrawals`);
  const common = { rollup: CHAT, asset: 'nria', bridge: formatAddress(bob.account), request: null };
  const memo = 'thanks';
  expect(body.items).toMatchObject([
    { ...common, height: 3, amount: '6', event: 'another', memo, recipient: formatAddress(carol.account) },
    { ...common, height: 2, amount: '2', kind: 'bridgeTransfer', destination: '0xab', memo: null, rollupBlock: '8' },
    { ...common, height: 2, amount: '5', kind: 'bridgeUnlock', destination: null, action: 0, event: EVENT },
  ]);
  expect(await amounts(`${find(bob)}/withdrawals`)).toEqual(['6', '2', '5']);
  expect(await amounts(`${find(carol)}/withdrawals`)).toEqual(['6', '5']);
  expect(await amounts(`${find(alice)}/withdrawals`)).toEqual(['2']);
  const [bridge] = (await api.get('/v1/bridges')).body.items;
  expect(bridge).toMatchObject({ deposits: 1, withdrawals: 3 });
  expect((await api.get(`/v1/bridges/${bridge.address}`)).body).toEqual(bridge);
  expect((await api.get(`/v1/bridges/${formatAddress(carol.account)}`)).status).toBe(404);
});

test('deposits are listed for who made them and for the bridge account', async () => {
  const common = { rollup: CHAT, amount: '50', destination: 'someone', state: 'sequenced' };
  const expected = [{ ...common, sender: formatAddress(alice.account), bridge: formatAddress(bob.account) }];
  for (const path of [`/v1/rollups/${CHAT}`, find(alice), find(bob)])
    expect((await api.get(`${path}/deposits`)).body.items).toMatchObject(expected);
  expect(await amounts(`${find(carol)}/deposits`)).toEqual([]);
});

test.each([
  ['the bridge account', bob, ['6', '2', '5']],
  ['who was paid', carol, ['6', '5']],
] as const)('pages of the withdrawals of %s have each once', async (_, signer, expected) => {
  const seen: string[] = [];
  for (let cursor = ''; ; ) {
    const { body } = await api.get(`${find(signer)}/withdrawals?limit=1${cursor}`);
    seen.push(...body.items.map(({ amount }: { amount: string }) => amount));
    if (body.next === null) break;
    cursor = `&cursor=${body.next}`;
  }
  expect(seen).toEqual(expected);
});

test('a withdrawal leads to the event of its own rollup, and to no other', async () => {
  const columns = [
    'rollup',
    'number',
    'log',
    'position',
    'contract',
    'sender',
    'kind',
    'amount',
    'destination',
    'event',
  ];
  const row = (rollup: string) => [
    ...[evmKey(rollupIdFromName(rollup)), 7, 3, 0, '11'.repeat(20), '22'.repeat(20), 'sequencer', '500', 'x', EVENT],
  ];
  await store.write(insert('evm_withdrawals', columns, [row('other')]));
  const requests = async () => {
    const { body } = await api.get(`/v1/rollups/${CHAT}/withdrawals`);
    return body.items.map(({ request }: { request: unknown }) => request);
  };
  expect(await requests()).toEqual([null, null, null]);
  await store.write(insert('evm_withdrawals', columns, [row('chat')]));
  expect(await requests()).toMatchObject([
    null,
    null,
    { transaction: `0x${'ab'.repeat(32)}`, block: 7, amount: '500', sender: `0x${'22'.repeat(20)}` },
  ]);
});
