import { createMemoryStore, raw, type StateReader, table, u32Key, u64, u64Key } from '@switchyard/machine';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { findItems, IndexBehind } from './find-items.ts';
import { termHash } from './term-hash.ts';
import { TermIndex, type TermSource } from './term-index.ts';

/** Items are lists of terms, in chunks of any size. */
const chunks = table({ prefix: 'items/', key: u64Key, value: raw });
const counts = table({ prefix: 'count/', key: u32Key, value: u64, absent: 0n });
const getItems = (state: StateReader, first: bigint): string[][] =>
  JSON.parse(Buffer.from(chunks.get(state, first) ?? Buffer.from('[]')).toString());
const source: TermSource = {
  count: (state) => counts.get(state, 0),
  // Each term twice: a source need not know that it has one already.
  chunk: (state, first) => getItems(state, first).map((terms) => [...terms, ...terms].map(termHash)),
};

async function indexed(blocks: readonly (readonly string[][])[], keep?: bigint) {
  const store = createMemoryStore();
  const index = new TermIndex('index/terms/', source, keep);
  const all: string[][] = [];
  for (const [number, block] of blocks.entries()) {
    const state = store.begin();
    if (block.length > 0) chunks.put(state, BigInt(all.length), Buffer.from(JSON.stringify(block)));
    all.push(...block);
    counts.put(state, 0, BigInt(all.length));
    index.advance(state);
    await store.commit(store.seal(state, BigInt(number)));
  }
  const find = (terms: string[], query: { before?: bigint; after?: bigint; limit: number }) =>
    findItems(index, {
      ...query,
      terms,
      snapshot: () => store.snapshot(),
      read: (_, item) => (terms.every((term) => all[Number(item)]?.includes(term)) ? Number(item) : undefined),
    });
  return { all, index, store, find };
}

const someTerms = fc.uniqueArray(fc.constantFrom('a', 'b', 'c', 'd', 'rare'), { maxLength: 3 });
const getBlocks = (sizes: readonly number[], terms: readonly string[][]) => {
  let next = 0;
  return sizes.map((size) =>
    Array.from({ length: size }, () => {
      next += 1;
      return terms[(next * 7) % terms.length] ?? [];
    }),
  );
};

test('finds what reading everything finds, from any place and in both directions', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.integer({ min: 0, max: 256 }), { minLength: 1, maxLength: 12 }),
      fc.array(someTerms, { minLength: 3, maxLength: 11 }),
      fc.uniqueArray(fc.constantFrom('a', 'b', 'rare', 'absent'), { minLength: 1, maxLength: 2 }),
      fc.integer({ min: 0, max: 3_200 }),
      fc.integer({ min: 1, max: 40 }),
      async (sizes, terms, wanted, place, limit) => {
        const { all, find } = await indexed(getBlocks(sizes, terms));
        const matching = all.flatMap((has, item) => (wanted.every((term) => has.includes(term)) ? [item] : []));
        const before = await find(wanted, { before: BigInt(place), limit });
        expect(before.items).toEqual(
          matching
            .filter((item) => item < place)
            .slice(-limit)
            .reverse(),
        );
        const after = await find(wanted, { after: BigInt(place), limit });
        expect(after.items).toEqual(
          matching
            .filter((item) => item > place)
            .slice(0, limit)
            .reverse(),
        );
      },
    ),
    { numRuns: 40 },
  );
});

test('pages that follow the cursors show every item once', async () => {
  const { all, find } = await indexed(getBlocks(Array(12).fill(200), [['a'], ['b'], ['a', 'b'], []]));
  const expected = all.flatMap((has, item) => (has.includes('a') ? [item] : []));
  const down: number[] = [];
  for (let before: bigint | undefined | null; before !== null; ) {
    const page = await find(['a'], { limit: 70, ...(before === undefined ? {} : { before }) });
    down.push(...page.items);
    before = page.older;
  }
  expect(down).toEqual(expected.toReversed());
  const up: number[] = [];
  for (let after = -1n, seen = -1; seen !== up.length; ) {
    seen = up.length;
    const page = await find(['a'], { limit: 70, after });
    up.push(...page.items.toReversed());
    after = page.newer;
  }
  expect(up).toEqual(expected);
});

test('what is in no segment yet is read once, and not again for each search', async () => {
  const store = createMemoryStore();
  let read = 0;
  const counted = {
    ...source,
    chunk(state: StateReader, first: bigint) {
      read += 1;
      return source.chunk(state, first);
    },
  };
  const index = new TermIndex('index/terms/', counted, undefined);
  const state = store.begin();
  for (const first of [0, 100, 200]) {
    chunks.put(state, BigInt(first), Buffer.from(JSON.stringify(Array(100).fill(['a', `${first}`]))));
  }
  counts.put(state, 0, 300n);
  index.advance(state);
  await store.commit(store.seal(state, 0n));
  let items = 0;
  const search = (...terms: string[]) =>
    findItems(index, {
      terms,
      limit: 500,
      snapshot: () => store.snapshot(),
      read(_, item) {
        items += 1;
        return item;
      },
    });
  expect((await search('absent')).items).toEqual([]);
  expect((await search('a', '100')).items).toHaveLength(100);
  // Each chunk once, and no item that does not match.
  expect([read, items]).toEqual([3, 100]);
});

test('what is older than the limit is deleted, and the newest stay', async () => {
  const { index, store, find } = await indexed(getBlocks(Array(40).fill(256), [['a']]), 1_024n);
  const state = store.snapshot();
  const { firstSegment, nextSegment } = index.indexed(state);
  expect(nextSegment - firstSegment).toBeLessThanOrEqual(3n);
  const rows = [...state.range({ prefix: 'index/terms/', limit: 10_000 })];
  // For each segment its bounds and one bucket, and one row about all.
  expect(rows).toHaveLength(Number(nextSegment - firstSegment) * 2 + 1);
  const { items, older } = await find(['a'], { limit: 5_000 });
  expect(items.length).toBeGreaterThanOrEqual(1_024);
  expect([items[0], older]).toEqual([40 * 256 - 1, null]);
});

test('the index of what came before it is made in the course of some blocks, and a search states how far it is', async () => {
  const store = createMemoryStore();
  const state = store.begin();
  for (let first = 0; first < 10_240; first += 256) {
    chunks.put(state, BigInt(first), Buffer.from(JSON.stringify(Array(256).fill(['a']))));
  }
  counts.put(state, 0, 10_240n);
  await store.commit(store.seal(state, 0n));
  const index = new TermIndex('index/terms/', source, undefined);
  const search = () =>
    findItems(index, { terms: ['a'], limit: 1, snapshot: () => store.snapshot(), read: (_, item) => item });
  await expect(search()).rejects.toThrow(new IndexBehind(0n, 10_240n));
  for (let block = 1n; index.indexed(store.snapshot()).nextItem < 10_240n; block += 1n) {
    expect(block).toBeLessThan(10n);
    const later = store.begin();
    index.advance(later);
    await store.commit(store.seal(later, block));
  }
  expect((await search()).items).toEqual([10_239n]);
});
