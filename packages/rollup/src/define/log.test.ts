import { createMemoryStore, type StateReader, type StateWriter } from '@switchyard/machine';
import { type AccountId, formatAddress } from '@switchyard/protocol';
import { type Retention, silentLogger } from '@switchyard/service';
import fc from 'fast-check';
import { afterEach, expect, test } from 'vitest';
import type { BlockRecord } from '../app/commits.ts';
import { address, bytes, text, u32, u64 } from '../schema/scalars.ts';
import { record } from '../schema/shapes.ts';
import { signers } from '../testing/tally.ts';
import { type TestNode, testNode } from '../testing/test-node.ts';
import { testRollup } from '../testing/test-rollup.ts';
import { action, defineRollup } from './definition.ts';
import { event } from './events.ts';
import { log } from './log.ts';
import { toRollup } from './rollup-of.ts';

const GENESIS = JSON.stringify({ rollup_name: 'posts', sequencer_chain_id: 'sequencer-0' });
const [alice, bob] = signers;
const ZERO = '00'.repeat(20) as AccountId;

const stopping: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const stop of stopping.splice(0)) await stop();
});

interface PostOptions {
  readonly mark?: string;
  /** Block in which the hook has a bug. */
  readonly bugAt?: bigint;
  readonly search?: readonly ('words' | 'title')[];
}

function postsRollup({ mark = '', bugAt, search = ['words'] }: PostOptions = {}) {
  const value = record({
    ...{ from: address, to: address, title: text({ maxBytes: 32 }), words: text({ maxBytes: 20_000 }) },
    ...{ size: u32, proof: bytes({ maxBytes: 8 }) },
  });
  const first = { from: ZERO, to: ZERO, title: 'first', words: 'of all', size: 0, proof: new Uint8Array() };
  const posts = log({
    name: 'posts',
    value,
    search,
    by: { account: ['from', 'to'], size: ['size'] },
    initial: [first],
  });
  const posted = event('posted', { to: address, words: text({ maxBytes: 20_000 }), copies: u32 });
  const post = action({
    fields: { to: address, words: text({ maxBytes: 20_000 }), copies: u32 },
    execute: (fields, context) => posted.emit(context, fields),
  });
  const counts: bigint[] = [];
  const peek = action({ fields: {}, execute: (_, { state }) => void posts.count(state) });
  const write = action({
    fields: {},
    execute: (_, { state }) => posts.append(state, first),
  });
  type Posted = { readonly to: AccountId; readonly words: string; readonly copies: number };
  const written = ({ number, events }: BlockRecord<Posted>, state: StateWriter): void => {
    for (const { event: found, signer } of events)
      for (let size = 0; size < found.copies; size += 1) {
        const { to, words } = found;
        posts.append(state, { from: signer, to, title: mark, words, size, proof: Uint8Array.of(size % 256) });
      }
    counts.push(posts.count(state));
    if (number === bugAt) throw new Error('the hook has a bug');
  };
  const rollup = defineRollup({
    ...{ name: 'posts', tables: [posts], events: [posted], actions: { post, peek, write } },
    onBlock: mark === '' ? written : (block, state) => written(block, state),
  });
  return { posts, rollup, counts };
}

async function started(options?: PostOptions, store = createMemoryStore(), retention?: Retention) {
  const made = postsRollup(options);
  const node = await testRollup(made.rollup, GENESIS, {
    ...{ store, log: silentLogger },
    ...(retention !== undefined && { retention }),
  });
  stopping.push(() => node.stop());
  const block = async (...all: readonly (readonly [words: string, copies: number])[]) => {
    for (const [words, copies] of all)
      await node.client.submit.post({ to: bob.account, words, copies }, alice, { until: 'accepted' });
    await node.block();
  };
  return { ...made, node, block, store, snapshot: () => node.chain.view.snapshot };
}

const words = (entries: readonly (readonly [bigint, { readonly words: string }])[]) =>
  entries.map(([, { words: each }]) => each);
const getRows = (node: Pick<TestNode, 'get'>, query: string) => node.get(`/v1/tables/posts?${query}`);

test('entries have ids, blocks and times, and are read in any direction', async () => {
  const { posts, block, snapshot, counts } = await started();
  await block(['one', 1], ['two', 1]);
  await block();
  await block(['three', 1]);
  expect(posts.get(snapshot(), 0n)).toMatchObject({ id: 0n, block: 0n, time: { seconds: 0n }, title: 'first' });
  expect(posts.get(snapshot(), 3n)).toEqual({
    ...{ id: 3n, block: 3n, time: { seconds: 1_700_000_003n, nanos: 0 }, from: alice.account, to: bob.account },
    ...{ title: '', words: 'three', size: 0, proof: Uint8Array.of(0) },
  });
  expect([posts.get(snapshot(), 4n), posts.count(snapshot()), counts]).toEqual([undefined, 4n, [3n, 3n, 4n]]);
  const find = (options: object) => words(posts.range(snapshot(), { limit: 10, ...options }));
  expect(find({})).toEqual(['of all', 'one', 'two', 'three']);
  expect(find({ from: 2n })).toEqual(['two', 'three']);
  expect(find({ after: 0n, before: 3n })).toEqual(['one', 'two']);
  expect(find({ reverse: true, limit: 2 })).toEqual(['three', 'two']);
  expect(find({ reverse: true, before: 2n })).toEqual(['one', 'of all']);
  expect(find({ from: 9n })).toEqual([]);
  expect(posts.last(snapshot())?.[0]).toBe(3n);
});

test('any range of a log is that of the list of all that was appended', async () => {
  const { posts, block, snapshot } = await started();
  await block(['a', 70], ['b'.repeat(9_000), 3]);
  for (let made = 0; made < 40; made += 1) await block(['c', 1]);
  await block(['d', 150]);
  const all = posts.range(snapshot(), { limit: 1_000 }).map(([id]) => id);
  expect(all).toEqual(Array.from({ length: 264 }, (_, at) => BigInt(at)));
  const rows = snapshot().range({ prefix: `${posts.prefix}at/`, limit: 1_000 });
  // The greeting, 64 and 6 with one large entry, two large ones, 40 blocks, and 150.
  expect(rows).toHaveLength(1 + 4 + 40 + 3);
  const place = fc.option(fc.bigInt({ min: 0n, max: 300n }), { nil: undefined });
  fc.assert(
    fc.property(place, place, fc.boolean(), fc.integer({ min: 0, max: 90 }), (after, before, reverse, limit) => {
      const within = all.filter((id) => id > (after ?? -1n) && id < (before ?? 999n));
      const bounds = { ...(after !== undefined && { after }), ...(before !== undefined && { before }) };
      const found = posts.range(snapshot(), { ...bounds, reverse, limit }).map(([id]) => id);
      expect(found).toEqual((reverse ? within.toReversed() : within).slice(0, limit));
    }),
  );
});

test('pages have entries by id, words and terms, the newest first if wanted', async () => {
  const { node, block } = await started();
  await block(['Hello world', 2], ['hello sea', 3]);
  const page = async (query: string) => {
    const { body } = await getRows(node, query);
    const { rows, next } = body as { rows: { key: [string]; value: object }[]; next: string | null };
    return [rows.map(({ key: [id] }) => Number(id)), next];
  };
  expect(await page('limit=2')).toEqual([[0, 1], '1']);
  expect(await page('limit=2&after=1')).toEqual([[2, 3], '3']);
  expect(await page('limit=2&reverse=true')).toEqual([[5, 4], '4']);
  expect(await page('reverse=true&after=4')).toEqual([[3, 2, 1, 0], null]);
  expect(await page('prefix=["3"]')).toEqual([[3], null]);
  expect(await page('q=HELLO')).toEqual([[1, 2, 3, 4, 5], null]);
  expect(await page('q=hello+sea&limit=2')).toEqual([[3, 4], '4']);
  expect(await page('q=hello+sea&limit=2&after=4')).toEqual([[5], null]);
  expect(await page('q=hello&reverse=true&limit=2')).toEqual([[5, 4], '4']);
  expect(await page('index=size&prefix=[1]')).toEqual([[2, 4], null]);
  expect(await page(`index=account&prefix=["${formatAddress(bob.account)}"]&reverse=true`)).toEqual([
    [5, 4, 3, 2, 1],
    null,
  ]);
  expect(await page('index=size&prefix=[9]')).toEqual([[], null]);
  expect((await getRows(node, 'limit=1&after=0')).body).toMatchObject({
    rows: [{ key: ['1'], value: { id: '1', block: '1', from: formatAddress(alice.account), proof: '00', size: 0 } }],
  });
  for (const wrong of [
    'after=x',
    'index=size',
    'index=other&prefix=[1]',
    'index=size&prefix=["x"]',
    'q=!',
    'reverse=maybe',
  ])
    expect([wrong, (await getRows(node, wrong)).status]).toEqual([wrong, 400]);
  expect((await node.get('/admin/tables/posts')).text).toMatch(/hello sea[\s\S]*Hello world/);
});

test('words and terms find entries in segments and behind them', async () => {
  const { node, block, posts, snapshot } = await started();
  for (let made = 0; made < 5; made += 1) await block(['common', 250], [`rare${made}`, 1]);
  const { body } = await getRows(node, 'q=rare1');
  expect(body).toMatchObject({ rows: [{ key: ['502'] }], next: null });
  expect((await getRows(node, 'q=rare4')).body).toMatchObject({ rows: [{ key: ['1255'] }] });
  expect([...snapshot().range({ prefix: `${posts.prefix}terms/segment/`, limit: 9 })]).toHaveLength(2);
});

test('terms are those of the written entries, also if two nodes of a process have others or onBlock uses bytes again', async () => {
  const marks = log({
    ...{ name: 'marks', value: record({ mark: bytes({ length: 1 }), words: text({ maxBytes: 8 }) }) },
    ...{ by: { mark: ['mark'] }, search: ['words'] },
  });
  const marked = event('marked', { words: text({ maxBytes: 8 }) });
  const mark = action({
    fields: { words: text({ maxBytes: 8 }) },
    execute: (fields, context) => marked.emit(context, fields),
  });
  const used = new Uint8Array(1);
  const rollup = defineRollup({
    ...{ name: 'posts', tables: [marks], events: [marked], actions: { mark } },
    onBlock({ events }: BlockRecord<{ readonly words: string }>, state) {
      for (const { event: found } of events)
        for (let copy = 0; copy < 600; copy += 1) {
          used[0] = copy === 7 ? 1 : 2;
          marks.append(state, { mark: used, words: found.words });
        }
    },
  });
  const nodes = await Promise.all(['one', 'two'].map(() => testRollup(rollup, GENESIS)));
  for (const [at, node] of nodes.entries()) {
    stopping.push(() => node.stop());
    await node.client.submit.mark({ words: at === 0 ? 'one' : 'two' }, alice, { until: 'accepted' });
    await node.block();
  }
  const count = async (node: TestNode, query: string) =>
    ((await node.get(`/v1/tables/marks?${query}`)).body as { readonly rows: readonly unknown[] }).rows.length;
  for (const [at, node] of nodes.entries())
    expect([
      await count(node, 'index=mark&prefix=["01"]'),
      await count(node, 'q=one'),
      await count(node, 'q=two'),
    ]).toEqual(at === 0 ? [1, 50, 0] : [1, 0, 50]);
});

test('entries are written again when onBlock has changed, and terms when the search has', async () => {
  const { block, store } = await started();
  await block(['one', 600]);
  await block(['two', 2]);
  const changed = await started({ mark: 'again' }, store);
  expect(changed.posts.count(changed.snapshot())).toBe(603n);
  expect(changed.posts.get(changed.snapshot(), 0n)).toMatchObject({ title: 'first' });
  expect(changed.posts.get(changed.snapshot(), 602n)).toMatchObject({ title: 'again', words: 'two', block: 2n });
  expect((await getRows(changed.node, 'q=again')).body).toMatchObject({ rows: [] });
  const searched = await started({ mark: 'again', search: ['title'] }, store);
  expect((await getRows(searched.node, 'q=again&limit=1&reverse=true')).body).toMatchObject({
    rows: [{ key: ['602'] }],
  });
  expect((await getRows(searched.node, 'q=two')).body).toMatchObject({ rows: [] });
});

test('entries of blocks that are pruned stay, also where onBlock has changed', async () => {
  const retention: Retention = { blocks: 2n, ageMs: undefined, least: 1n };
  const { block, store } = await started({}, createMemoryStore(), retention);
  await block(['old', 3]);
  for (let made = 0; made < 9; made += 1) await block();
  const changed = await started({ mark: 'again' }, store, retention);
  expect(changed.node.chain.view.lowest).toBeGreaterThan(1n);
  await changed.block(['new', 1]);
  const found = changed.posts
    .range(changed.snapshot(), { limit: 10 })
    .map(([, { words: each, title }]) => [each, title]);
  expect(found).toEqual([['of all', 'first'], ...Array(3).fill(['old', '']), ['new', 'again']]);
});

test('a block with a bug of onBlock appends nothing, and later ids have no gap', async () => {
  const { posts, block, snapshot, node } = await started({ bugAt: 2n });
  await block(['one', 1]);
  await block(['lost', 100]);
  await block(['three', 1]);
  expect(words(posts.range(snapshot(), { limit: 9 }))).toEqual(['of all', 'one', 'three']);
  expect((await getRows(node, 'q=lost')).body).toMatchObject({ rows: [] });
});

test('handlers neither append to a log nor read it', async () => {
  const { node, posts, snapshot } = await started();
  for (const name of ['peek', 'write'] as const) await node.client.submit[name]({}, alice, { until: 'accepted' });
  await node.block();
  expect(posts.count(snapshot())).toBe(1n);
  const refused = (await node.get('/v1/blocks/1')).body;
  expect(refused).toMatchObject({ refused: 2 });
  expect(() => posts.append(snapshot() as StateReader as StateWriter, {} as never)).toThrow(
    'onBlock appends its entries',
  );
});

test('a value that does not fit its type is a bug of onBlock, which names the field', async () => {
  const value = record({ note: text({ maxBytes: 4 }) });
  const notes = log({ name: 'notes', value });
  const go = action({ fields: {}, execute: () => {} });
  const problems: unknown[] = [];
  const rollup = defineRollup({
    ...{ name: 'posts', tables: [notes], actions: { go } },
    onBlock(_, state) {
      notes.append(state, { note: 'kept' });
      try {
        notes.append(state, { note: 'too long' });
      } catch (error) {
        problems.push(error instanceof Error && error.message);
      }
    },
  });
  const node = await testNode(toRollup(rollup, GENESIS), { log: silentLogger });
  stopping.push(() => node.stop());
  await node.block();
  expect(problems).toEqual([expect.stringMatching(/table notes: note: expected text of at most 4 bytes, got 8 bytes/)]);
  expect(notes.get(node.chain.view.snapshot, 0n)).toMatchObject({ note: 'kept' });
});

const value = record({ note: text({ maxBytes: 4 }), size: u64 });
test.each([
  ['a name that tables cannot have', { name: 'A' }, /table "A": expected a name in lowerCamelCase/],
  ['a search of no text', { search: ['size' as 'note'] }, /search: expected fields of type text, got "size"/],
  ['a term of no field', { by: { it: ['other' as 'note'] } }, /by: expected fields of the entries, got "other"/],
  ['a term of two types', { by: { it: ['note', 'size'] as const } }, /by: expected fields of one type/],
  ['a field that entries have', { value: record({ block: u64 }) as never }, /field "block": every entry has one/],
])('%s is refused', (_, options, problem) => {
  expect(() => log({ name: 'posts', value, ...options })).toThrow(problem);
});
