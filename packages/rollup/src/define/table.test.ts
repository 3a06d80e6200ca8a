import { createMemoryStore, type Store } from '@switchyard/machine';
import { type AccountId, accountIdFromBytes, Rejected } from '@switchyard/protocol';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { RollupNode } from '../app/node.ts';
import { address, bytes, text, u32, u64, u128 } from '../schema/scalars.ts';
import { list, option, record } from '../schema/shapes.ts';
import { writeIndexes } from './indexes.ts';
import { SEARCH, wordKeys } from './search.ts';
import { CountedState, stepsOfAction } from './steps.ts';
import { type AnyTable, single, table } from './table.ts';
import { toPage } from './table-route.ts';

const accounts = [1, 2, 3].map((byte) => accountIdFromBytes(new Uint8Array(20).fill(byte)));
const holdings = table({
  name: 'holdings',
  key: [address, u64],
  value: record({ amount: u128, label: text({ maxBytes: 8 }), until: option(u32) }),
  indexes: {
    label: { key: [text({ maxBytes: 8 })], of: ({ label }) => [label] },
    until: { key: [u32], of: ({ until }) => (until === undefined ? undefined : [until]) },
  },
});

type Row = { readonly amount: bigint; readonly label: string; readonly until?: number | undefined };
type Key = readonly [AccountId, bigint];

const compare = (left: string, right: string) => (left < right ? -1 : left > right ? 1 : 0);
const order = ([a, b]: readonly [Key, unknown], [c, d]: readonly [Key, unknown]) =>
  compare(a[0], c[0]) || Number(a[1] - c[1]) || Number(b === d);

/** Commits as a node commits a block. */
async function commit(
  store: Store,
  height: bigint,
  work: (state: ReturnType<Store['begin']>) => void,
  tables: readonly AnyTable[] = [holdings],
): Promise<void> {
  const state = store.begin();
  work(state);
  const rows = store.begin(store.seal(state, 2n * height));
  writeIndexes(tables, state, rows, (problem) => expect.fail(problem));
  await store.commit(store.seal(rows, 2n * height + 1n));
}

test('rows, ranges and indexes are those of a map, whatever is put and deleted', async () => {
  const key = fc.tuple(fc.constantFrom(...accounts), fc.bigInt({ min: 0n, max: 3n }));
  const row: fc.Arbitrary<Row> = fc.record({
    amount: fc.bigInt({ min: 0n, max: 5n }),
    label: fc.constantFrom('', 'a', 'a/b', 'é'),
    until: fc.option(fc.nat(3), { nil: undefined }),
  });
  const change = fc.record({ key, row: fc.option(row, { nil: undefined }) });
  await fc.assert(
    fc.asyncProperty(fc.array(fc.array(change, { maxLength: 6 }), { maxLength: 4 }), async (blocks) => {
      const store = createMemoryStore();
      const model = new Map<string, readonly [Key, Row]>();
      for (const [height, changes] of blocks.entries()) {
        await commit(store, BigInt(height), (state) => {
          for (const { key: at, row: value } of changes) {
            if (value === undefined) holdings.delete(state, at);
            else holdings.put(state, at, value);
            if (value === undefined) model.delete(String(at));
            else model.set(String(at), [at, value]);
            expect(holdings.get(state, at)).toEqual(value);
          }
        });
      }
      const snapshot = store.snapshot();
      const rows = [...model.values()].sort(order);
      expect([...holdings.range(snapshot, { limit: 100 })]).toEqual(rows);
      expect([...holdings.range(snapshot, { limit: 100, reverse: true })]).toEqual([...rows].reverse());
      for (const account of accounts) {
        const own = rows.filter(([[owner]]) => owner === account);
        expect([...holdings.range(snapshot, { prefix: [account], limit: 100 })]).toEqual(own);
        const middle = own.filter(([[, id]]) => id > 0n && id < 3n);
        expect([...holdings.range(snapshot, { after: [account, 0n], before: [account, 3n], limit: 100 })]).toEqual(
          middle,
        );
      }
      for (const label of ['', 'a', 'a/b', 'é'])
        expect([...holdings.by(snapshot, 'label', [label], { limit: 100 })]).toEqual(
          rows.filter(([, { label: its }]) => its === label),
        );
      const ending = rows.filter(([, { until }]) => until !== undefined);
      const found = [...holdings.by(snapshot, 'until', [], { limit: 100 })];
      expect(found.map(([, { until }]) => until)).toEqual(found.map(([, { until }]) => until).sort());
      expect([...found].sort(order)).toEqual(ending);
      for (const index of [undefined, 'label', 'until']) {
        const pages = [...holdings.page(snapshot, { index, limit: 2 })];
        const rest = pages.length < 2 ? [] : holdings.page(snapshot, { index, after: pages[1]?.cursor, limit: 100 });
        const paged = [...pages, ...rest].map(({ key: at, value }) => [at, value]);
        expect(paged).toEqual(
          index === undefined ? rows : [...holdings.by(snapshot, index as 'label', [], { limit: 100 })],
        );
      }
      for (const [at, value] of rows) {
        const one = [...holdings.page(snapshot, { first: at, limit: 100 })];
        expect(one).toMatchObject([{ key: at, value }]);
        expect([...holdings.page(snapshot, { first: at, after: one[0]?.cursor, limit: 100 })]).toEqual([]);
      }
    }),
    { numRuns: 200 },
  );
});

test('a search with words that many rows have goes through a bounded number of them for a page', async () => {
  const texts = table({ name: 'texts', key: u64, value: record({ text: text({ maxBytes: 16 }) }), search: ['text'] });
  const store = createMemoryStore();
  await commit(
    store,
    0n,
    (state) => {
      for (let id = 0n; id < 2_010n; id += 1n) texts.put(state, id, { text: id < 2_000n ? 'many' : 'many rare' });
    },
    [texts],
  );
  const [first = [], ...also] = wordKeys(['many', 'rare']);
  const found = (after?: string) => {
    // A page reads nothing else of a node.
    const node = { view: { snapshot: store.snapshot() } } as RollupNode;
    const { rows, next } = toPage(texts, node, { ...{ index: SEARCH, first, also, limit: 6, after } });
    return { ids: rows.map(({ key }) => Number(key[0])), next };
  };
  const [empty, full] = [found(), found(found().next ?? '')];
  expect(empty).toMatchObject({ ids: [], next: expect.stringMatching(/00000000000007cf$/) });
  expect(full.ids).toEqual([2_000, 2_001, 2_002, 2_003, 2_004, 2_005]);
  expect(found(full.next ?? '')).toEqual({ ids: [2_006, 2_007, 2_008, 2_009], next: null });
});

test('derived rows and indexes are no part of the state root', async () => {
  const roots = await Promise.all(
    [true, false].map(async (hasDerived) => {
      const store = createMemoryStore();
      const seen = table({ name: 'seen', key: u64, value: u64, derived: true });
      const plain = table({
        name: 'plain',
        key: u64,
        value: u64,
        ...(hasDerived && { indexes: { value: { key: [u64], of: (value: bigint) => [value] } } }),
      });
      await commit(
        store,
        0n,
        (state) => {
          plain.put(state, 1n, 2n);
          if (hasDerived) seen.put(state, 1n, 2n);
        },
        [plain],
      );
      return Buffer.from(store.snapshot().root).toString('hex');
    }),
  );
  expect(roots[0]).toBe(roots[1]);
});

test('keys and rows on disk are pinned', async () => {
  const named = table({ name: 'named', key: [text({ maxBytes: 8 }), bytes({ length: 2 }), u128], value: u64 });
  expect(named.storeKey(['a/é', Uint8Array.of(1, 255), 258n])).toBe(
    'tables/named/a%2F%C3%A9/01ff/00000000000000000000000000000102',
  );
  const store = createMemoryStore();
  const one = single({ name: 'one', value: u64 });
  await commit(store, 0n, (state) => {
    one.put(state, 300n);
    holdings.put(state, [accounts[0] as AccountId, 7n], { amount: 1n, label: 'x' });
  });
  const snapshot = store.snapshot();
  const rows = ['tables/', 'index/'].flatMap((prefix) => [...snapshot.range({ prefix, limit: 9 })]);
  expect(rows.map(([key, value]) => `${key} ${Buffer.from(value).toString('hex')}`)).toEqual([
    `tables/holdings/${'01'.repeat(20)}/0000000000000007 0a0208011201${'78'}`,
    'tables/one/_ 08ac02',
    `index/by/holdings/label/x/${'01'.repeat(20)}/0000000000000007 01`,
  ]);
});

test('a page has fewer rows the larger they may be', () => {
  const getRows = (maxBytes: number) => table({ name: 't', key: u64, value: text({ maxBytes }) }).maxPageRows;
  expect([100, 100_000, 1_048_576].map(getRows)).toEqual([200, 41, 4]);
  const many = list(text({ maxBytes: 1_048_576 }), { maxItems: 1_000 });
  expect(table({ name: 't', key: u64, value: many }).maxPageRows).toBe(1);
});

test('a cursor that is none is refused, and an index that is none is a bug', () => {
  const snapshot = createMemoryStore().snapshot();
  expect(() => [...holdings.page(snapshot, { after: 'é', limit: 1 })]).toThrow(Rejected);
  // @ts-expect-error: there is no such index
  expect(() => [...holdings.by(snapshot, 'other', [], { limit: 1 })]).toThrow('table "holdings" has no index "other"');
  expect(() =>
    holdings.put(createMemoryStore().begin(), [accounts[0] as AccountId, 1n], { amount: -1n, label: '' }),
  ).toThrow('amount: expected a bigint from 0 to 2^128 - 1, got -1');
});

// Defect: An index function that throws ended the chain
test('a row that an index cannot have is left out and reported, and comes in with a row that it can have', async () => {
  const named = table({
    name: 'named',
    key: u64,
    value: text({ maxBytes: 8 }),
    indexes: {
      second: {
        key: [text({ maxBytes: 8 })],
        of: (name) => (name === '' ? undefined : [(name.split(' ')[1] as string).toLowerCase()]),
      },
    },
  });
  const store = createMemoryStore();
  const problems: string[] = [];
  for (const [height, name] of ['a B', 'x', 'c D'].entries()) {
    const state = store.begin();
    named.put(state, 1n, name);
    const rows = store.begin(store.seal(state, BigInt(2 * height)));
    writeIndexes([named], state, rows, (problem) => problems.push(problem));
    await store.commit(store.seal(rows, BigInt(2 * height + 1)));
    const found = [...named.by(store.snapshot(), 'second', [], { limit: 9 })].map(([, row]) => row);
    expect(found).toEqual(name === 'x' ? [] : [name]);
  }
  expect(problems).toEqual([expect.stringContaining('table named: index second leaves out row tables/named/')]);
});

// Defect: Names and parts of indexes and prefixes had no types
// Defect: A range whose prefix had all parts of a key found nothing, also if the row exists
test('parts of keys and indexes have their types', () => {
  const state = createMemoryStore().snapshot();
  const limit = 1;
  const account = accounts[0] as AccountId;
  expect(holdings.range(state, { prefix: [account], limit })).toEqual([]);
  // @ts-expect-error: all parts are one row
  expect(() => holdings.range(state, { prefix: [account, 1n], limit })).toThrow('fewer parts than the key has; get');
  expect([...holdings.by(state, 'label', ['x'], { limit })]).toEqual([]);
  // @ts-expect-error: a number is no account
  expect(() => holdings.range(state, { prefix: [1n], limit })).toThrow(
    'table holdings: key[0]: expected 20 bytes as lower',
  );
  // @ts-expect-error: the key has two parts
  expect(() => holdings.range(state, { prefix: [account, 1n, 1n], limit })).toThrow(
    'table holdings: key: expected 2 parts',
  );
  // @ts-expect-error: the index has a text
  expect(() => [...holdings.by(state, 'label', [1n], { limit })]).toThrow('key: expected text of at most 8 bytes');
  expect(() => holdings.range(state, { limit: -1 })).toThrow('limit: expected a whole number from 0 on, got -1');
});

// Defect: A text key was not bounded by its own type
test.each<[string, unknown, string]>([
  ['a longer text', 'é'.repeat(9), 'expected text of at most 16 bytes, got 18 bytes'],
  ['half of a surrogate pair', '\ud800', 'got half of a surrogate pair'],
  ['nothing', undefined, 'got nothing'],
  ['a number', 1, 'expected text of at most 16 bytes, got 1'],
])('a key has the bounds of its type, before anything is written: %s', (_, name, message) => {
  const named = table({ name: 'named', key: [text({ maxBytes: 16 }), u32], value: u32 });
  const state = createMemoryStore().begin();
  for (const use of [
    () => named.put(state, [name as string, 1], 1),
    () => named.get(state, [name as string, 1]),
    () => named.delete(state, [name as string, 1]),
    () => named.range(state, { prefix: [name as string], limit: 1 }),
  ])
    expect(use).toThrow(
      `table named: key[0]: ${message.startsWith('got') ? 'expected text of at most 16 bytes, ' : ''}${message}`,
    );
  for (const bad of [-1, 2 ** 32, 0.5, Number.NaN])
    expect(() => named.put(state, ['', bad], 1)).toThrow(
      'table named: key[1]: expected a whole number from 0 to 2^32 - 1',
    );
  expect(() => named.put(state, ['x'] as never, 1)).toThrow('table named: key: expected 2 parts, got 1');
  expect(state.size).toBe(0);
  named.put(state, ['', 1], 1);
  named.put(state, ['a\0/', 1], 2);
  expect(named.range(state, { limit: 9 })).toEqual([
    [['', 1], 1],
    [['a\0/', 1], 2],
  ]);
});

// Defect: A text that is no account was taken as a key
test('an account that is none is no key', () => {
  const held = table({ name: 'held', key: address, value: u64 });
  const state = createMemoryStore().begin();
  for (const bad of ['', 'astria1rsxyjrcm255ds9euthjx6yc3vrjt9sxrm9cfgm', `${'0'.repeat(39)}/`, '0'.repeat(41)])
    expect(() => held.put(state, bad as AccountId, 1n)).toThrow('table held: key: expected 20 bytes as lower-case hex');
});

// Defect: Handlers could not read in order
test('a handler reads ranges of what its block has written, and pays a step for each row', async () => {
  const rows = table({ name: 'rows', key: [u32, u64], value: u64 });
  const store = createMemoryStore();
  await commit(store, 0n, (state) => {
    for (let id = 0n; id < 20n; id += 1n) rows.put(state, [1, id], id);
  });
  const state = new CountedState(store.begin(), stepsOfAction('read', 30)(undefined));
  rows.delete(state, [1, 0n]);
  rows.put(state, [1, 5n], 50n);
  rows.put(state, [2, 0n], 1n);
  expect(rows.first(state, { prefix: [1] })).toEqual([[1, 1n], 1n]);
  expect(rows.last(state)).toEqual([[2, 0n], 1n]);
  expect(rows.last(state, { prefix: [1], before: [1, 6n] })).toEqual([[1, 5n], 50n]);
  expect(rows.first(state, { prefix: [3] })).toBeUndefined();
  expect(rows.range(state, { prefix: [1], after: [1, 3n], limit: 2, reverse: true }).map(([[, id]]) => id)).toEqual([
    19n,
    18n,
  ]);
  // Three writes, three rows, the range of two, the search that found none, and a search for each range.
  expect(rows.range(state, { prefix: [1], limit: 16 })).toHaveLength(16);
  expect(() => rows.first(state)).toThrow('limit reached: action read, field steps, limit 30');
  const tooMany = new CountedState(store.begin(), stepsOfAction('read', 10)(undefined));
  expect(() => rows.range(tooMany, { limit: 10 })).toThrow('limit reached');
});
