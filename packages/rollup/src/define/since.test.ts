import { createMemoryStore } from '@switchyard/machine';
import { Input } from '@switchyard/service/input';
import { afterEach, expect, test } from 'vitest';
import { text, u32, u64 } from '../schema/scalars.ts';
import { list, option, record } from '../schema/shapes.ts';
import { since } from '../schema/since.ts';
import { signers } from '../testing/tally.ts';
import { testRollup } from '../testing/test-rollup.ts';
import { contractFrom } from './contract-from.ts';
import { type AnyRollup, action, defineRollup, fallback } from './definition.ts';
import { single, table } from './table.ts';
import { signTransaction } from './transaction.ts';

const [alice] = signers;
const GENESIS = JSON.stringify({ rollup_name: 'shop', sequencer_chain_id: 'sequencer-0' });

/** The first program: things with a name and tags. */
const firstThings = table({
  name: 'things',
  key: u32,
  value: record({ name: text({ maxBytes: 8 }), tags: list(u32, { maxItems: 2 }) }),
});
const first = defineRollup({
  name: 'shop',
  genesis: { limit: fallback(u32, 9) },
  tables: [firstThings],
  actions: {
    put: action({
      fields: { id: u32, name: text({ maxBytes: 8 }) },
      execute: ({ id, name }, { state }) => firstThings.put(state, id, { name, tags: [id] }),
    }),
  },
});

/** A later one: from block 3 on things have a price, longer names and more tags, and there is a table of sales. */
const AT = 3n;
const name = since(AT, text({ maxBytes: 32 }), text({ maxBytes: 8 }));
const things = table({
  name: 'things',
  key: u32,
  value: record({
    name,
    tags: since(AT, list(u32, { maxItems: 4 }), list(u32, { maxItems: 2 })),
    price: since(AT, u64),
  }),
});
const sales = table({ name: 'sales', from: AT, key: u32, value: u64 });
const later = defineRollup({
  name: 'shop',
  genesis: { limit: fallback(u32, 9), fee: fallback(since(AT, u64), 7n) },
  tables: [things, sales],
  actions: {
    put: action({
      fields: { id: u32, name, price: since(AT, u64) },
      // It writes the newest shape in every block: rows of earlier ones lack later members.
      execute: ({ id, name: given }, { state }) => things.put(state, id, { name: given, tags: [id], price: 5n }),
    }),
    sell: action({ from: AT, fields: { id: u32 }, execute: ({ id }, { state }) => sales.put(state, id, 1n) }),
  },
});

const stopping: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const stop of stopping.splice(0)) await stop();
});
async function started<D extends typeof first | typeof later>(defined: D, store = createMemoryStore()) {
  const node = await testRollup(defined as typeof later, GENESIS, { store });
  stopping.push(() => node.stop());
  return node;
}
const signed = async (by: AnyRollup, node: Awaited<ReturnType<typeof started>>, nonce: number, fields: object) =>
  signTransaction(by, { nonce, chainId: node.node.genesis.chainId, actions: [{ kind: 'put', ...fields }] }, alice);

// Defect: A change of a schema on a running chain made a different chain
test('blocks before the parts begin are those of the program without them, also where a handler writes them', async () => {
  const [old, node] = [await started(first), await started(later)];
  const transactions = [
    await signed(first, old, 0, { id: 1, name: 'a' }),
    await signed(later, old, 1, { id: 2, name: 'b'.repeat(32), price: 0n }),
    await signed(later, old, 1, { id: 2, name: 'b', price: 4n }),
  ];
  for (const data of [transactions, []]) {
    await Promise.all([old.block({ data }), node.block({ data })]);
    expect(node.chain.view.block).toEqual(old.chain.view.block);
  }
  expect([...things.range(node.chain.view.snapshot, { limit: 9 })]).toEqual([[1, { name: 'a', tags: [1], price: 0n }]]);
});

// Defect: Clients and data of before an upgrade ended with it
test('older clients and data stay valid when the parts have begun, on a chain that runs already', async () => {
  expect([later.fingerprint, later.typeUrl]).toEqual([first.fingerprint, first.typeUrl]);
  const store = createMemoryStore();
  const old = await started(first, store);
  await old.block({ data: [await signed(first, old, 0, { id: 1, name: 'a' })] });
  await old.stop();

  const node = await started(later, store);
  await node.block();
  const longName = 'b'.repeat(32);
  await node.block({
    data: [
      await signed(first, node, 1, { id: 2, name: 'old' }),
      await signed(later, node, 2, { id: 3, name: longName, price: 4n }),
    ],
  });
  expect([...things.range(node.chain.view.snapshot, { limit: 9 })]).toEqual([
    [1, { name: 'a', tags: [1], price: 0n }],
    [2, { name: 'old', tags: [2], price: 5n }],
    [3, { name: longName, tags: [3], price: 5n }],
  ]);
  await node.client.submit.sell({ id: 3 }, alice, { until: 'accepted' });
  await node.block();
  expect(node.chain.view.block.executed).toBe(1);
});

test('a newer client is refused with the block at which its part begins', async () => {
  const node = await started(later);
  const accepted = { until: 'accepted' } as const;
  await expect(node.client.submit.put({ id: 1, name: 'a', price: 5n }, alice, accepted)).rejects.toThrow(
    'expected parts of the definition that have begun, got a part that begins at block 3',
  );
  await node.client.submit.put({ id: 1, name: 'a', price: 0n }, alice, accepted);
});

test('the document has the blocks of all parts, and makes the same contract again', () => {
  const document = { ...later.document, fingerprint: later.fingerprint };
  const read = contractFrom(new Input(JSON.parse(JSON.stringify(document)), 'definition'));
  expect(read.document).toEqual(JSON.parse(JSON.stringify(later.document)));
  expect(read.typeUrl).toBe(first.typeUrl);
  expect(later.document.actions).toMatchObject([
    { fields: [{}, { name: 'name', maxBytes: 32, from: '3', before: { maxBytes: 8 } }, { name: 'price', from: '3' }] },
    { name: 'sell', from: '3' },
  ]);
});

const rows = (value: Parameters<typeof since>[1]) => () => table({ name: 'x', key: u32, value: record({ value }) });
test.each([
  ['a field without a default', rows(since(3n, record({ a: u32 }))), 'record has no default for rows and clients'],
  ['block 0', rows(since(0n, u32)), 'since: expected a block from 1 on, got 0'],
  ['blocks out of order', rows(since(2n, u64, since(3n, u32))), 'since: expected a block after 3'],
  ['an option of a later type', () => rows(option(since(3n, u32)))(), 'a part of another one has no block without it'],
  [
    'a member of the genesis without a value',
    () => defineRollup({ name: 'shop', genesis: { a: since(3n, u32) }, actions: first.actions }),
    'fallback(',
  ],
])('%s cannot be defined', (_, define, message) => {
  expect(define).toThrow(message);
});

test('a migration reads rows in the shape before, and writes the one after', async () => {
  const before = record({ size: u32 });
  const sizes = table({ name: 'sizes', key: u32, value: since(2n, record({ size: text({ maxBytes: 9 }) }), before) });
  const put = action({ fields: {}, execute: (_, { state }) => sizes.put(state, 1, { size: 44 as never }) });
  const definition = { name: 'shop', tables: [sizes], actions: { put } };
  const defined = defineRollup({
    ...definition,
    migrations: [
      {
        at: 2n,
        run(state) {
          const row = sizes.before(before).get(state, 1);
          sizes.put(state, 1, { size: `${row?.size} cm` });
        },
      },
    ],
  });
  const node = await testRollup(defined, GENESIS);
  stopping.push(() => node.stop());
  await node.client.submit.put({}, alice, { until: 'accepted' });
  await node.block();
  await node.block();
  expect(sizes.get(node.chain.view.snapshot, 1)).toEqual({ size: '44 cm' });
  expect(() => defineRollup(definition)).toThrow(
    'table sizes: field size is "text", was "u32" from block 2 on: expected a migration at that block',
  );
});

// Defect: A transaction taken before an upgrade was executed by the older format
test('a transaction that was taken before a part begins is executed by the rules of its block, on every node', async () => {
  const total = single({ name: 'total', value: u64, absent: 0n });
  const counting = defineRollup({
    ...{ name: 'shop', tables: [total] },
    actions: {
      put: action({
        fields: { id: u32, price: since(2n, u64) },
        execute: ({ id, price }, { state }) => total.put(state, price === undefined ? 1_000n : BigInt(id) + price),
      }),
    },
  });
  const [taking, other] = [await testRollup(counting, GENESIS), await testRollup(counting, GENESIS)];
  stopping.push(
    () => taking.stop(),
    () => other.stop(),
  );
  const bytes = await signed(counting, taking as never, 0, { id: 7, price: 0n });
  await taking.client.rollup.submit(bytes);
  const [queued] = taking.composer.queued;
  taking.composer.forget();
  for (const data of [[], [queued as Uint8Array]]) {
    await Promise.all([taking.block({ data }), other.block({ data })]);
    expect(taking.chain.view.block).toEqual(other.chain.view.block);
  }
  expect(total.get(taking.chain.view.snapshot)).toBe(7n);
});
