import { rollupClient } from '@switchyard/client/rollup';
import { afterEach, expect, test } from 'vitest';
import { findMessages } from '../client/queries.ts';
import {
  ALICE,
  alice,
  BOB,
  bob,
  CAROL,
  deposit,
  type MessengerNodeOptions,
  messengerNode,
  text,
  transfer,
} from '../testing/messenger.ts';
import { describeContract } from './contract.suite.ts';

const nodes: { stop(): Promise<void> }[] = [];
afterEach(async () => {
  for (const node of nodes.splice(0)) await node.stop();
});
async function started(options?: MessengerNodeOptions) {
  const node = await messengerNode(options);
  nodes.push(node);
  const { request } = await describeContract(node.app);
  const get = async (path: string) => {
    const response = await request(path);
    return { status: response.status, body: (await response.json()) as Record<string, unknown> };
  };
  return { node, get };
}
interface Page {
  readonly messages: readonly { readonly id: number; readonly message: string }[];
  readonly older: number | null;
  readonly newer: number;
}

test('messages come newest first, in pages of both directions', async () => {
  const { node, get } = await started();
  await node.block({ data: Array.from({ length: 9 }, (_, nonce) => text(nonce, alice, `text ${nonce + 1}`)) });
  const page = async (query: string) => {
    const { messages, ...cursors } = (await get(`/v1/messages?${query}`)).body as unknown as Page;
    return { ids: messages.map(({ id }) => id), ...cursors };
  };
  expect(await page('limit=4')).toEqual({ ids: [9, 8, 7, 6], older: 6, newer: 9, total: 10 });
  expect(await page('limit=4&before=6')).toEqual({ ids: [5, 4, 3, 2], older: 2, newer: 5, total: 10 });
  expect(await page('limit=4&before=2')).toEqual({ ids: [1, 0], older: null, newer: 1, total: 10 });
  expect(await page('limit=4&after=2')).toEqual({ ids: [6, 5, 4, 3], older: 3, newer: 6, total: 10 });
  expect(await page('limit=4&after=9')).toEqual({ ids: [], older: null, newer: 9, total: 10 });
  expect((await get('/v1/messages/3')).body).toMatchObject({ id: 3, message: 'text 3', address: ALICE });
  expect((await get('/v1/messages/99')).status).toBe(404);
});

test('the client reads every message in pages, and what is found', async () => {
  const { node } = await started();
  await node.block({ data: Array.from({ length: 9 }, (_, nonce) => text(nonce, alice, `text ${nonce + 1}`)) });
  const client = rollupClient({ url: '', fetch: async (path) => node.app.request(path) });
  const ids: (bigint | undefined)[] = [];
  let page = await findMessages(client, { limit: 4 });
  for (;;) {
    ids.push(...page.messages.map(({ id }) => id));
    if (page.older === undefined) break;
    page = await findMessages(client, { limit: 4, before: page.older });
  }
  expect(ids).toEqual([9n, 8n, 7n, 6n, 5n, 4n, 3n, 2n, 1n, 0n]);
  expect(await findMessages(client, { sender: ALICE, q: 'text 7' })).toMatchObject({
    messages: [{ id: 7n, message: 'text 7', address: ALICE }],
    older: undefined,
    total: 10n,
  });
  await expect(findMessages(client, { q: '!' })).rejects.toMatchObject({ status: 400, code: 'malformed' });
});

test('messages are found by their words and by who signed them', async () => {
  const { node, get } = await started();
  await node.block({
    data: [text(0, alice, 'The quick brown fox'), text(1, alice, 'a slow fox', 'Fox Fan'), text(0, bob, 'nothing')],
  });
  const ids = async (query: string) =>
    ((await get(`/v1/messages?${query}`)).body as unknown as Page).messages.map(({ id }) => id);
  expect(await ids('q=FOX')).toEqual([2, 1]);
  expect(await ids('q=fox+quick')).toEqual([1]);
  expect(await ids('q=fan')).toEqual([2]);
  expect(await ids('q=fo')).toEqual([]);
  expect(await ids(`sender=${BOB}`)).toEqual([3]);
  expect(await ids(`sender=${ALICE}&q=slow`)).toEqual([2]);
  expect(await ids(`sender=${BOB}&q=fox`)).toEqual([]);
});

test.each([
  'q=',
  'q=%20!',
  `q=${'x'.repeat(257)}`,
  `q=${'a+b+c+d+e+f+g+h+i+j+k+l+m+n+o+p+q'}`,
  'sender=x',
  'limit=201',
])('a search with %s is refused', async (query) => {
  const { get } = await started();
  expect(await get(`/v1/messages?${query}`)).toMatchObject({ status: 400, body: { code: 'malformed' } });
});

test('many messages are searched with the index, whatever is kept of it, and the state is the same', async () => {
  const roots: unknown[] = [];
  for (const retainSearch of [undefined, 600n]) {
    const { node, get } = await started(retainSearch === undefined ? {} : { settings: { retainSearch } });
    for (let sent = 0; sent < 1_800; sent += 150) {
      await node.block({
        data: Array.from({ length: 150 }, (_, index) => text(sent + index, alice, `word ${sent + index} n${index}`)),
      });
    }
    const { body } = await get('/v1/messages?q=n7&limit=200');
    const found = (body as unknown as Page).messages.map(({ message }) => message);
    const all = Array.from({ length: 12 }, (_, block) => `word ${(11 - block) * 150 + 7} n7`);
    expect(found).toEqual(retainSearch === undefined ? all : all.slice(0, found.length));
    expect(found.length).toBeGreaterThanOrEqual(retainSearch === undefined ? 12 : 4);
    if (retainSearch !== undefined) expect(found.length).toBeLessThan(12);
    roots.push((await get('/v1/blocks/12')).body);
  }
  expect(roots[0]).toEqual(roots[1]);
});

test('what an account sent and received is its history', async () => {
  const { node, get } = await started();
  await node.block({ data: [transfer(0, alice, BOB, 5n)], deposits: [deposit({ amount: 9n })] });
  await node.block({ data: [transfer(0, bob, CAROL, 2n), text(1, alice)] });
  const { body } = await get(`/v1/accounts/${BOB}/history`);
  expect(body).toMatchObject({
    entries: [
      { id: 2, kind: 'transfer', block: 2, from: BOB, to: CAROL, asset: 'nria', amount: '2' },
      { id: 1, kind: 'transfer', block: 1, from: ALICE, to: BOB, asset: 'nria', amount: '5' },
      { id: 0, kind: 'deposit', block: 1, from: CAROL, to: BOB, asset: 'ntia', amount: '9' },
    ],
    older: null,
    newer: 2,
  });
  expect((await get(`/v1/accounts/${ALICE}/history?limit=1`)).body).toMatchObject({ entries: [{ id: 1 }] });
  expect((await get('/v1/accounts/x/history')).status).toBe(400);
});

test('an account without a history has an empty one', async () => {
  const { get } = await started();
  expect((await get(`/v1/accounts/${BOB}/history`)).body).toEqual({ entries: [], older: null, newer: null });
});

test('deposits are listed with the account that got them, or the reason why none did', async () => {
  const { node, get } = await started();
  expect((await get('/v1/deposits')).body).toEqual({ deposits: [], older: null, newer: null });
  await node.block({ deposits: [deposit({ destination: 'nowhere' }), deposit({ amount: 4n })] });
  expect((await get('/v1/deposits')).body).toMatchObject({
    deposits: [
      { id: 1, state: 'refused', account: null, destination: 'nowhere', reason: expect.stringContaining('address') },
      { id: 0, state: 'credited', account: BOB, amount: '4', reason: null },
    ],
    older: null,
    newer: 1,
  });
});
