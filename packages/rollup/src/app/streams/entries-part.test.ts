import { createMemoryStore, type StateWriter } from '@switchyard/machine';
import { afterEach, expect, test } from 'vitest';
import { action, defineRollup } from '../../define/definition.ts';
import { event } from '../../define/events.ts';
import { followRows } from '../../define/follow-rows.ts';
import { log } from '../../define/log.ts';
import { table } from '../../define/table.ts';
import { text, u32 } from '../../schema/scalars.ts';
import { record } from '../../schema/shapes.ts';
import { signers } from '../../testing/tally.ts';
import { type TestNodeOptions, until } from '../../testing/test-node.ts';
import { testRollup } from '../../testing/test-rollup.ts';
import type { BlockRecord } from '../commits.ts';
import { connect, type PartMessage } from './book.testing.ts';

const [alice] = signers;
const words = text({ maxBytes: 20_000 });
const posts = log({ name: 'posts', value: record({ words, copy: u32 }), by: { copy: ['copy'] } });
const posted = event('posted', { words, copies: u32 });
const notes = table({ name: 'notes', key: u32, value: u32 });
type Posted = BlockRecord<{ readonly words: string; readonly copies: number }>;
/** @param mark Of another version of the hook, whose entries are made again. */
const append = ({ events }: Posted, state: StateWriter, mark = ''): void => {
  for (const { event: found } of events)
    for (let copy = 0; copy < found.copies; copy += 1) posts.append(state, { words: `${mark}${found.words}`, copy });
};
const rollupOf = (mark: string) =>
  defineRollup({
    ...{ name: 'posts', tables: [posts, notes], events: [posted] },
    actions: {
      post: action({
        fields: { words, copies: u32 },
        execute: (fields, context) => posted.emit(context, fields),
      }),
    },
    onBlock: mark === '' ? append : (block: Posted, state) => append(block, state, mark),
  });

const GENESIS = JSON.stringify({ rollup_name: 'posts', sequencer_chain_id: 'sequencer-0' });
const stopping: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const stop of stopping.splice(0)) await stop();
});

async function start(options: TestNodeOptions = {}, mark = '') {
  const node = await testRollup(rollupOf(mark), GENESIS, options);
  stopping.push(() => node.stop());
  return node;
}
type Node = Awaited<ReturnType<typeof start>>;

async function post(node: Node, ...all: readonly (readonly [words: string, copies: number])[]) {
  for (const [each, copies] of all)
    await node.client.submit.post({ words: each, copies }, alice, { until: 'accepted' });
  await node.block();
}

/** Messages of one part, and the ids of their entries. */
function partOf(client: ReturnType<typeof connect>, id: number) {
  const parts = (): PartMessage[] =>
    client.messages.flatMap((message) => message.parts.filter((part) => part.id === id));
  const rows = () => parts().flatMap((part) => part.rows ?? []);
  return { parts, rows, ids: () => rows().map(({ key }) => Number(key[0])) };
}
const numbers = (from: number, count: number) => Array.from({ length: count }, (_, at) => from + at);

test('the newest entries come first in the order of their ids, and then those that each block appends', async () => {
  const node = await start();
  await post(node, ['a', 3], ['b', 1]);
  const client = connect(node);
  const part = partOf(client, 1);
  expect(await client.call('live_follow', { id: 1, table: 'posts', newest: 2 })).toMatchObject({ result: true });
  await until(() => part.parts().length === 1);
  expect(part.parts()).toMatchObject([
    {
      rows: [
        { key: ['2'], value: { id: '2', block: '1', words: 'a', copy: 2 } },
        { key: ['3'], value: { words: 'b' } },
      ],
      isWhole: true,
    },
  ]);
  await node.block();
  await post(node, ['c', 2]);
  await until(() => client.messages.at(-1)?.block === '3');
  expect([part.parts().length, part.ids()]).toEqual([2, [2, 3, 4, 5]]);
});

test('1,000 entries and those of large blocks come in pages, without a gap while blocks come', async () => {
  const node = await start();
  await post(node, ['a', 1_200]);
  const client = connect(node);
  const part = partOf(client, 1);
  client.socket.pause();
  client.socket.send(
    JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      method: 'live_follow',
      params: [{ id: 1, table: 'posts', newest: 1_000 }],
    }),
  );
  await post(node, ['b', 700]);
  client.socket.resume();
  await until(() => part.parts().at(-1)?.isWhole === true);
  expect(part.ids()).toEqual(numbers(200, 1_700));
  for (let block = 0; block < 4; block += 1) await post(node, ['x'.repeat(20_000), 100]);
  await until(() => part.ids().length === 2_100 && part.parts().at(-1)?.isWhole === true);
  expect(part.ids()).toEqual(numbers(200, 2_100));
  for (const { rows } of part.parts()) expect(JSON.stringify(rows).length).toBeLessThan(2 * 1_048_576);
});

test('a cursor resumes with the entries behind it, also after a restart, and begins again if these were made again', async () => {
  const store = createMemoryStore();
  const first = await start({ store });
  await post(first, ['a', 70]);
  const client = connect(first);
  await client.call('live_follow', { id: 1, table: 'posts', newest: 5 });
  await until(() => client.messages.length > 0);
  const from = client.messages[0]?.cursor ?? '';
  await post(first, ['b', 2]);
  await first.block();
  await post(first, ['c', 1]);
  await first.stop();
  const second = await start({ store });
  const again = connect(second);
  const last = `4-${second.chain.view.block.hash.slice(0, 16)}`;
  for (const [id, cursor] of [from, last, `1-${'0'.repeat(16)}`].entries())
    await again.call('live_follow', { id, table: 'posts', newest: 2, from: cursor });
  await until(() => [0, 1, 2].every((id) => partOf(again, id).parts().at(-1)?.isWhole === true));
  expect([0, 1, 2].map((id) => partOf(again, id).ids())).toEqual([[70, 71, 72], [], [71, 72]]);
  expect(partOf(again, 0).parts()[0]?.again).toBeUndefined();
  expect(partOf(again, 2).parts()[0]?.again).toContain('another chain');
  await second.stop();
  const third = connect(await start({ store }, 'again '));
  await third.call('live_follow', { id: 1, table: 'posts', newest: 2, from });
  await until(() => third.messages.length > 0);
  expect(partOf(third, 1).parts()[0]).toMatchObject({
    again: 'the changes after block 1 are not kept by this node',
    rows: [{ value: { words: 'again b' } }, { value: { words: 'again c' } }],
  });
});

test('the stream of a log has its entries by the types of the client too', async () => {
  const node = await start();
  await post(node, ['a', 3]);
  const stop = new AbortController();
  const stream = followRows(node.client.rollup, posts, { newest: 1, signal: stop.signal });
  const first = (await stream.next()).value;
  expect(first).toMatchObject({ block: 1n, rows: [[2n, { id: 2n, words: 'a', copy: 2 }]], isWhole: true });
  await post(node, ['b', 1]);
  expect((await stream.next()).value).toMatchObject({ rows: [[3n, { words: 'b' }]], removed: [] });
  const { cursor: from } = first as { readonly cursor: string };
  const resumed = followRows(node.client.rollup, posts, { newest: 1, from, signal: stop.signal });
  expect((await resumed.next()).value).toMatchObject({ rows: [[3n, { words: 'b' }]], again: undefined });
  stop.abort();
});

test.each([
  [{ table: 'posts' }, 'table: posts is a log, whose stream has newest'],
  [{ table: 'posts', newest: 0 }, 'newest'],
  [{ table: 'posts', newest: 1_001 }, 'newest'],
  [{ table: 'notes', newest: 5 }, 'newest: expected a log, and notes is a table'],
  [{ table: 'nonces', newest: 5 }, 'newest: expected a log, and nonces is a table'],
  [{ table: 'nothing', newest: 5 }, 'no table "nothing": it has posts, notes, nonces, balances'],
  [{ table: 'posts', newest: 5, limit: 5 }, 'newest: expected neither index, prefix nor limit with it'],
  [{ table: 'posts', newest: 5, prefix: ['1'] }, 'newest: expected neither index, prefix nor limit with it'],
  [{ table: 'posts', newest: 5, index: 'copy' }, 'newest: expected neither index, prefix nor limit with it'],
  [{ table: 'posts', newest: 5, from: '7' }, 'expected a cursor'],
])('%j is refused in one line, by both ways', async (asked, message) => {
  const node = await start();
  const answer = await connect(node).call('live_follow', { id: 1, ...asked });
  const line = String(answer?.error?.data ?? answer?.error?.message);
  expect([line.split('\n').length, line]).toEqual([1, expect.stringContaining(message)]);
  const { table: name, ...query } = asked;
  const given = Object.entries(query).map(([key, value]): [string, string] => [
    key,
    Array.isArray(value) ? JSON.stringify(value) : `${value}`,
  ]);
  const { status, text: body } = await node.get(`/v1/tables/${name}/stream?${new URLSearchParams(given)}`);
  expect([status, body]).toEqual([
    name === 'nothing' ? 404 : 400,
    expect.stringContaining(message.replaceAll('"', '\\"')),
  ]);
});
