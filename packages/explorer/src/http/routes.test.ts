import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SignedSource } from '@switchyard/client/signed-blocks';
import { FakeSequencer } from '@switchyard/client/testing';
import { sequencerEvidence } from '@switchyard/client/verify-state';
import {
  type Action,
  encodeSignedHeader,
  formatAddress,
  parseDenom,
  rollupIdFromName,
  toHex,
} from '@switchyard/protocol';
import { bob } from '@switchyard/protocol/testing';
import { Notifier, silentLogger, systemClock, wallClock } from '@switchyard/service';
import { eventually } from '@switchyard/service/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { Head } from '../sequencer/head.ts';
import { SequencerIndexer } from '../sequencer/indexer.ts';
import { EmbeddedStore } from '../store/embedded.ts';
import { insert } from '../store/statements.ts';
import { testApi } from '../testing/api.ts';
import { TestChain } from '../testing/chain.ts';
import { TestRollup } from '../testing/rollup.ts';

/* The routes over the index of a chain with 30 blocks. */

const BLOCKS = 30;
const CHAT = rollupIdFromName('chat');
const nria = parseDenom('nria');
const action: Action = { kind: 'rollupDataSubmission', rollup: CHAT, data: new Uint8Array([1, 2, 3]), feeAsset: nria };
const payment: Action = {
  ...{ kind: 'transfer', to: { account: bob.account, prefix: 'astria' } },
  ...{ amount: 5n, asset: nria, feeAsset: nria },
};

const directory = mkdtempSync(join(tmpdir(), 'switchyard-index-'));
const chain = new TestChain();
const stop = new AbortController();
let work: Promise<unknown>;
let store: EmbeddedStore;
let api: ReturnType<typeof testApi>;
let indexer: SequencerIndexer;

beforeAll(async () => {
  for (let block = 0; block < BLOCKS; block += 1) chain.add({ actions: [action, payment] }, { actions: [payment] });
  store = new EmbeddedStore({ directory, log: silentLogger, wall: wallClock });
  const source = Object.assign(chain, {
    // biome-ignore lint/correctness/useYield: a node that does not push, so that it is polled
    async *streamFilteredBlocks(): AsyncGenerator<never> {
      throw new Error('no stream');
    },
  });
  const deps = { clock: systemClock, log: silentLogger, random: () => 0, source };
  const head = new Head({ ...deps, pollMs: 5 });
  indexer = new SequencerIndexer({ ...deps, store, head, concurrency: 4, chainId: undefined });
  work = Promise.all([head.run(stop.signal), indexer.run(stop.signal)]).catch(() => undefined);
  await eventually(() => indexer.state().height === BLOCKS, 30_000);
  api = testApi({ store, sequencer: indexer });
});
afterAll(async () => {
  api?.stop();
  stop.abort(new Error('the test is over'));
  await work;
  await store?.close();
  rmSync(directory, { recursive: true });
});

test.each([
  ['/v1/blocks', 30],
  ['/v1/transactions', 60],
  [`/v1/accounts/${bob.account}/transactions`, 60],
  ['/v1/blocks/7/transactions', 2],
  ['/v1/rollups/chat/transactions', 0],
  [`/v1/rollups/${CHAT}/transactions`, 30],
])('%s by pages has each of its items once', async (path, count) => {
  const seen: string[] = [];
  for (let cursor = ''; ; ) {
    const { status, body } = await api.get(`${path}?limit=7${cursor}`);
    // Only rollups that are followed are known by name.
    if (count === 0) return expect(status).toBe(404);
    expect([status, body.items.length <= 7]).toEqual([200, true]);
    seen.push(...body.items.map((item: unknown) => JSON.stringify(item)));
    if (body.next === null) break;
    cursor = `&cursor=${body.next}`;
  }
  expect([seen.length, new Set(seen).size]).toEqual([count, count]);
});

test.each([
  ['/v1/blocks?limit=0', 400],
  ['/v1/blocks?limit=101', 400],
  ['/v1/blocks?cursor=-1', 400],
  ['/v1/blocks?cursor=1-2', 400],
  ['/v1/blocks?cursor=1%20OR%201', 400],
  ['/v1/transactions?cursor=99999999999999999999', 400],
  ['/v1/blocks/latest', 400],
  ['/v1/blocks/31', 404],
  [`/v1/blocks/${'0'.repeat(64)}`, 404],
  ['/v1/transactions/xyz', 400],
  [`/v1/transactions/${'f'.repeat(64)}`, 404],
  ['/v1/accounts/astria1nonsense', 400],
  ['/v1/search?q=', 400],
  [`/v1/search?q=${'x'.repeat(201)}`, 400],
  [`/v1/suggest?q=${'x'.repeat(201)}`, 400],
  [`/v1/trace/${'f'.repeat(64)}`, 404],
  [`/v1/rollups/${CHAT}/proof/1/x`, 400],
  [`/v1/rollups/${CHAT}/proof/31/0`, 404],
  [`/v1/rollups/${CHAT}/evidence/x`, 400],
  [`/v1/rollups/${CHAT}/evidence/0`, 400],
  ['/v1/rollups/other/views/messages', 404],
])('%s is refused with a problem document: %d', async (path, status) => {
  const { response, body } = await api.get(path);
  expect([response.status, response.headers.get('content-type')]).toEqual([status, 'application/problem+json']);
  expect(body).toMatchObject({ status, detail: expect.any(String), code: expect.any(String) });
});

test('every route refuses query parameters that it does not know, and names those that it does', async () => {
  expect(api.paths.length).toBeGreaterThan(40);
  // Parameters of views are those of the node.
  for (const path of api.paths.filter((each) => !each.includes('{view}'))) {
    const { status, body } = await api.get(`${path.replaceAll(/\{\w+\}/g, '1')}?curser=1`);
    expect({ path, status, body }).toMatchObject({
      status: 400,
      body: { code: 'malformed', facts: { field: 'curser' } },
    });
  }
  const { body } = await api.get('/v1/blocks?limit=5&before=7');
  expect(body.detail).toBe('"before": unknown query parameter, expected only cursor, limit');
});

test.each([
  ['12', 'block', '/blocks/12'],
  [chain.hashAt.bind(chain), 'block', '/blocks/5'],
  [CHAT, 'rollup', `/rollups/${CHAT}`],
  ['chat', 'rollup', `/rollups/${CHAT}`],
] as const)('a search for %s finds its page', async (query, kind, path) => {
  const text = typeof query === 'string' ? query : query(5);
  const { body } = await api.get(`/v1/search?q=${text}`);
  expect(body.items).toContainEqual(expect.objectContaining({ kind, path }));
});

// Defect: Members of actions were not in the explorer's document
test('a transaction has its actions, with every member that the document describes', async () => {
  const { items } = (await api.get('/v1/transactions?limit=2')).body;
  const shown = await Promise.all(
    items.map(async ({ hash }: { readonly hash: string }) => (await api.get(`/v1/transactions/${hash}`)).body.actions),
  );
  expect(shown.flat().map(({ kind }) => kind)).toEqual(['transfer', 'rollupDataSubmission', 'transfer']);
});

test('the text so far suggests blocks, transactions, accounts and rollups that begin with it', async () => {
  const suggest = async (text: string) => {
    const { body } = await api.get(`/v1/suggest?q=${encodeURIComponent(text)}`);
    return body.items.map(({ path }: { readonly path: string }) => path);
  };
  const { items } = (await api.get('/v1/transactions?limit=1')).body;
  const { hash } = items[0];
  const address = formatAddress(bob.account);
  for (const [text, path] of [
    ['7', '/blocks/7'],
    [chain.hashAt(7).slice(0, 12).toUpperCase(), '/blocks/7'],
    [chain.hashAt(7).slice(0, 20), '/blocks/7'],
    [hash.slice(0, 12), `/transactions/${hash}`],
    [`0x${hash.slice(0, 12)}`, `/transactions/${hash}`],
    [hash, `/transactions/${hash}`],
    [CHAT.slice(0, 12), `/rollups/${CHAT}`],
    ['chat', `/rollups/${CHAT}`],
    [address.slice(0, 12), `/accounts/${address}`],
    [address, `/accounts/${address}`],
  ])
    expect([text, await suggest(text)]).toEqual([text, [path]]);
  for (const text of ['999', 'abc', 'astria1', "' OR 1 = 1 --", '%', `${hash.slice(0, 12)}g`, `0x${'0'.repeat(39)}`])
    expect([text, await suggest(text)]).toEqual([text, []]);
});

test('what the node has now is absent while it does not answer, and the index still is there', async () => {
  const { body } = await api.get(`/v1/accounts/${bob.account}`);
  expect(body).toMatchObject({ transactions: 60, balances: null, problem: 'the sequencer does not answer' });
});

test('a rollup that is followed is listed once, on whichever page it is', async () => {
  const head = (name: string) => ({ name, id: rollupIdFromName(name), chainId: name, soft: 1, firm: 1, lowest: 1 });
  const rollups = ['chat', 'silent'].map((name) => ({
    ...{ changed: new Notifier(), node: new TestRollup().node },
    state: () => ({ url: '', head: head(name), number: 1, hash: '', problem: undefined, awaySince: undefined }),
  }));
  const newer = 'ff'.repeat(32);
  const columns = ['rollup', 'first_height', 'last_height', 'submissions', 'bytes', 'deposits'];
  await store.write(insert('rollups', columns, [[newer, 1, BLOCKS + 1, 1, 1, 0]]));
  const { get } = testApi({ store, sequencer: indexer, rollups });
  const listed = async (query: string) => {
    const { body } = await get(`/v1/rollups?limit=1${query}`);
    return { ids: body.items.map(({ rollup }: { rollup: string }) => rollup), next: body.next };
  };
  const first = await listed('');
  expect(first.ids).toEqual([newer, rollupIdFromName('silent')]);
  expect(await listed(`&cursor=${first.next}`)).toEqual({ ids: [CHAT], next: null });
});

test('the evidence of a block holds, whether it has data of the rollup or none', async () => {
  const sequencer = new FakeSequencer('chain');
  sequencer.produce(CHAT, 'a text');
  sequencer.produce(CHAT);
  const client = {
    ...api.unreachable,
    filteredBlock: sequencer.filteredBlock.bind(sequencer),
    commit: sequencer.commit.bind(sequencer),
    validators: async (height: bigint) => [...(await sequencer.validators(height))],
  };
  const { get } = testApi({ store, sequencer: indexer, client });
  for (const height of [1, 2]) {
    const { status, body, response } = await get(`/v1/rollups/${CHAT}/evidence/${height}`);
    expect([status, response.headers.get('cache-control')]).toEqual([200, 'public, max-age=3600']);
    expect([body.data === null, body.absent === null]).toEqual(height === 1 ? [false, true] : [true, false]);
    const { signed, validators } = await sequencerEvidence(sequencer, BigInt(height), CHAT);
    expect(body.signedHeader).toBe(toHex(encodeSignedHeader(signed)));
    expect(body.validators).toEqual([{ publicKey: toHex(validators[0]?.publicKey ?? new Uint8Array()), power: '10' }]);
  }
  expect((await get(`/v1/rollups/${CHAT}/evidence/3`)).status).toBe(404);
  sequencer.away = true;
  expect((await get(`/v1/rollups/${CHAT}/evidence/1`)).status).toBe(503);
});

// Defect: a block was missing that the rollup had executed a moment before the explorer knew of it.
test('signed blocks are served in ranges within bounds, and read from the sequencer once', async () => {
  const fake = new FakeSequencer('chain');
  for (let height = 1; height <= 20; height += 1) fake.produce(CHAT, ...(height % 2 === 0 ? [`text ${height}`] : []));
  // A block of more than half of the longest answer.
  fake.produce(CHAT, 'x'.repeat(1_200_000));
  fake.produce(CHAT, 'y'.repeat(1_200_000));
  const client = {
    ...api.unreachable,
    filteredBlock: fake.filteredBlock.bind(fake),
    commit: fake.commit.bind(fake),
    validators: async (height: bigint) => [...(await fake.validators(height))],
  };
  let latest = 22;
  const state = () => ({ chainId: 'chain', height: latest, latest, problem: undefined });
  const changed = new Notifier();
  const { get } = testApi({ store, sequencer: { state, changed }, client });
  const fetch = async (url: string) => Response.json((await get(url.slice('http://explorer'.length))).body);
  const page = new SignedSource({ url: 'http://explorer', fetch }, CHAT);
  const read = async (from: bigint, limit: number) => {
    const { blocks, newest } = await page.blocks(from, limit);
    return { heights: blocks.map(({ block }) => Number(block.header.height)), newest };
  };
  const first = { heights: [3, 4, 5, 6, 7, 8, 9, 10, 11, 12], newest: 22n };
  expect(await Promise.all([read(3n, 10), read(3n, 10)])).toEqual([first, first]);
  expect(await read(4n, 2)).toEqual({ ...first, heights: [4, 5] });
  expect(fake.asked.filter((each) => each.startsWith('block'))).toHaveLength(10);
  for (const height of [3n, 4n]) {
    const { data } = (await page.evidence(height))();
    expect(data).toEqual((await sequencerEvidence(fake, height, CHAT)).data);
  }
  expect(await page.validators(3n)).toEqual(await fake.validators(3n));
  expect((await read(19n, 100)).heights).toEqual([19, 20, 21]);
  expect((await read(22n, 100)).heights).toEqual([22]);
  const news = setInterval(() => changed.notify());
  expect(await read(23n, 100)).toEqual({ heights: [], newest: 22n });
  const awaited = read(23n, 100);
  fake.produce(CHAT, 'a text');
  latest = 23;
  expect(await awaited).toEqual({ heights: [23], newest: 23n });
  clearInterval(news);
  for (const query of ['', '?from=0', '?from=1&limit=101', '?from=x'])
    expect((await get(`/v1/rollups/${CHAT}/signed-blocks${query}`)).status).toBe(400);
  fake.away = true;
  expect((await get(`/v1/rollups/${CHAT}/signed-blocks?from=7&limit=4`)).status).toBe(200);
  const later = testApi({ store, sequencer: { state, changed: new Notifier() }, client });
  expect((await later.get(`/v1/rollups/${CHAT}/signed-blocks?from=7`)).status).toBe(503);
});

test('every route is in the document, and every component that it names', async () => {
  const { body: document } = await api.get('/v1/openapi.json');
  expect(Object.keys(document.paths)).toEqual(
    expect.arrayContaining([
      ...['/v1/status', '/v1/events', '/v1/search', '/v1/trace/{hash}', '/v1/blocks/{block}', '/v1/charts'],
      ...['/v1/accounts/{address}', '/v1/bridges', '/v1/rollups/{rollup}/signed-blocks'],
      '/v1/rollups/{rollup}/proof/{height}/{position}',
      ...['/v1/rollups/{rollup}/evm/blocks', '/v1/rollups/{rollup}/evm/transactions/{hash}/trace'],
    ]),
  );
  const used = [...JSON.stringify(document).matchAll(/"#\/components\/schemas\/(\w+)"/g)].map(([, name]) => name);
  expect(used.filter((name) => !Object.hasOwn(document.components.schemas, String(name)))).toEqual([]);
  const ids = Object.values<Record<string, { operationId: string }>>(document.paths).flatMap((methods) =>
    Object.values(methods).map(({ operationId }) => operationId),
  );
  expect(new Set(ids).size).toBe(ids.length);
  expect((await api.get('/docs')).response.headers.get('content-type')).toContain('text/html');
});

/** The events of a stream as they come. */
async function* iterateEvents(response: Response): AsyncGenerator<{ readonly height: number }> {
  let text = '';
  for await (const chunk of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
    text += chunk;
    for (let end = text.indexOf('\n\n'); end >= 0; end = text.indexOf('\n\n')) {
      const data = /^data: (.*)$/m.exec(text.slice(0, end))?.[1];
      text = text.slice(end + 2);
      if (data !== undefined) yield JSON.parse(data);
    }
  }
}

test('a stream begins with the newest heights, and no change is missed', async () => {
  const { response } = await api.get('/v1/events');
  expect(response.headers.get('content-type')).toBe('text/event-stream');
  const events = iterateEvents(response);
  expect((await events.next()).value).toMatchObject({ height: chain.height });
  const before = chain.height;
  chain.add();
  // Right after an event, in the pause before the next one, and well before the sign of life of an idle stream.
  let height = 0;
  void events.next().then(({ value }) => {
    height = value?.height ?? 0;
  });
  await eventually(() => height === before + 1, 10_000);
  await events.return(undefined);
});

test('refuses an address one stream too many, and has a place again when a reader goes', async () => {
  const streams = await Promise.all(Array.from({ length: 256 }, () => api.get('/v1/events')));
  expect(new Set(streams.map(({ status }) => status))).toEqual(new Set([200]));
  const { status, body } = await api.get('/v1/events');
  expect([status, body.code]).toEqual([503, 'limit-reached']);
  // Everything else is still answered.
  expect((await api.get('/v1/status')).status).toBe(200);
  await streams[0]?.response.body?.cancel();
  const again = await eventually(async () => {
    const answer = await api.get('/v1/events');
    return answer.status === 200 ? answer : undefined;
  }, 30_000);
  for (const { response } of [...streams.slice(1), again]) await response.body?.cancel();
});

test('a block has its height of the layer, where that is known', async () => {
  const place = { height: 70, at: '2026-01-01T00:00:00.000Z' };
  const layer = { of: async () => new Map([[7, place]]) };
  const layered = testApi({ store, sequencer: indexer, layer });
  expect((await layered.get('/v1/blocks/7')).body.layer).toEqual(place);
  expect((await layered.get('/v1/blocks/8')).body.layer).toBeNull();
  const { items } = (await layered.get('/v1/blocks')).body;
  expect(items.filter((block: { layer: unknown }) => block.layer !== null)).toMatchObject([
    { height: 7, layer: place },
  ]);
  layered.stop();
  expect((await api.get('/v1/blocks/7')).body.layer).toBeNull();
});
