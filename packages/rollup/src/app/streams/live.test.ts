import { createMemoryStore } from '@switchyard/machine';
import { formatAddress } from '@switchyard/protocol';
import { manualClock } from '@switchyard/service/testing';
import { afterEach, expect, test } from 'vitest';
import { followRows } from '../../define/follow-rows.ts';
import { signers } from '../../testing/tally.ts';
import { type TestNodeOptions, until } from '../../testing/test-node.ts';
import { testRollup } from '../../testing/test-rollup.ts';
import { book, connect, type Message, notes } from './book.testing.ts';

const [alice, bob] = signers;
const accepted = { until: 'accepted' } as const;

const stopping: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const stop of stopping.splice(0)) await stop();
});

async function start(options: TestNodeOptions = {}) {
  const node = await testRollup(
    book,
    JSON.stringify({ rollup_name: 'book', sequencer_chain_id: 'sequencer-0' }),
    options,
  );
  stopping.push(() => node.stop());
  return node;
}
type Node = Awaited<ReturnType<typeof start>>;

async function write(node: Node, ...written: readonly (readonly [id: number, text: string])[]) {
  for (const [id, words] of written) await node.client.submit.write({ id, text: words }, alice, accepted);
  await node.block();
}

test('a part begins with its rows and has then what each block changes, with every commit in the header', async () => {
  const node = await start();
  await write(node, [1, 'one'], [2, 'two']);
  const client = connect(node);
  expect(await client.call('live_follow', { id: 7, table: 'notes' })).toMatchObject({ result: true });
  await until(() => client.messages.length === 1);
  expect(client.messages[0]).toMatchObject({
    block: '1',
    firm: '1',
    parts: [{ id: 7, removed: [], isWhole: true, rows: [{ key: [1], value: { text: 'one' } }, { key: [2] }] }],
  });
  await write(node, [1, ''], [3, 'three']);
  await until(() => client.messages.length === 2);
  expect(client.messages[1]).toMatchObject({
    block: '2',
    parts: [{ id: 7, removed: [[1]], isWhole: true, rows: [{ key: [3], value: { text: 'three' } }] }],
  });
  await node.block();
  await until(() => client.messages.length === 3);
  expect(client.messages[2]).toMatchObject({ block: '3', parts: [] });
});

test('a part has rows of one prefix, of one key, or of an index, and keys that have left it', async () => {
  const node = await start();
  await write(node, [1, 'one'], [2, 'two']);
  await node.client.submit.write({ id: 9, text: 'of bob' }, bob, accepted);
  await node.block();
  const client = connect(node);
  const owner = formatAddress(bob.account);
  await client.call('live_follow', { id: 1, table: 'notes', prefix: [2] });
  await client.call('live_follow', { id: 2, table: 'notes', index: 'byOwner', prefix: [owner] });
  await client.call('live_follow', { id: 3, table: 'byDay', prefix: ['2'] });
  await client.call('live_follow', { id: 4, table: 'accounts/nonce', prefix: [owner] });
  const found = () => new Map(client.messages.flatMap(({ parts }) => parts.map((part) => [part.id, part] as const)));
  await until(() => found().size === 4);
  const keys = (id: number) =>
    found()
      .get(id)
      ?.rows?.map(({ key }) => key);
  expect([keys(1), keys(2), keys(3), found().get(4)?.rows]).toEqual([
    [[2]],
    [[9]],
    [['2', 9]],
    [{ key: [owner], value: 1 }],
  ]);
  client.messages.splice(0);
  await write(node, [9, 'of alice'], [1, 'other']);
  await until(() => client.messages.length > 0);
  expect(client.messages.flatMap(({ parts }) => parts)).toEqual([{ id: 2, rows: [], removed: [[9]], isWhole: true }]);
});

test('outcomes of an account and its events follow each other as blocks come, refusals with their facts', async () => {
  const node = await start();
  const client = connect(node);
  await client.call('live_follow', { id: 1, receipts: formatAddress(alice.account) });
  await client.call('live_follow', { id: 2, events: true, account: formatAddress(alice.account) });
  await node.client.submit.write({ id: 1, text: 'of bob' }, bob, accepted);
  const { hash } = await node.client.submit.write({ id: 2, text: 'x' }, alice, accepted);
  await node.client.submit.write({ id: 5_000, text: 'x' }, alice, accepted);
  await node.block();
  await until(() => client.messages.at(-1)?.block === '1');
  const { parts = [] } = client.messages.at(-1) ?? {};
  expect(parts).toMatchObject([
    {
      id: 1,
      receipts: [
        { hash, block: '1', code: 0 },
        { code: 128, refusal: { kind: 'tooLarge', facts: { most: 1_000 } } },
      ],
      isWhole: true,
    },
    { id: 2, events: [{ block: 1, transaction: hash, event: { kind: 'put', id: 2 } }], isWhole: true },
  ]);
});

test('a cursor resumes with the changes since it, also after a restart; one of another chain begins again', async () => {
  const store = createMemoryStore();
  const first = await start({ store });
  await write(first, [1, 'one'], [2, 'two']);
  const client = connect(first);
  await client.call('live_follow', { id: 1, table: 'notes' });
  await until(() => client.messages.length > 0);
  const from = client.messages[0]?.cursor ?? '';
  await write(first, [2, ''], [3, 'three']);
  await first.block();
  await first.stop();
  const second = await start({ store });
  const again = connect(second);
  await again.call('live_follow', { id: 1, table: 'notes', from });
  await again.call('live_follow', { id: 2, table: 'notes', from: `1-${'0'.repeat(16)}` });
  await again.call('live_follow', { id: 3, receipts: formatAddress(alice.account), from });
  await again.call('live_follow', { id: 4, table: 'notes', from: `99-${'0'.repeat(16)}` });
  const found = () => new Map(again.messages.flatMap(({ parts }) => parts.map((part) => [part.id, part] as const)));
  await until(() => found().size === 4);
  expect(found().get(1)).toMatchObject({ rows: [{ key: [3] }], removed: [[2]], isWhole: true });
  expect(found().get(2)).toMatchObject({
    again: expect.stringContaining('another chain'),
    rows: [{ key: [1] }, { key: [3] }],
  });
  expect(found().get(3)?.receipts).toHaveLength(2);
  expect(found().get(4)?.again).toContain('later than block 3');
});

test.each([
  [{ id: 1, table: 'nothing' }, 'no table "nothing": it has notes, byDay, blobs, nonces, balances'],
  [{ id: 1, table: 'notes', index: 'byDay' }, 'table notes has byOwner, got "byDay"'],
  [{ id: 1, table: 'notes', prefix: ['x'] }, 'prefix[0]'],
  [{ id: 1, table: 'notes', prefix: [1, 2] }, 'a list of at most 1'],
  [{ id: 1, table: 'notes', from: '7' }, 'expected a cursor'],
  [{ id: 1, table: 'notes', limit: 10_001 }, 'limit'],
  [{ id: -1, table: 'notes' }, 'id'],
  [{ id: 1, table: 'notes', unknown: 1 }, 'unknown'],
  [{ id: 1, receipts: 'x' }, 'bech32m'],
  [{ id: 1, events: true, kinds: Array(65).fill('x') }, 'kinds'],
])('%j is refused in one line', async (params, message) => {
  const client = connect(await start());
  const answer = await client.call('live_follow', params);
  expect(answer?.error?.data ?? answer?.error?.message).toContain(message);
  expect(String(answer?.error?.message).split('\n')).toHaveLength(1);
});

test('parts and calls of a connection are bounded, and 10,000 calls leave nothing behind', async () => {
  const clock = manualClock();
  const node = await start({ clock });
  const client = connect(node);
  for (let id = 0; id < 64; id += 1) await client.call('live_follow', { id, table: 'notes' });
  expect(await client.call('live_follow', { id: 64, table: 'notes' })).toMatchObject({
    error: { data: expect.stringContaining('parts 64') },
  });
  expect(await client.call('live_follow', { id: 7, table: 'notes' })).toMatchObject({
    error: { data: expect.stringContaining('an id that is free') },
  });
  let refused = 0;
  for (let call = 0; call < 5_000; call += 1) {
    const id = call % 64;
    client.socket.send(JSON.stringify({ jsonrpc: '2.0', method: 'live_drop', params: [id] }));
    client.socket.send(
      JSON.stringify({ jsonrpc: '2.0', id: 'again', method: 'live_follow', params: [{ id, table: 'notes' }] }),
    );
  }
  await until(() => client.answers.length === 66 + 5_000, 100_000);
  for (const { error } of client.answers) if (error !== undefined) refused += 1;
  expect(refused).toBeGreaterThan(4_900);
  client.socket.close();
  expect(node.node.streams.size).toBe(0);
});

test('one address cannot take all places, and a place is free again when its connection ends', async () => {
  const node = await start({ bounds: { maxStreams: 8, maxStreamsOfAddress: 3 } });
  const clients = Array.from({ length: 4 }, () => connect(node, '192.0.2.1'));
  for (const client of clients.slice(0, 3)) await client.call('live_follow', { id: 1, table: 'notes' });
  expect(await clients[3]?.call('live_follow', { id: 1, table: 'notes' })).toMatchObject({
    error: { data: expect.stringContaining('3 open streams') },
  });
  clients[0]?.socket.close();
  expect(await clients[3]?.call('live_follow', { id: 1, table: 'notes' })).toMatchObject({ result: true });
});

test('a client that does not read skips blocks, and is sent their changes together', async () => {
  const node = await start();
  const client = connect(node);
  await client.call('live_follow', { id: 1, table: 'notes' });
  await until(() => client.messages.length === 1);
  client.socket.pause();
  for (let text = 1; text <= 5; text += 1) await write(node, [1, `text ${text}`]);
  client.socket.resume();
  await until(() => client.messages.at(-1)?.block === '5');
  expect(client.messages.slice(1).map(({ block, parts }) => [block, parts[0]?.rows?.length])).toEqual([
    ['1', 1],
    ['5', 1],
  ]);
});

test('a client that reads nothing for a minute is closed, one that reads is not', async () => {
  const clock = manualClock();
  const node = await start({ clock });
  const [slow, other] = [connect(node), connect(node)];
  for (const client of [slow, other]) await client.call('live_follow', { id: 1, table: 'notes' });
  slow.socket.pause();
  await node.block();
  for (let beat = 0; beat < 5; beat += 1) await clock.advance(15_000);
  await until(() => slow.closed.length > 0);
  expect([slow.closed, other.closed]).toEqual([[{ code: 1_008, reason: 'slow-reader' }], []]);
});

test('large tables come in pages that hold together while blocks come, up to a limit', async () => {
  const node = await start();
  await node.client.submit.fill({ first: 0, count: 1_300 }, alice, accepted);
  await node.block();
  const client = connect(node);
  const rows = new Map<string, unknown>();
  client.socket.pause();
  client.socket.send(
    JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'live_follow', params: [{ id: 1, table: 'notes' }] }),
  );
  await write(node, [5, ''], [700, 'changed']);
  client.socket.resume();
  await until(() => client.messages.at(-1)?.parts[0]?.isWhole === true);
  for (const { parts } of client.messages) {
    for (const { key, value } of parts[0]?.rows ?? []) rows.set(String(key), value);
    for (const key of parts[0]?.removed ?? []) rows.delete(String(key));
  }
  expect(client.messages.length).toBeGreaterThan(2);
  expect([rows.size, rows.has('5'), rows.get('700')]).toMatchObject([1_299, false, { text: 'changed' }]);
  await client.call('live_follow', { id: 2, table: 'notes', limit: 600 });
  await until(() => client.messages.at(-1)?.parts[0]?.isCut === true);
  const cut = client.messages.flatMap(({ parts }) =>
    parts.filter(({ id }) => id === 2).flatMap((part) => part.rows ?? []),
  );
  expect(cut).toHaveLength(600);
  client.messages.splice(0);
  await write(node, [7, 'seven']);
  await until(() => client.messages.length > 0);
  expect(client.messages[0]?.parts.map(({ id }) => id)).toEqual([1]);
});

test('a block that changes more than is sent as changes begins parts again', async () => {
  const node = await start();
  const client = connect(node);
  await client.call('live_follow', { id: 1, table: 'notes', limit: 10_000 });
  await until(() => client.messages.length === 1);
  for (let first = 0; first < 9_000; first += 1_500)
    await node.client.submit.fill({ first, count: 1_500 }, alice, accepted);
  await node.block();
  await until(() => client.messages.at(-1)?.parts[0]?.isWhole === true && client.messages.length > 2);
  expect(client.messages[1]?.parts[0]?.again).toContain('more changed after block 0');
  expect(client.messages.slice(1).flatMap(({ parts }) => parts[0]?.rows ?? [])).toHaveLength(9_000);
});

test('the stream of a table has rows, changes and cursors, by the types of the client too', async () => {
  const node = await start();
  await write(node, [1, 'one'], [2, 'two']);
  const stop = new AbortController();
  const stream = followRows(node.client.rollup, notes, { signal: stop.signal });
  const first = (await stream.next()).value;
  expect(first).toMatchObject({
    block: 1n,
    isWhole: true,
    removed: [],
    rows: [
      [1, { text: 'one' }],
      [2, { text: 'two' }],
    ],
  });
  await write(node, [2, ''], [3, 'three']);
  expect((await stream.next()).value).toMatchObject({ block: 2n, removed: [2], rows: [[3, { text: 'three' }]] });
  const { cursor: from } = first as { readonly cursor: string };
  const resumed = followRows(node.client.rollup, notes, { from, prefix: [3], signal: stop.signal });
  expect((await resumed.next()).value).toMatchObject({ rows: [[3, { text: 'three' }]], removed: [], again: undefined });
  const mine = followRows(node.client.rollup, notes, { index: 'byOwner', prefix: [bob.account], signal: stop.signal });
  expect((await mine.next()).value).toMatchObject({ rows: [], isWhole: true });
  stop.abort();
  for (const path of [
    '/v1/tables/nothing/stream',
    '/v1/tables/notes/stream?prefix=x',
    '/v1/tables/notes/stream?from=1',
  ])
    expect([path, (await node.get(path)).status]).toEqual([path, path.includes('nothing') ? 404 : 400]);
});

test('the stream of receipts resumes behind its cursor', async () => {
  const node = await start();
  await write(node, [1, 'one']);
  const { signal } = new AbortController();
  const path = `/v1/streams/receipts?account=${formatAddress(alice.account)}`;
  const stream = node.client.rollup.follow(path, { signal });
  const first = await stream.next();
  await write(node, [2, 'two']);
  const second = await stream.next();
  expect((second.value as { data: { value: Message } }).data.value.parts[0]?.receipts).toHaveLength(1);
  const again = await node.client.rollup.follow(path, { signal, lastId: first.value?.id ?? '' }).next();
  expect(again.value?.data.value).toEqual(second.value?.data.value);
  for (const each of [stream]) await each.return(undefined);
});

test('the AsyncAPI document has the socket and every stream, and all of its references lead somewhere', async () => {
  const node = await start();
  const { body } = await node.get('/v1/asyncapi.json');
  const document = body as {
    readonly asyncapi: string;
    readonly info: object;
    readonly channels: Readonly<Record<string, { readonly address: string; readonly messages: object }>>;
    readonly operations: Readonly<
      Record<string, { readonly action: string; readonly channel: object; readonly messages: unknown[] }>
    >;
  };
  expect([document.asyncapi, Object.keys(document.info)]).toEqual(['3.0.0', ['title', 'version', 'description']]);
  const addresses = Object.values(document.channels).map(({ address: each }) => each);
  const { paths } = (await node.get('/v1/openapi.json')).body as { readonly paths: Readonly<Record<string, object>> };
  const streams = Object.keys(paths).filter((path) => path.includes('stream'));
  expect(addresses.toSorted()).toEqual(['/v1/live', ...streams].toSorted());
  for (const [, { address: each, ...channel }] of Object.entries(document.channels)) {
    const named = [...each.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
    expect(Object.keys((channel as { readonly parameters?: object }).parameters ?? {})).toEqual(named);
    expect(Object.keys(channel.messages).length).toBeGreaterThan(0);
  }
  for (const { action, messages } of Object.values(document.operations)) {
    expect(['send', 'receive']).toContain(action);
    expect(messages).toHaveLength(1);
  }
  const references: string[] = [];
  JSON.stringify(document, (name, value: unknown) => {
    if (name === '$ref') references.push(String(value));
    return value;
  });
  expect(references.length).toBeGreaterThan(10);
  for (const reference of references) {
    const found = reference
      .slice(2)
      .split('/')
      .reduce<unknown>((at, name) => (at as Record<string, unknown>)?.[name], document);
    expect([reference, typeof found]).toEqual([reference, 'object']);
  }
});

test('rows of 64 KiB come a few at a time, and as changes only as far as they fit into a message', async () => {
  const node = await start();
  await node.client.submit.weigh({ first: 0, count: 20 }, alice, accepted);
  await node.block();
  const client = connect(node);
  const sizes: number[] = [];
  const take = client.socket.onmessage;
  client.socket.onmessage = (message) => {
    sizes.push(message.data.length);
    take?.(message);
  };
  await client.call('live_follow', { id: 1, table: 'blobs' });
  await until(() => client.messages.at(-1)?.parts[0]?.isWhole === true);
  for (const count of [2, 20]) {
    await node.client.submit.weigh({ first: 0, count }, alice, accepted);
    const before = client.messages.length;
    await node.block();
    await until(() => client.messages.length > before && client.messages.at(-1)?.parts[0]?.isWhole === true);
    expect(client.messages[before]?.parts[0]?.again !== undefined).toBe(count === 20);
    expect(client.messages.slice(before).flatMap(({ parts }) => parts[0]?.rows ?? [])).toHaveLength(count);
  }
  expect(Math.max(...sizes)).toBeLessThan(1_048_576);
});
