import { createMemoryStore, type Store } from '@switchyard/machine';
import { type AccountId, accountIdFromBytes, Rejected } from '@switchyard/protocol';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { address, bytes, text, u32, u64, u128 } from '../schema/scalars.ts';
import { list, option, record } from '../schema/shapes.ts';
import { single, table } from './table.ts';

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

async function commit(store: Store, height: bigint, work: (state: ReturnType<Store['begin']>) => void): Promise<void> {
  const state = store.begin();
  work(state);
  await store.commit(store.seal(state, height));
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
        expect([...holdings.range(snapshot, { first: [account], limit: 100 })]).toEqual(own);
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
      const pages = [...holdings.page(snapshot, undefined, 2)];
      const rest = pages.length < 2 ? [] : [...holdings.page(snapshot, pages[1]?.cursor, 100)];
      expect([...pages, ...rest].map(({ key: at, value }) => [at, value])).toEqual(rows);
    }),
    { numRuns: 200 },
  );
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
      await commit(store, 0n, (state) => {
        plain.put(state, 1n, 2n);
        if (hasDerived) seen.put(state, 1n, 2n);
      });
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
  const rowsOf = (maxBytes: number) => table({ name: 't', key: u64, value: text({ maxBytes }) }).maxPageRows;
  expect([100, 100_000, 1_048_576].map(rowsOf)).toEqual([200, 41, 4]);
  const many = list(text({ maxBytes: 1_048_576 }), { maxItems: 1_000 });
  expect(table({ name: 't', key: u64, value: many }).maxPageRows).toBe(1);
});

test('a cursor that is none is refused, and an index that is none is a bug', () => {
  const snapshot = createMemoryStore().snapshot();
  expect(() => [...holdings.page(snapshot, 'é', 1)]).toThrow(Rejected);
  expect(() => [...holdings.by(snapshot, 'other', [], { limit: 1 })]).toThrow('table "holdings" has no index "other"');
  expect(() =>
    holdings.put(createMemoryStore().begin(), [accounts[0] as AccountId, 1n], { amount: -1n, label: '' }),
  ).toThrow('amount: expected a bigint from 0 to 2^128 - 1, got -1');
});
