import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type FilteredBlock, rollupIdFromName, txHashOf } from '@switchyard/protocol';
import { encodeSequencedData } from '@switchyard/protocol/testing';
import { Notifier, silentLogger, systemClock, TransportFailure, wallClock } from '@switchyard/service';
import { eventually } from '@switchyard/service/testing';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Offers } from '../rollups/offers.ts';
import { RollupIndexer } from '../rollups/rollup-indexer.ts';
import type { AnyRollupNode, RollupReader } from '../rollups/rollup-reader.ts';
import { EmbeddedStore } from '../store/embedded.ts';
import { insert } from '../store/statements.ts';
import { testApi } from '../testing/api.ts';

const CHAT = rollupIdFromName('chat');
const DATA = [Uint8Array.of(1, 2), Uint8Array.of(3, 4, 5)];
let stop: AbortController;
let directory: string;
let store: EmbeddedStore;
beforeEach(async () => {
  stop = new AbortController();
  directory = mkdtempSync(join(tmpdir(), 'switchyard-index-'));
  store = new EmbeddedStore({ directory, log: silentLogger, wall: wallClock });
  const submissions = DATA.map((data, position) => [CHAT, 5, position, txHashOf(data), data.length, 2]);
  await store.write([
    ...insert('block_rollups', ['rollup', 'height', 'submissions', 'bytes', 'deposits'], [[CHAT, 5, 2, 5, 0]]),
    ...insert('submissions', ['rollup', 'height', 'position', 'hash', 'size', 'transaction_position'], submissions),
  ]);
});
afterEach(async () => {
  stop.abort(new Error('the test is over'));
  await store.close();
  rmSync(directory, { recursive: true });
});

/** The API alongside a node of the rollup that decodes so and offers this, and a sequencer that has one block. */
async function started(decode?: AnyRollupNode['decode'], offers?: Offers) {
  const reader: RollupReader = {
    node: {
      url: 'http://rollup.test',
      head: async () => ({ name: 'chat', id: CHAT, chainId: 'chat', soft: 0, firm: 0, lowest: 1 }),
      findHash: async () => '',
      get: async (path) => ({ path }),
      offers: async () => offers,
      ...(decode === undefined ? {} : { decode }),
    },
    clear: () => [],
    blocks: async () => ({ links: [], rows: async () => [] }),
  };
  const deps = { clock: systemClock, wall: wallClock, random: () => 0, log: silentLogger, pollMs: 60_000 };
  const rollup = new RollupIndexer({ ...deps, reader, store });
  void rollup.run(stop.signal);
  await eventually(() => rollup.state().problem === undefined);
  const block = { rollups: [{ rollup: CHAT, transactions: DATA.map(encodeSequencedData) }] };
  const none = (): Promise<never> => Promise.reject(new Error('not asked in this test'));
  const sequencer = {
    changed: new Notifier(),
    state: () => ({ chainId: 'test', height: 5, latest: 5, problem: undefined }),
  };
  return testApi({
    store,
    sequencer,
    rollups: [rollup],
    client: {
      ...{ balances: none, nonce: none, bridgeAccount: none, commit: none, validators: none },
      // The rest of a block is not looked at.
      filteredBlock: async () => block as unknown as FilteredBlock,
    },
  });
}
const makePath = (hash: string, rollup = 'chat') => `/v1/rollups/${rollup}/transactions/${hash}/content`;

test('a transaction is shown as a node of its rollup reads it', async () => {
  const api = await started(async (bytes) => ({ actions: [{ kind: 'sum', of: [...bytes] }] }));
  const hash = txHashOf(Uint8Array.of(3, 4, 5));
  expect(await api.get(makePath(hash))).toMatchObject({
    status: 200,
    body: { hash, height: 5, bytes: '030405', decoded: { actions: [{ kind: 'sum', of: [3, 4, 5] }] } },
  });
});

test('where no node can tell, the bytes are shown', async () => {
  const api = await started();
  expect(await api.get(makePath(txHashOf(Uint8Array.of(1, 2)), CHAT))).toMatchObject({
    status: 200,
    body: { bytes: '0102', decoded: null },
  });
});

test('a node that is away is named, and what is not there is not found', async () => {
  const api = await started(() => Promise.reject(new TransportFailure('no answer')));
  expect((await api.get(makePath(txHashOf(Uint8Array.of(1, 2))))).status).toBe(503);
  expect((await api.get(makePath(txHashOf(Uint8Array.of(9))))).status).toBe(404);
  expect((await api.get(makePath(txHashOf(Uint8Array.of(1, 2)), 'other'))).status).toBe(404);
});

const OFFERS: Offers = {
  paths: ['/v1/total', '/v1/accounts/{address}', '/v1/tables/{table}'],
  views: [{ name: 'total', summary: 'All' }],
};

test.each([
  ['views/total', '/v1/total'],
  ['views/total?of=a%26b&limit=5', '/v1/total?of=a%26b&limit=5'],
  ['views/accounts/ali%2Fce', '/v1/accounts/ali%2Fce'],
  ['views/tables/views/total', undefined],
  ['views/tables/notes?prefix=%5B%5D', '/v1/tables/notes?prefix=%5B%5D'],
  ['views/secret', undefined],
  ['views/accounts', undefined],
  ['views/accounts/alice/history', undefined],
  ['views/accounts/../total', '/v1/total'],
  ['views/accounts/%2e%2e', undefined],
  ['views/../../../admin', undefined],
])('what the node of a rollup offers is passed on, and nothing else is asked of it: %s', async (path, wanted) => {
  const api = await started(undefined, OFFERS);
  expect((await api.get('/v1/rollups/chat')).body).toMatchObject({ kind: 'framework', offers: OFFERS });
  const { status, body } = await api.get(`/v1/rollups/chat/${path}`);
  expect([status, body.path]).toEqual(wanted === undefined ? [404, undefined] : [200, wanted]);
});

test('a node that does not state what it offers is asked, with the parameters that were given', async () => {
  const api = await started();
  expect((await api.get('/v1/rollups/chat')).body.offers).toBeNull();
  expect((await api.get('/v1/rollups/chat/views/messages?limit=5&q=a%26b')).body).toEqual({
    path: '/v1/messages?limit=5&q=a%26b',
  });
});

test('an address is found at the rollups that have accounts', async () => {
  const { body } = await (await started(undefined, OFFERS)).get(`/v1/search?q=${'0a'.repeat(20)}`);
  const [account, ofRollup] = body.items;
  expect([account.kind, ofRollup]).toMatchObject(['account', { kind: 'rollup-account' }]);
  expect(ofRollup.path).toBe(`/rollups/chat${account.path}`);
});
