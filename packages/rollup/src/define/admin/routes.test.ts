import { decodeEnvelope, formatAddress, fromHex, signEnvelope, verifyEnvelope } from '@switchyard/protocol';
import type { Hono } from 'hono';
import { afterEach, expect, test } from 'vitest';
import { bool } from '../../schema/scalars.ts';
import { notesRollup } from '../../testing/notes.ts';
import { signers } from '../../testing/tally.ts';
import { testNode } from '../../testing/test-node.ts';
import { testRollup } from '../../testing/test-rollup.ts';
import { action, defineRollup } from '../definition.ts';
import { toRollup } from '../rollup-of.ts';
import { single } from '../table.ts';

const [alice] = signers;
/** A key of the development accounts, published in the documentation. */
const PUBLISHED = '2bd806c97f0e00af1a1fc3328fa763a9269723c8db8fac4f93af71db186d6e90';
const GENESIS = JSON.stringify({
  rollup_name: 'notes',
  sequencer_chain_id: 'sequencer-0',
  canonical_transactions: true,
});

const stopping: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const stop of stopping.splice(0)) await stop();
});

async function start() {
  const node = await testRollup(notesRollup, GENESIS);
  stopping.push(() => node.stop());
  const post = async (path: string, fields: Readonly<Record<string, string>>, env?: object) => {
    const body = new URLSearchParams(fields).toString();
    const response = await node.app.request(path, { method: 'POST', body }, env);
    return { status: response.status, text: await response.text() };
  };
  return { ...node, post };
}

const bodyIn = (bytes: Uint8Array | undefined) =>
  notesRollup.body.decode(decodeEnvelope(bytes ?? new Uint8Array(), notesRollup.typeUrl).body);

test('the page lists actions, queries and tables, and its only script is a file of the node', async () => {
  const node = await start();
  const response = await node.app.request('/admin');
  expect(response.headers.get('content-security-policy')).toMatch(/default-src 'none'.*form-action 'self'/);
  const text = await response.text();
  for (const link of ['/admin/actions/post', '/admin/queries/notesOf', '/admin/tables/times', notesRollup.fingerprint])
    expect(text).toContain(link);
  expect(text.match(/<script.*?>/g)).toEqual(['<script type="module" src="/admin/live.js">']);
  const script = await node.app.request('/admin/live.js');
  expect(script.headers.get('cache-control')).toBe('max-age=3600');
  expect((await script.text()).length).toBeLessThan(2_000);
});

// Defect: the address that npm start printed answered 404 and JSON
test('the address of a rollup leads to its page, unless it has one of its own', async () => {
  const node = await start();
  const answer = await node.app.request('/');
  expect([answer.status, answer.headers.get('location')]).toEqual([302, '/admin']);
  const routes = (app: Hono) => void app.get('/', (c) => c.text('my page'));
  const own = await testNode(toRollup(notesRollup, GENESIS, undefined, undefined, () => ({ routes })));
  stopping.push(() => own.stop());
  expect(await (await own.app.request('/')).text()).toBe('my page');
});

// Defect: The page of a rollup had headings with nothing below them
test('a rollup without queries and tables has no headings for them', async () => {
  const node = await testRollup(
    defineRollup({ name: 'bare', actions: { a: action({ fields: {}, execute: () => {} }) } }),
    GENESIS,
  );
  stopping.push(() => node.stop());
  const text = await (await node.app.request('/admin')).text();
  expect([...text.matchAll(/<h2>(.*?)<\/h2>/g)].map(([, title]) => title)).toEqual(['Actions']);
});

test('an action is signed with a published key, and shows in tables and queries', async () => {
  const node = await start();
  const fields = { 'field.text': '<b>&"bold"', 'field.tags': '["x"]' };
  const accepted = await node.post('/admin/actions/post', { ...fields, key: PUBLISHED });
  const [, hash, query] =
    /Accepted: transaction <a href="\/v1\/transactions\/([0-9a-f]{64})\?(firstBlock=1&amp;lastBlock=64)">/.exec(
      accepted.text,
    ) ?? [];
  expect(bodyIn(node.composer.queued[0])).toMatchObject({ lastBlock: 64n });
  await node.block();
  const outcome = await node.get(`/v1/transactions/${hash}?${query?.replace('&amp;', '&')}`);
  expect(outcome.body).toMatchObject({ block: 1 });
  const { text } = await node.get('/admin/tables/notes');
  expect(text).toContain('[&quot;0&quot;]');
  expect(text).toContain('&lt;b&gt;&amp;');
  expect(text).not.toContain('<b>&');
  expect((await node.get('/admin/queries/note?field.id=0')).text).toContain('&quot;tags&quot;');
  expect((await node.get('/admin/queries/note?field.id=9')).text).toContain('nothing of these parameters');
  expect((await node.get('/admin/queries/note')).text).toContain('name="field.id"');
  const wanted = await node.get(`/admin/queries/notesOf?field.owner=${formatAddress(alice.account)}&field.newest=true`);
  expect(wanted.text).toContain(
    '<select name="field.newest"><option></option><option>false</option><option selected>true<',
  );
});

test('what the page has signed expires where no block has it in time, and its outcome states so', async () => {
  const node = await start();
  const { text } = await node.post('/admin/actions/remove', { 'field.id': '1', key: PUBLISHED });
  const [, outcome = ''] = /Accepted: transaction <a href="([^"]+)">/.exec(text) ?? [];
  // The block that has it is none of the first 64.
  node.composer.sequence(100n);
  for (let made = 0; made < 64; made += 1) await node.block({ data: [] });
  expect((await node.get(outcome.replace('&amp;', '&'))).body).toMatchObject({ state: 'expired' });
});

test('a bool is a switch, whose form sends nothing where it is off', async () => {
  const light = single({ name: 'light', value: bool, absent: true });
  const turn = action({ fields: { isOn: bool }, execute: ({ isOn }, { state }) => light.put(state, isOn) });
  const house = defineRollup({ name: 'house', tables: [light], actions: { turn: { ...turn, help: 'the light' } } });
  const node = await testRollup(house, GENESIS);
  stopping.push(() => node.stop());
  const { text } = await node.get('/admin/actions/turn');
  expect(text).toMatch(/<p>the light<\/p>.*role="switch" name="field.isOn" value="true">/);
  for (const [body, isOn] of [
    [{ key: PUBLISHED }, false],
    [{ key: PUBLISHED, 'field.isOn': 'true' }, true],
  ] as const) {
    await node.app.request('/admin/actions/turn', { method: 'POST', body: new URLSearchParams(body).toString() });
    await node.block();
    expect(light.get(node.chain.view.snapshot)).toBe(isOn);
  }
});

test('the bytes that are shown are those to sign', async () => {
  const node = await start();
  const account = formatAddress(alice.account);
  const { text } = await node.get(`/admin/actions/remove?field.id=7&account=${account}`);
  const shown = (part: string) => fromHex(new RegExp(`<td>${part}</td><td>([0-9a-f]+)</td>`).exec(text)?.[1] ?? '');
  const bytes = signEnvelope(notesRollup.typeUrl, shown('body'), alice);
  expect(text).toContain(notesRollup.typeUrl);
  expect((await node.client.rollup.submit(bytes)).hash).toMatch(/^[0-9a-f]{64}$/);
  const sent = decodeEnvelope(node.composer.queued[0] ?? new Uint8Array(), notesRollup.typeUrl);
  expect(() => verifyEnvelope({ ...sent, signature: alice.sign(shown('bytes to sign')) })).not.toThrow();
});

test.each([
  [
    'another key than a published one',
    { 'field.id': '1', key: '01'.repeat(32) },
    400,
    'key: expected a published development key',
  ],
  ['no key', { 'field.id': '1' }, 400, 'private key'],
  [
    'a field that is none',
    { 'field.id': 'x', key: PUBLISHED },
    400,
    'id: expected a whole number from 0 to 2^64 - 1, got &quot;x&quot;',
  ],
  ['a field that is missing', { key: PUBLISHED }, 400, 'id: expected a value of type u64, got nothing'],
])('the page reports %s, and nothing is submitted', async (_, fields, status, message) => {
  const node = await start();
  const answer = await node.post('/admin/actions/remove', fields);
  expect(answer.status).toBe(status);
  expect(answer.text).toContain(message);
  expect(answer.text).not.toContain('0101');
  expect(node.composer.queued).toEqual([]);
});

test('a node signs for no client of another machine', async () => {
  const node = await start();
  const env = { incoming: { headers: {}, socket: { remoteAddress: '192.0.2.7' } } };
  const { status, text } = await node.post('/admin/actions/remove', { 'field.id': '1', key: PUBLISHED }, env);
  expect(status).toBe(403);
  expect(text).toContain('this node signs for clients on its own machine alone');
  expect(await (await node.app.request('/admin/actions/remove', {}, env)).text()).not.toContain('Sign and submit');
  expect((await node.get('/admin/actions/remove')).text).toContain('Sign and submit');
});

test('rows come in pages, and what is not there is 404', async () => {
  const node = await start();
  for (let at = 0; at < 51; at += 1)
    await node.client.submit.post({ text: 'x', tags: [] }, alice, { until: 'accepted' });
  await node.block();
  const { text } = await node.get('/admin/tables/notes');
  const [, next = ''] = /<a href="([^"]+)">Next rows/.exec(text) ?? [];
  const { text: second } = await node.get(next);
  expect(second).toContain('[&quot;50&quot;]');
  expect(second).not.toContain('Next rows');
  for (const path of ['actions/x', 'queries/x', 'tables/x', 'actions/toString'])
    expect((await node.get(`/admin/${path}`)).status).toBe(404);
});
