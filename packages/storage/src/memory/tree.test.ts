import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { StoreRange } from '../store-table.ts';
import type { Node } from './node.ts';
import { Tree } from './tree.ts';

const value = (item: number) => Uint8Array.of(item >>> 16, item >>> 8, item);
const getKey = (item: number) => String(item).padStart(7, '0');

function getNodes(node: Node): Node[] {
  return [node, ...node.children.flatMap(getNodes)];
}

function makeHeight(node: Node): number {
  return 1 + Math.max(0, ...node.children.map(makeHeight));
}

/** Throws if a node has a key that does not belong there. */
function expectSound(node: Node, above = '\uffff'): void {
  const { keys, values, children } = node;
  expect(keys.length).toBeLessThanOrEqual(64);
  expect([values.length, children.length].sort()).toEqual([0, keys.length]);
  expect(keys).toEqual(Array.from(new Set(keys)).sort());
  expect(keys.every((key) => key < above)).toBe(true);
  for (const [at, child] of children.entries()) {
    expect(child.keys.every((key) => key >= (keys[at] ?? above))).toBe(true);
    expectSound(child, keys[at + 1] ?? above);
  }
}

/** Rows of a range by the definition of it. */
function expected(model: ReadonlyMap<string, Uint8Array>, range: StoreRange<string>) {
  const { start, end, reverse = false, exclusiveStart = false, inclusiveEnd = false, limit } = range;
  const rows = Array.from(model).sort(([a], [b]) => (a < b ? -1 : 1));
  if (reverse) rows.reverse();
  const follows = (key: string, bound: string) => (reverse ? key < bound : key > bound);
  return rows
    .filter(([key]) => start === undefined || follows(key, start) || (key === start && !exclusiveStart))
    .filter(([key]) => end === undefined || follows(end, key) || (key === end && inclusiveEnd))
    .slice(0, limit);
}

const anyRange = (key: fc.Arbitrary<string>): fc.Arbitrary<StoreRange<string>> =>
  fc.record(
    {
      start: key,
      end: key,
      reverse: fc.boolean(),
      exclusiveStart: fc.boolean(),
      inclusiveEnd: fc.boolean(),
      limit: fc.nat(9),
    },
    { requiredKeys: [] },
  );

/** Steps that write many keys of a narrow or wide space, so that nodes are divided and joined. */
const anyKey = fc.nat(3_000).map(getKey);
const anyStep = fc.oneof(
  fc.record({ kind: fc.constant('set' as const), keys: fc.array(anyKey, { maxLength: 400 }) }),
  fc.record({ kind: fc.constant('rise' as const), from: fc.nat(3_000), count: fc.nat(300) }),
  fc.record({ kind: fc.constant('delete' as const), keys: fc.array(anyKey, { maxLength: 400 }) }),
  fc.record({ kind: fc.constant('clear' as const), from: fc.nat(3_000), count: fc.nat(2_000) }),
  fc.record({ kind: fc.constant('copy' as const) }),
);

test('a tree and its copies have what a sorted list of the same steps has', () => {
  fc.assert(
    fc.property(fc.array(anyStep, { maxLength: 20 }), fc.array(anyRange(anyKey), { minLength: 5 }), (steps, ranges) => {
      const tree = new Tree();
      const model = new Map<string, Uint8Array>();
      const copies: [Tree, ReadonlyMap<string, Uint8Array>][] = [];
      let written = 0;
      const set = (key: string) => {
        written += 1;
        const bytes = value(written).subarray(written % 4);
        tree.set(key, bytes);
        model.set(key, bytes);
      };
      const remove = (key: string) => {
        tree.delete(key);
        model.delete(key);
      };
      for (const step of steps) {
        if (step.kind === 'copy') copies.push([tree.copy(), new Map(model)]);
        else if (step.kind === 'set') step.keys.forEach(set);
        else if (step.kind === 'delete') step.keys.forEach(remove);
        else {
          const write = step.kind === 'rise' ? set : remove;
          for (let at = 0; at < step.count; at += 1) write(getKey(step.from + at));
        }
      }
      for (const [each, rows] of [...copies, [tree, model] as const]) {
        expectSound(each.root);
        expect([...each.rows({})]).toEqual(expected(rows, {}));
        for (const range of ranges) {
          expect([...each.rows(range)]).toEqual(expected(rows, range));
          if (range.start !== undefined) expect(each.get(range.start)).toEqual(rows.get(range.start));
        }
        expect(each.count).toBe(rows.size);
        expect(each.bytes).toBe([...rows].reduce((sum, [key, bytes]) => sum + key.length + bytes.length, 0));
      }
    }),
    { numRuns: 100 },
  );
});

test.each(['rising', 'falling', 'scattered'] as const)('%s keys make a flat tree of well filled nodes', (order) => {
  const tree = new Tree();
  const count = 50_000;
  const keys = Array.from({ length: count }, (_, at) =>
    getKey(order === 'rising' ? at : order === 'falling' ? count - at : (at * 40_503) % count),
  );
  for (const key of keys) tree.set(key, value(1));
  const leaves = getNodes(tree.root).filter(({ children }) => children.length === 0).length;
  expect([tree.count, makeHeight(tree.root)]).toEqual([count, 3]);
  expect(leaves).toBeLessThan(count / 30);
  for (const [at, key] of keys.entries()) if (at % 10 !== 0) tree.delete(key);
  expect(getNodes(tree.root).filter(({ children }) => children.length === 0).length).toBeLessThan(count / 10 / 12);
  for (const key of keys) tree.delete(key);
  expect([tree.count, tree.bytes, getNodes(tree.root).length]).toEqual([0, 0, 1]);
});

test('a write after a copy makes the nodes on one path anew, further ones write in place', () => {
  const tree = new Tree();
  for (let at = 0; at < 100_000; at += 1) tree.set(getKey(at), value(at));
  const copy = tree.copy();
  expect(copy.root).toBe(tree.root);
  const before = new Set(getNodes(copy.root));
  const made = () => getNodes(tree.root).filter((node) => !before.has(node)).length;
  tree.set(getKey(50_000), value(1));
  expect(made()).toBe(makeHeight(tree.root));
  const { root } = tree;
  for (let at = 0; at < 100; at += 1) tree.set(getKey(50_000), value(at));
  expect([tree.root, made()]).toEqual([root, makeHeight(root)]);
  expect(copy.get(getKey(50_000))).toEqual(value(50_000));
});
