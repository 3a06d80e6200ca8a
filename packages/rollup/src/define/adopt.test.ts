import { createMemoryStore } from '@switchyard/machine';
import { afterEach, expect, test } from 'vitest';
import { map } from '../schema/map.ts';
import { oneOf } from '../schema/one-of.ts';
import { asset, text, u32, u64 } from '../schema/scalars.ts';
import { list, option, record, union } from '../schema/shapes.ts';
import { since } from '../schema/since.ts';
import { signers } from '../testing/tally.ts';
import { getFetch, testRollup } from '../testing/test-rollup.ts';
import { adoptedBy } from './adopt.ts';
import { clientOf } from './client.ts';
import { type AnyRollup, action, defineRollup, fallback } from './definition.ts';
import { compareDefinitions, differenceLine } from './differences.ts';
import { table } from './table.ts';

const [alice] = signers;
const GENESIS = JSON.stringify({ rollup_name: 'shop', sequencer_chain_id: 'sequencer-0', chain_id: 'shop-1' });
const accepted = { until: 'accepted' } as const;

const firstThings = table({ name: 'things', key: u32, value: record({ name: text({ maxBytes: 8 }) }) });
const first = defineRollup({
  name: 'shop',
  tables: [firstThings],
  actions: {
    put: action({
      fields: { id: u32, name: text({ maxBytes: 8 }) },
      execute: ({ id, name }, { state }) => firstThings.put(state, id, { name }),
    }),
  },
});

/** The next one as an author writes it, without any block. */
const things = table({
  name: 'things',
  key: u32,
  value: record({ name: text({ maxBytes: 16 }), price: u64, tags: list(u32, { maxItems: 4 }) }),
});
const sales = table({ name: 'sales', key: u32, value: u64 });
const second = defineRollup({
  name: 'shop',
  genesis: { fee: fallback(u64, 1n) },
  tables: [things, sales],
  actions: {
    put: action({
      fields: { id: u32, name: text({ maxBytes: 16 }), price: u64 },
      execute: ({ id, name, price }, { state }) => things.put(state, id, { name, price, tags: [] }),
    }),
    sell: action({ fields: { id: u32 }, execute: ({ id }, { state }) => sales.put(state, id, 1n) }),
  },
});

const stopping: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const stop of stopping.splice(0)) await stop();
});
async function started<D extends AnyRollup>(defined: D, store = createMemoryStore()) {
  const node = await testRollup(defined as typeof second, GENESIS, { store });
  stopping.push(() => node.stop());
  return node;
}

test('changes without a block begin at the next one: the state is kept, and clients of both definitions work', async () => {
  const store = createMemoryStore();
  const old = await started(first, store);
  await old.client.submit.put({ id: 1, name: 'a' } as never, alice, accepted);
  await old.block();
  await old.block();
  await old.stop();
  const lines: string[] = [];
  const { definition: running } = adoptedBy(second, { document: JSON.stringify(first.document), soft: 2n }, (line) =>
    lines.push(line),
  );
  expect(lines).toEqual([
    'from block 3 on: action put: field name maxBytes is 16, was 8; action put: field price is new and has a default; ' +
      'action sell is new; genesis member fee is new and has a default; ' +
      'table things: field name maxBytes is 16, was 8; table things: field price is new and has a default; ' +
      'table things: field tags is new and has a default; table sales is new',
  ]);
  expect([running.fingerprint, running.typeUrl]).toEqual([first.fingerprint, first.typeUrl]);

  const node = await started(running, store);
  const fetch = getFetch(node);
  const [before, after] = [first, second].map((each) => clientOf(each as typeof second, { url: 'http://node', fetch }));
  await before?.submit.put({ id: 2, name: 'b' } as never, alice, accepted);
  await after?.submit.put({ id: 3, name: 'a longer name', price: 7n }, alice, accepted);
  await after?.submit.sell({ id: 3 }, alice, accepted);
  await node.block();
  expect(node.chain.view.block.executed).toBe(3);
  expect([...things.range(node.chain.view.snapshot, { limit: 9 })]).toEqual([
    [1, { name: 'a', price: 0n, tags: [] }],
    [2, { name: 'b', price: 0n, tags: [] }],
    [3, { name: 'a longer name', price: 7n, tags: [] }],
  ]);

  // The stored document has the blocks, so that the same source is nothing new at the next start.
  await node.stop();
  lines.length = 0;
  const { definition: again } = adoptedBy(second, { document: JSON.stringify(running.document), soft: 3n }, (line) =>
    lines.push(line),
  );
  expect(lines).toEqual([]);
  expect(again.document).toEqual(running.document);
  await started(again, store);
});

test('the same source without a block is refused by a node of its own, in words', async () => {
  const store = createMemoryStore();
  await (await started(first, store)).stop();
  await expect(started(second, store)).rejects.toThrow(
    'table things: field price is new and has a default; table things: field tags is new and has a default; table sales is new; give it a block after 0',
  );
});

test('changes that no chain can take are shown without those that it can', async () => {
  const store = createMemoryStore();
  await (await started(first, store)).stop();
  const { put, sell } = second.actions;
  await expect(started(defineRollup({ ...second, actions: { sell, put } }), store)).rejects.toThrow(
    'the definition: expected that of the stored blocks, the last of which is 0, got action put number is 2, was 1; put it back',
  );
});

const base = {
  name: 'shop',
  genesis: { owner: asset },
  tables: [
    table({
      name: 'markets',
      key: u32,
      value: record({ title: text({ maxBytes: 8 }), state: union({ open: {}, shut: {} }), who: option(u32) }),
    }),
  ],
  actions: { put: action({ fields: { id: u32 }, execute: () => undefined }) },
};
const rows = (value: Parameters<typeof record>[0]) => ({
  tables: [table({ name: 'markets', key: u32, value: record(value) })],
});
const title = text({ maxBytes: 8 });
const state = union({ open: {}, shut: {} });
const who = option(u32);

// Defect: Another definition was refused by two digests
test.each([
  ['open', rows({ title, state, who, fee: u64 }), 'table markets: field fee is new and has a default'],
  ['refused', rows({ title, state, who, fee: asset }), 'table markets: field fee is new and has no default'],
  ['refused', rows({ title, state }), 'table markets: field who is no more'],
  ['refused', rows({ fee: u64, title, state, who }), 'table markets: field title number is 2, was 1'],
  ['refused', rows({ title: u64, state, who }), 'table markets: field title is "u64", was "text"'],
  ['open', rows({ title: text({ maxBytes: 9 }), state, who }), 'table markets: field title maxBytes is 9, was 8'],
  ['refused', rows({ title: text({ maxBytes: 7 }), state, who }), 'table markets: field title maxBytes is 7, was 8'],
  [
    'open',
    rows({ title, state: union({ open: {}, shut: {}, void: {} }), who }),
    'table markets: field state case void is new',
  ],
  ['refused', rows({ title, state: union({ open: {} }), who }), 'table markets: field state: case shut is no more'],
  ['planned', rows({ title, state, who, fee: since(9n, u64) }), 'table markets: field fee is new from block 9 on'],
  [
    'refused',
    rows({ title, state, who, fee: since(4n, u64) }),
    'table markets: field fee is new from block 4 on, but blocks up to 4 are executed',
  ],
  [
    'planned',
    rows({ title: since(9n, text({ maxBytes: 9 }), title), state, who }),
    'table markets: field title has another type from block 9 on',
  ],
  [
    'refused',
    rows({ title: since(9n, text({ maxBytes: 9 }), text({ maxBytes: 7 })), state, who }),
    'table markets: field title has another type before block 9: maxBytes is 7, was 8',
  ],
  ['refused', { tables: [] }, 'table markets is no more'],
  ['refused', { genesis: { owner: asset, fee: u64 } }, 'genesis member fee is new and has no default'],
  ['refused', { version: 2 }, 'version is 2, was 1'],
  ['refused', { maxActions: 17 }, 'maxActions is 17, was 16'],
  [
    'open',
    { actions: { ...base.actions, drop: action({ fields: {}, execute: () => undefined }) } },
    'action drop is new',
  ],
  ['planned', { migrations: [{ at: 9n, run: () => undefined }] }, 'migration at block 9 is new from block 9 on'],
])('a change is %s, in words: %o', (kind, changes, line) => {
  const { differences } = compareDefinitions(
    defineRollup(base).document,
    defineRollup({ ...base, ...changes }).document,
    4n,
  );
  expect(differences.filter((each) => each.kind === kind).map(differenceLine)).toContain(line);
});

test('a part whose block is executed keeps it, and one whose block is to come may go', () => {
  const begun = defineRollup({ ...base, ...rows({ title, state, who, fee: since(9n, u64) }) }).document;
  const without = defineRollup(base).document;
  const unmarked = defineRollup({ ...base, ...rows({ title, state, who, fee: u64 }) }).document;
  expect(compareDefinitions(begun, without, 8n).differences).toEqual([]);
  expect(compareDefinitions(begun, without, 9n).differences.map(differenceLine)).toEqual([
    'table markets: field fee is no more',
  ]);
  expect(compareDefinitions(begun, unmarked, 9n).differences).toEqual([
    { kind: 'lost', place: 'table markets: field fee', change: 'began at block 9, and has no block any more' },
  ]);
});

test('words of a oneOf and values of a map may become more', () => {
  const find = (words: readonly ['open', ...string[]], maxBytes: number) =>
    defineRollup({ ...base, ...rows({ state: oneOf(...words), notes: map(u32, text({ maxBytes }), { maxItems: 4 }) }) })
      .document;
  expect(compareDefinitions(find(['open'], 8), find(['open', 'shut'], 9), 4n).differences.map(differenceLine)).toEqual([
    'table markets: field state words are ["open","shut"], were ["open"]',
    'table markets: field notes maxBytes is 9, was 8',
  ]);
  const fewer = compareDefinitions(find(['open', 'shut'], 8), find(['open'], 8), 4n).differences;
  expect(fewer).toMatchObject([{ kind: 'refused', place: 'table markets: field state' }]);
});
