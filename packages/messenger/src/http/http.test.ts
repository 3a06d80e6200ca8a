import { afterEach, expect, test } from 'vitest';
import {
  ALICE,
  alice,
  BOB,
  bob,
  CAROL,
  carol,
  deposit,
  FUNDS,
  messengerNode,
  text,
  transfer,
} from '../testing/messenger.ts';

const nodes: { stop(): Promise<void> }[] = [];
afterEach(async () => {
  for (const node of nodes.splice(0)) await node.stop();
});
async function started() {
  const node = await messengerNode();
  nodes.push(node);
  return node;
}
const texts = (count: number, from = 0) =>
  Array.from({ length: count }, (_, index) => text(from + index, alice, `text ${from + index + 1}`));

test('a new node has one text', async () => {
  const node = await started();
  expect((await node.get('/recent')).body).toEqual([
    {
      id: 0,
      sender: 'astria',
      message: 'hello world',
      address: null,
      block: 0,
      time: '1970-01-01T00:00:00Z',
      hash: null,
    },
  ]);
  expect((await node.get('/get_text_from_id/0')).body).toBe('astria:hello world');
});

test('a message has its name, its text and its signer in separate members', async () => {
  const node = await started();
  await node.block({ data: [text(0, bob, 'b:hi', 'a:b')] });
  expect((await node.get('/recent')).body).toMatchObject([
    { id: 0 },
    {
      id: 1,
      sender: 'a:b',
      message: 'b:hi',
      address: BOB,
      block: 1,
      time: '2023-11-14T22:13:21Z',
      hash: expect.any(String),
    },
  ]);
});

test('balances and nonces are quoted decimals', async () => {
  const node = await started();
  await node.block({ data: [text(0, alice)] });
  expect((await node.get(`/get_account_balance/${ALICE}/nria`)).text).toBe(`"${FUNDS - 1n}"`);
  expect((await node.get(`/get_account_balance/${CAROL}/nria`)).text).toBe('"0"');
  expect((await node.get(`/get_account_nonce/${ALICE}`)).text).toBe('"1"');
});

test('the nonce counts pending transactions, unless the committed one is asked for', async () => {
  const node = await started();
  await node.post('/submit_transaction', text(0, alice));
  expect((await node.get(`/get_account_nonce/${ALICE}`)).text).toBe('"1"');
  expect((await node.get(`/get_account_nonce/${ALICE}?state=committed`)).text).toBe('"0"');
});

// Defect: Keys without an account had the composer pay for transfers of 0
test('the composer is made to pay for a transfer of nothing only by an account that holds something', async () => {
  const node = await started();
  const submit = async (bytes: Uint8Array) => (await node.post('/submit_transaction', bytes)).status;
  const nothing = transfer(0, carol, BOB, 0n);
  expect([
    await submit(nothing),
    await submit(transfer(0, bob, ALICE, 0n)),
    await submit(transfer(0, alice, BOB, FUNDS)),
    await submit(transfer(1, alice, BOB, 0n)),
  ]).toEqual([422, 200, 200, 422]);
  // A rule of the intake: the chain executes it if its sender has paid the sequencer.
  await node.block({ data: [nothing] });
  expect(node.chain.view.block).toMatchObject({ executed: 3, refused: 0 });
});

test('assets with slashes can be asked for in every way', async () => {
  const node = await started();
  await node.block({ deposits: [deposit({ asset: 'transfer/channel-0/utia', amount: 9n })] });
  const id = 'c3e53d20bc7a4cc993b17c7971f8ecd06a433c10b6a96f4c4c3714f0624c56da';
  for (const path of [
    `${BOB}/transfer%2Fchannel-0%2Futia`,
    `${BOB}/transfer/channel-0/utia`,
    `${BOB}/ibc%2F${id}`,
    `${BOB}/ibc/${id.toUpperCase()}`,
    `${BOB}?asset=transfer/channel-0/utia`,
    `${BOB}?asset=ibc%2F${id}`,
  ]) {
    expect([path, (await node.get(`/get_account_balance/${path}`)).text]).toEqual([path, '"9"']);
  }
});

test.each([
  ['/get_account_balance/astria1nope/nria', 400, 'malformed'],
  [`/get_account_balance/${ALICE}/a%2Fb`, 400, 'malformed'],
  [`/get_account_balance/${ALICE}`, 400, 'malformed'],
  ['/get_account_nonce/0x12', 400, 'malformed'],
  [`/get_account_nonce/${ALICE}?state=later`, 400, 'malformed'],
  ['/get_text_from_id/x', 400, 'malformed'],
  ['/get_text_from_id/99', 404, 'not-found'],
  ['/get_text_from_id/18446744073709551616', 400, 'malformed'],
  ['/v1/texts/99', 404, 'not-found'],
  ['/v1/texts?limit=0', 400, 'malformed'],
  ['/v1/texts?limit=1001', 400, 'malformed'],
  ['/v1/texts?after=-1', 400, 'malformed'],
  ['/recent?limit=x', 400, 'malformed'],
  ['/v1/accounts/not-an-account', 400, 'malformed'],
  ['/v1/blocks/9', 404, 'not-found'],
  ['/v1/transactions/12', 400, 'malformed'],
  ['/nowhere', 404, 'not-found'],
])('%s is answered %i with a reason', async (path, status, code) => {
  const node = await started();
  const answer = await node.get(path);
  expect([answer.status, answer.body]).toMatchObject([status, { error: { code, message: expect.any(String) } }]);
});

test('the unsigned route tells callers to sign', async () => {
  const node = await started();
  const { status, body } = await node.post('/message', '{"sender": "a", "message": "b"}');
  expect([status, body]).toMatchObject([410, { error: { message: expect.stringContaining('sign') } }]);
});

test('a development node signs messages of any client, each with its own nonce', async () => {
  const node = await messengerNode({ settings: { isDevelopment: true } });
  nodes.push(node);
  const post = (message: string) =>
    node.app.request('/message', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ sender: 'web', message, more: 1 }),
    });
  const answers = await Promise.all(['hi', 'say "hi"', 'third'].map(post));
  expect(await Promise.all(answers.map((answer) => answer.json()))).toEqual([
    'text "hi" submitted to sequencer',
    'text "say \\"hi\\"" submitted to sequencer',
    'text "third" submitted to sequencer',
  ]);
  await node.block();
  expect((await node.get('/recent')).body).toMatchObject([
    { id: 0 },
    { sender: 'web', message: 'hi', address: ALICE },
    { message: 'say "hi"' },
    { message: 'third' },
  ]);
  expect((await node.get('/v1/status')).body).toMatchObject({ unsignedMessages: true });
});

test.each([
  ['{', 400, 'malformed'],
  ['{"sender": "a"}', 400, 'malformed'],
  ['{"sender": 1, "message": "b"}', 400, 'malformed'],
  ['{"sender": "a", "message": ""}', 400, 'empty'],
  [JSON.stringify({ sender: 'a', message: 'x'.repeat(2_001) }), 413, 'too-large'],
])('a development node refuses the message %.40s', async (body, status, code) => {
  const node = await messengerNode({ settings: { isDevelopment: true } });
  nodes.push(node);
  const headers = { 'content-type': 'application/json' };
  const response = await node.app.request('/message', { method: 'POST', headers, body });
  expect([response.status, await response.json()]).toMatchObject([status, { error: { code } }]);
  const typed = { method: 'POST', headers: { 'content-type': 'text/html' }, body };
  expect((await node.app.request('/message', typed)).status).toBe(415);
});

test('the newest thousand by default, other pages when asked', async () => {
  const node = await started();
  for (let sent = 0; sent < 1_100; sent += 100) await node.block({ data: texts(100, sent) });
  const ids = async (path: string) => {
    const { body } = await node.get(path);
    return (Array.isArray(body) ? body : (body as { texts: unknown[] }).texts).map((each: { id: number }) => each.id);
  };
  const recent = await ids('/recent');
  expect([recent.length, recent[0], recent.at(-1)]).toEqual([1_000, 101, 1_100]);
  expect(await ids('/recent?limit=2')).toEqual([1_099, 1_100]);
  expect(await ids('/recent?after=4&limit=3')).toEqual([5, 6, 7]);
  expect(await ids('/recent?after=1100')).toEqual([]);
  expect(await ids('/v1/texts?limit=2')).toEqual([1_099, 1_100]);
  expect(await ids('/v1/texts?after=62&limit=3')).toEqual([63, 64, 65]);
  expect(await ids('/v1/texts?before=3')).toEqual([0, 1, 2]);
  expect(await ids('/v1/texts?before=500&limit=2')).toEqual([498, 499]);
  expect(await ids('/v1/texts?after=3&before=6')).toEqual([4, 5]);
  expect(await ids('/v1/texts?after=2000')).toEqual([]);
  expect((await node.get('/v1/texts/777')).body).toMatchObject({ id: 777, message: 'text 777' });
  expect((await node.get('/v1/texts?limit=1')).body).toMatchObject({ total: 1_101 });
});

test('an account shows its nonces and all it holds, by name', async () => {
  const node = await started();
  await node.block({ data: [text(0, bob)], deposits: [deposit({ amount: 3n })] });
  await node.post('/submit_transaction', text(1, bob));
  expect((await node.get(`/v1/accounts/${BOB}`)).body).toEqual({
    address: BOB,
    nonce: 1,
    pendingNonce: 2,
    balances: expect.arrayContaining([
      { asset: 'nria', amount: String(FUNDS - 1n) },
      { asset: 'ntia', amount: '3' },
    ]),
  });
});

test('status counts the texts', async () => {
  const node = await started();
  await node.block({ data: texts(2) });
  expect((await node.get('/v1/status')).body).toMatchObject({
    rollup: 'astria-chat',
    chainId: 'astria-chat',
    texts: 3,
    nativeAsset: 'nria',
  });
});

/** Reads frames of an event stream until there are as many as asked for. */
async function frames(response: Response, count: number): Promise<string[]> {
  const reader = (response.body ?? new ReadableStream<Uint8Array>()).getReader();
  const decoder = new TextDecoder();
  let seen = '';
  while (seen.split('\n\n').length <= count) {
    const { value, done } = await reader.read();
    if (done) break;
    seen += decoder.decode(value);
  }
  return seen.split('\n\n').filter((frame) => frame !== '');
}

test('messages are pushed as they are committed', async () => {
  const node = await started();
  const response = await node.app.request('/v1/streams/messages');
  expect(response.headers.get('content-type')).toBe('text/event-stream');
  await node.block({ data: [text(0, alice, 'live'), transfer(1, alice, BOB, 1n), text(2, alice, 'again')] });
  const [retry, first, second] = await frames(response, 3);
  expect(retry).toBe('retry: 1000');
  expect(first).toMatch(/^id: 1\nevent: message\ndata: \{.*"message":"live".*\}$/);
  expect(second).toMatch(/^id: 2\nevent: message\n.*"message":"again"/);
  const pushed = JSON.parse(first?.split('data: ')[1] ?? '');
  expect((await node.get('/v1/texts/1')).body).toEqual(pushed);
});
