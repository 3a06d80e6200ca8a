import { Validator } from '@seriousme/openapi-schema-validator';
import { txHashOf } from '@switchyard/protocol';
import { afterEach, expect, test } from 'vitest';
import { ALICE, alice, BOB, CAROL, deposit, messengerNode, text } from '../testing/messenger.ts';
import { describeContract } from './contract.suite.ts';

const nodes: { stop(): Promise<void> }[] = [];
afterEach(async () => {
  for (const node of nodes.splice(0)) await node.stop();
});
async function started() {
  const node = await messengerNode();
  nodes.push(node);
  return { node, ...(await describeContract(node.app)) };
}
const base64 = (bytes: Uint8Array) => Buffer.from(bytes).toString('base64');
const json = (body: unknown) => ({
  method: 'POST',
  headers: { 'content-type': 'application/json' },
  body: typeof body === 'string' ? body : JSON.stringify(body),
});
const octets = (bytes: Uint8Array) => ({ method: 'POST', body: Uint8Array.from(bytes) });

const getBody = async (response: Response) => (await response.json()) as Readonly<Record<string, unknown>>;

test('the document is one of OpenAPI 3.1', async () => {
  const { document } = await started();
  const validator = new Validator();
  const { valid, errors } = await validator.validate(structuredClone(document) as never);
  expect(errors).toBeUndefined();
  expect([valid, validator.version, document.openapi]).toEqual([true, '3.1', '3.1.1']);
});

test('what is no document of OpenAPI is found out', async () => {
  const { document } = await started();
  const { valid } = await new Validator().validate({ ...structuredClone(document), info: {} } as never);
  expect(valid).toBe(false);
});

test('every operation has a name of its own, and every parameter of a path is described', async () => {
  const { document } = await started();
  const operations = Object.entries(document.paths).flatMap(([url, methods]) =>
    Object.values(methods).map((operation) => ({ url, ...operation })),
  );
  expect(new Set(operations.map(({ operationId }) => operationId)).size).toBe(operations.length);
  for (const { url, parameters } of operations) {
    const named = [...url.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
    expect(parameters.filter((each) => each.in === 'path').map(({ name }) => name)).toEqual(named);
  }
});

// Defect: Status of the messenger was not in its document
test.each([
  '/v1/status',
  '/v1/blocks',
  '/v1/blocks?limit=1&before=2',
  '/v1/blocks/1',
  '/v1/deposits/skipped',
  '/v1/texts',
  '/v1/texts/1',
  `/v1/accounts/${ALICE}`,
  `/v1/accounts/${ALICE}?proof`,
  '/v1/messages/1',
  '/v1/messages/1?proof',
  `/v1/state/nonces/${ALICE}`,
  '/v1/state/balances?limit=1',
  `/v1/state/balances/${ALICE}/nria?proof`,
  '/v1/openapi.json',
])('%s is answered as described', async (path) => {
  const { node, request } = await started();
  const refused = [text(9, alice), deposit({ destination: 'x' })];
  await node.block({ data: [text(0, alice), refused[0] as Uint8Array], deposits: [deposit(), refused[1] as never] });
  expect((await request(path)).status).toBe(200);
});

test.each([
  ['/v1/blocks/9', 404, 'not-found'],
  ['/v1/blocks/x', 400, 'malformed'],
  ['/v1/blocks/18446744073709551616', 400, 'malformed'],
  ['/v1/blocks?limit=0', 400, 'malformed'],
  ['/v1/blocks?limit=1e1', 400, 'malformed'],
  ['/v1/blocks?before=-1', 400, 'malformed'],
  ['/v1/deposits/skipped?limit=1001', 400, 'malformed'],
  ['/v1/texts?after=x', 400, 'malformed'],
  ['/v1/texts/99', 404, 'not-found'],
  ['/v1/accounts/nope', 400, 'malformed'],
  ['/v1/transactions/12', 400, 'malformed'],
  [`/v1/transactions/${'ab'.repeat(32)}`, 404, 'not-found'],
  [`/v1/transactions/${'ab'.repeat(32)}?wait=later`, 400, 'malformed'],
  [`/v1/transactions/${'ab'.repeat(32)}?timeoutMs=60001`, 400, 'malformed'],
  ['/v1/messages?cursor=12', 400, 'malformed'],
  ['/v1/status?verbose', 400, 'malformed'],
])('%s is answered %i with a problem document', async (path, status, code) => {
  const { request } = await started();
  const response = await request(path);
  expect([response.status, response.headers.get('content-type')]).toEqual([status, 'application/problem+json']);
  // `error` is for clients from before problem documents.
  expect(await response.json()).toMatchObject({ status, code, error: { code } });
});

test('every route refuses query parameters that it does not know, and names those that it does', async () => {
  const { node, document } = await started();
  for (const [url, methods] of Object.entries(document.paths)) {
    for (const method of Object.keys(methods)) {
      const path = `${url.replaceAll(/\{\w+\}/g, '1')}?cursor=1`;
      const response = await node.app.request(path, { method: method.toUpperCase() });
      expect({ path, ...(await getBody(response)) }).toMatchObject({ status: 400, facts: { field: 'cursor' } });
    }
  }
  const { detail } = await getBody(await node.app.request('/v1/messages?cursor=1'));
  expect(detail).toBe('"cursor": unknown query parameter, expected only before, after, limit, sender, q');
});

test('another method on a documented path is answered with those that it has', async () => {
  const { request } = await started();
  const response = await request('/v1/blocks', { method: 'DELETE' });
  expect([response.status, response.headers.get('allow')]).toEqual([405, 'GET, HEAD, OPTIONS']);
  expect((await request('/v1/transactions')).headers.get('allow')).toBe('POST, OPTIONS');
});

test('an unknown route below /v1 is a problem document, elsewhere it has the form of the original', async () => {
  const { node } = await started();
  const types = await Promise.all(
    ['/v1/nowhere', '/nowhere'].map(async (path) => (await node.app.request(path)).headers.get('content-type')),
  );
  expect(types).toEqual(['application/problem+json', 'application/json']);
});

test('a transaction is submitted as bytes or in JSON, alone or with others', async () => {
  const { node, request } = await started();
  const [first, second, third, fourth] = [0, 1, 2, 3].map((nonce) => text(nonce, alice));
  if (!first || !second || !third || !fourth) throw new Error('no texts');
  expect(await (await request('/v1/transactions', octets(first))).json()).toEqual({ hash: txHashOf(first) });
  expect(await (await request('/v1/transactions', json({ transaction: base64(second) }))).json()).toEqual({
    hash: txHashOf(second),
  });
  const many = json({ transactions: [base64(third), base64(text(9, alice)), base64(fourth)] });
  const response = await request('/v1/transactions', many);
  expect(response.status).toBe(202);
  expect(await response.json()).toMatchObject({
    accepted: 2,
    hashes: [txHashOf(third), null, txHashOf(fourth)],
    refused: [{ index: 1, code: 'nonce-too-high' }],
  });
  await node.block();
  for (const bytes of [first, second, third, fourth]) {
    expect(await (await request(`/v1/transactions/${txHashOf(bytes)}`)).json()).toMatchObject({ state: 'firm' });
  }
});

test.each([
  ['no JSON', '{'],
  ['no object', '[]'],
  ['neither member', {}],
  ['both members', { transaction: 'AAAA', transactions: ['AAAA'] }],
  ['no transactions', { transactions: [] }],
  ['a member that it does not have', { transaction: 'AAAA', fee: 1 }],
  ['no base64', { transaction: 'A*A=' }],
  ['base64 without its padding', { transaction: 'AAA' }],
  ['bytes that are no transaction', { transaction: 'AAAA' }],
  ['nesting without end', '['.repeat(100_000)],
])('a body with %s is refused', async (_, body) => {
  const { request } = await started();
  const response = await request('/v1/transactions', json(body));
  expect([response.status, (await getBody(response)).code]).toEqual([400, 'malformed']);
});

test('what cannot be accepted is a problem with the reason', async () => {
  const { node, request } = await started();
  await node.block({ data: [text(0, alice)] });
  const code = async (bytes: Uint8Array) => (await getBody(await request('/v1/transactions', octets(bytes)))).code;
  expect(await code(text(0, alice, 'another'))).toBe('nonce-too-low');
  node.composer.mode = 'full';
  expect(await code(text(1, alice))).toBe('unavailable');
});

test('a client that has what never changes does not get it again', async () => {
  const { node, request } = await started();
  await node.block({ data: [text(0, alice)] });
  for (const path of ['/v1/texts/1', '/v1/blocks/1', `/v1/transactions/${txHashOf(text(0, alice))}`]) {
    const first = await request(path);
    const etag = first.headers.get('etag') ?? 'none';
    expect([path, first.headers.get('cache-control'), etag.length > 10]).toEqual([path, 'no-cache', true]);
    const again = await request(path, { headers: { 'if-none-match': `"other", W/${etag}` } });
    expect([path, again.status, await again.text()]).toEqual([path, 304, '']);
    expect((await request(path, { headers: { 'if-none-match': '"other"' } })).status).toBe(200);
  }
});

test('blocks are paged in both directions without a gap', async () => {
  const { node, request } = await started();
  for (let made = 0; made < 7; made += 1) await node.block();
  const page = async (query: string) => {
    const body = await getBody(await request(`/v1/blocks?${query}`));
    return { ...body, blocks: (body.blocks as { number: number }[]).map(({ number }) => number) };
  };
  expect(await page('limit=3')).toEqual({ blocks: [7, 6, 5], older: 5, newer: 7 });
  expect(await page('limit=3&before=5')).toEqual({ blocks: [4, 3, 2], older: 2, newer: 4 });
  expect(await page('limit=3&before=2')).toEqual({ blocks: [1], older: null, newer: 1 });
  expect(await page('limit=3&after=1')).toEqual({ blocks: [4, 3, 2], older: 2, newer: 4 });
  expect(await page('limit=3&after=7')).toEqual({ blocks: [], older: null, newer: 7 });
  expect(await page('limit=100&after=2&before=5')).toEqual({ blocks: [4, 3], older: 3, newer: 4 });
});

test('the page at /docs has examples by its contracts, and needs nothing of another host', async () => {
  const { node, document } = await started();
  const response = await node.app.request('/docs');
  const page = await response.text();
  const expressions = Object.values(document.paths).map(({ get }) => Object(get)['x-contract']?.expression);
  expect(expressions).toEqual(expect.arrayContaining(['listBlocks', 'getMessage']));
  expect(page).not.toMatch(/style="/);
  expect(response.headers.get('content-security-policy')).toContain("default-src 'none'");
  const loaded = [...page.matchAll(/<(?:link|script)\b[^>]*?(?:href|src)="([^"]+)"/g)].map(([, path]) => path ?? '');
  const types = await Promise.all(
    loaded.map(async (path) => (await node.app.request(path)).headers.get('content-type')),
  );
  expect(types.map((type) => type?.split(';')[0]).sort()).toEqual([
    'application/json',
    'application/json',
    'image/svg+xml',
    'text/css',
    'text/javascript',
  ]);
});

test('accounts without a transaction have zeros', async () => {
  const { request } = await started();
  expect(await (await request(`/v1/accounts/${CAROL}`)).json()).toEqual({
    address: CAROL,
    nonce: 0,
    pendingNonce: 0,
    balances: [],
  });
  expect((await request(`/v1/accounts/${BOB}`)).status).toBe(200);
});
