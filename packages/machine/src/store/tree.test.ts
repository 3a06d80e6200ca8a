import { EMPTY_ROOT, hashKey, sha256, toHex } from '@switchyard/protocol';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { DELETED } from './changes.ts';
import { oracleRoot } from './oracle.testing.ts';
import { compareHashes, MAX_PAGE_SIZE, type TreeChange, toPath, updateTree } from './tree.ts';

/** A tree over a map of pages, as a store holds it. */
class TestTree {
  readonly pages = new Map<string, Uint8Array>();
  root: Uint8Array = EMPTY_ROOT;

  /** @returns paths of the pages that were written or removed. */
  update(entries: Iterable<readonly [string, Uint8Array | undefined]>): string[] {
    const changes = [...new Map(entries)].map(([key, value]): TreeChange => {
      return { keyHash: hashKey(key), valueHash: value === undefined ? undefined : sha256(value) };
    });
    changes.sort((a, b) => compareHashes(a.keyHash, b.keyHash));
    const update = updateTree((path) => this.pages.get(path), this.root, changes);
    for (const [path, page] of update.pages) {
      if (page === DELETED) this.pages.delete(path);
      else this.pages.set(path, page);
    }
    this.root = update.root;
    return [...update.pages.keys()];
  }
}

const value = (...bytes: number[]) => Uint8Array.from(bytes);
const numbered = (count: number) => Array.from({ length: count }, (_, i) => [`key/${i}`, value(i & 255)] as const);

// Computed by a second program of twenty lines, in another language.
test.each([
  ['no key', [], '00'.repeat(32)],
  ['one key', ['a'], '839efbcb8c889bceb53874eb1a6fbd55bcb1a562cacb30c56df95834939f0db9'],
  ['two keys', ['a', 'b'], 'b9dc0ee16a2c02ea1f52e98bd56b6534c46188f58c56f44f4c943e37a938b240'],
])('has the pinned root with %s', (_, keys, root) => {
  const tree = new TestTree();
  tree.update(keys.map((key) => [key, value(1)]));
  expect(toHex(tree.root)).toBe(root);
});

test('has the pinned root after a fixed script', () => {
  const tree = new TestTree();
  tree.update(numbered(1000));
  expect(toHex(tree.root)).toBe('5ca6599df64dd7c834fa8c6dcd646d8cc44ca6c5a7dd5ee2bec2a283ba8990d1');
  tree.update(numbered(900).map(([key]) => [key, undefined]));
  expect(toHex(tree.root)).toBe('53ab3aecd253a01871d9237a1bc609eea2e3bbdebfd585111eee8695b15f8760');
});

test('has the root of the definition and the pages of a fresh tree, whatever was written before', () => {
  const keys = Array.from({ length: 300 }, (_, i) => `key/${i}`);
  const entry = fc.tuple(
    fc.constantFrom(...keys),
    fc.option(fc.uint8Array({ maxLength: 2 }), { nil: undefined, freq: 1 }),
  );
  const batch = fc.array(entry, { maxLength: 200, size: 'max' });
  fc.assert(
    fc.property(fc.array(batch, { maxLength: 8 }), (batches) => {
      const tree = new TestTree();
      const contents = new Map<string, Uint8Array>();
      for (const entries of batches) {
        tree.update(entries);
        for (const [key, stored] of entries) {
          if (stored === undefined) contents.delete(key);
          else contents.set(key, stored);
        }
        expect(tree.root).toEqual(oracleRoot(contents));
      }
      const fresh = new TestTree();
      fresh.update(contents);
      expect(tree.pages).toEqual(fresh.pages);
    }),
    { numRuns: 40 },
  );
}, 60_000);

test('keeps every page within its bound and none of them tiny', () => {
  const tree = new TestTree();
  tree.update(numbered(20_000));
  const sizes = [...tree.pages.values()].map((page) => page.length);
  expect(Math.max(...sizes)).toBeLessThanOrEqual(MAX_PAGE_SIZE);
  expect(sizes.reduce((sum, size) => sum + size) / sizes.length).toBeGreaterThan(MAX_PAGE_SIZE / 2);
});

test('touches only the pages on the way to a changed key', () => {
  const tree = new TestTree();
  tree.update(numbered(20_000));
  const touched = tree.update([['key/7', value(9, 9)]]);
  // 20,000 keys at 10 to 20 in a page at the bottom, 16 pages in a page above.
  expect(touched.length).toBeLessThanOrEqual(5);
  expect(touched).toContain('');
});

test('writes nothing when values stay what they were', () => {
  const tree = new TestTree();
  tree.update(numbered(500));
  expect(tree.update(numbered(500))).toEqual([]);
  expect(tree.update([['absent', undefined]])).toEqual([]);
});

test('ends without pages when all keys are removed', () => {
  const tree = new TestTree();
  tree.update(numbered(500));
  tree.update(numbered(500).map(([key]) => [key, undefined]));
  expect([tree.root, tree.pages.size]).toEqual([EMPTY_ROOT, 0]);
});

test('names the page that is missing or damaged', () => {
  const tree = new TestTree();
  tree.update(numbered(100));
  const damaged = new Map(tree.pages);
  damaged.set('', value(7));
  const change: TreeChange[] = [{ keyHash: hashKey('a'), valueHash: hashKey('b') }];
  expect(() => updateTree(() => undefined, tree.root, change)).toThrow('tree page  is missing');
  expect(() => updateTree((path) => damaged.get(path), tree.root, change)).toThrow('damaged tree page');
});

test('names pages by depth and the bits above them', () => {
  const hash = new Uint8Array(32).fill(0b1010_1111);
  expect(toPath(hash, 1)).toBe('0180');
  expect(toPath(hash, 3)).toBe('03a0');
  expect(toPath(hash, 3, 0)).toBe('0380');
  expect(toPath(hash, 8)).toBe('08af');
  expect(toPath(hash, 9)).toBe('09af80');
  expect(toPath(hash, 16, 0)).toBe('10afae');
});
