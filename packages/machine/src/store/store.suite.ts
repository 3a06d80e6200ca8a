import { isDeepStrictEqual } from 'node:util';
import { EMPTY_ROOT, verifyStateProof } from '@switchyard/protocol';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { oracleRoot } from './oracle.testing.ts';
import type { Overlay } from './overlay.ts';
import type { StateReader } from './state.ts';
import type { Layer, Store } from './store.ts';

/** A store that can be closed and opened again on its files. */
export interface StoreFixture {
  open(): Store;
  /** Whether committed rows exist after another `open`. */
  readonly durable: boolean;
}

const value = (...bytes: number[]) => Uint8Array.from(bytes);

/** Writes `entries` (undefined deletes) as one block and seals it. */
function block(store: Store, height: bigint, entries: Record<string, Uint8Array | undefined>, on?: Layer): Layer {
  const overlay = store.begin(on);
  write(overlay, entries);
  return store.seal(overlay, height);
}

function write(overlay: Overlay, entries: Record<string, Uint8Array | undefined>): void {
  for (const [key, entry] of Object.entries(entries)) {
    if (entry === undefined) overlay.delete(key);
    else overlay.put(key, entry);
  }
}

const read = (state: StateReader, ...keys: string[]) => keys.map((key) => state.get(key));

/** Promises of every store, regardless of the medium. */
export function storeSuite(name: string, fixture: () => StoreFixture): void {
  const open = () => fixture().open();

  describe(`${name} store`, () => {
    test('begins empty, without a height', async () => {
      const store = open();
      expect([store.head().height, store.head().root, store.snapshot().height]).toEqual([
        undefined,
        EMPTY_ROOT,
        undefined,
      ]);
      expect(store.head().get('a')).toBeUndefined();
      await store.close();
    });

    test('keeps nested overlays whole or not at all', async () => {
      const store = open();
      const blockState = store.begin();
      blockState.put('a', value(1));
      const kept = blockState.child();
      kept.put('a', value(2));
      kept.put('b', value(3));
      const dropped = kept.child();
      dropped.delete('a');
      expect(read(dropped, 'a', 'b')).toEqual([undefined, value(3)]);
      expect(read(blockState, 'a', 'b')).toEqual([value(1), undefined]);
      kept.apply();
      expect(read(blockState, 'a', 'b')).toEqual([value(2), value(3)]);
      await store.close();
    });

    test('reads through a delete to nothing, and sees an empty value as a value', async () => {
      const store = open();
      await store.commit(block(store, 1n, { a: value(1), empty: value() }));
      const overlay = store.begin();
      overlay.delete('a');
      expect(read(overlay, 'a', 'empty')).toEqual([undefined, value()]);
      await store.commit(store.seal(overlay, 2n));
      expect(read(store.snapshot(), 'a', 'empty')).toEqual([undefined, value()]);
      await store.close();
    });

    test('hands out plain byte arrays', async () => {
      const store = open();
      await store.commit(block(store, 1n, { a: value(1) }));
      expect(store.head().get('a')?.constructor).toBe(Uint8Array);
      expect([...store.snapshot().range({ prefix: '', limit: 1 })][0]?.[1].constructor).toBe(Uint8Array);
      expect(store.snapshot().root.constructor).toBe(Uint8Array);
      await store.close();
    });

    test('stacks sealed layers and shows none of them in a snapshot before the commit', async () => {
      const store = open();
      const first = block(store, 1n, { a: value(1), b: value(1) });
      const second = block(store, 2n, { b: value(2), c: value(2) });
      expect(read(store.head(), 'a', 'b', 'c')).toEqual([value(1), value(2), value(2)]);
      expect(read(first, 'a', 'b', 'c')).toEqual([value(1), value(1), undefined]);
      expect(read(store.snapshot(), 'a', 'b', 'c')).toEqual([undefined, undefined, undefined]);
      await store.commit(second);
      expect(read(store.snapshot(), 'a', 'b', 'c')).toEqual([value(1), value(2), value(2)]);
      expect([store.snapshot().height, store.snapshot().root]).toEqual([2n, second.root]);
      await store.close();
    });

    test('commits a part of the stack and keeps the rest on top', async () => {
      const store = open();
      const first = block(store, 1n, { a: value(1) });
      const second = block(store, 2n, { b: value(2) });
      await store.commit(first);
      expect(store.snapshot().height).toBe(1n);
      expect(read(store.head(), 'a', 'b')).toEqual([value(1), value(2)]);
      await store.commit(second);
      expect(read(store.snapshot(), 'a', 'b')).toEqual([value(1), value(2)]);
      await store.close();
    });

    test('accepts blocks while the promise of a commit is pending', async () => {
      const store = open();
      const committing = store.commit(block(store, 1n, { a: value(1) }));
      const next = block(store, 2n, { b: value(2) });
      expect(read(store.head(), 'a', 'b')).toEqual([value(1), value(2)]);
      await committing;
      await store.commit(next);
      expect(read(store.snapshot(), 'a', 'b')).toEqual([value(1), value(2)]);
      await store.close();
    });

    test('drops what is not committed', async () => {
      const store = open();
      await store.commit(block(store, 1n, { a: value(1) }));
      const dropped = block(store, 2n, { a: value(2) });
      const onIt = store.begin(dropped);
      store.drop();
      expect(read(store.head(), 'a')).toEqual([value(1)]);
      expect(() => dropped.get('a')).toThrow('gone');
      expect(() => onIt.get('a')).toThrow('gone');
      expect(() => store.seal(onIt, 3n)).toThrow('gone');
      await expect(store.commit(dropped)).rejects.toThrow('gone');
      await store.close();
    });

    test('forgets the other branch when one of two is committed', async () => {
      const store = open();
      await store.commit(block(store, 1n, { a: value(1) }));
      const unsealed = store.begin();
      const base = block(store, 2n, { a: value(2) });
      const one = block(store, 3n, { a: value(3) }, base);
      const other = block(store, 3n, { a: value(4) }, base);
      expect([one.get('a'), other.get('a')]).toEqual([value(3), value(4)]);
      await store.commit(one);
      expect(store.head().get('a')).toEqual(value(3));
      expect(() => other.get('a')).toThrow('gone');
      expect(() => unsealed.get('a')).toThrow('gone');
      await store.close();
    });

    test('seals an overlay whose base went to disk in the meantime', async () => {
      const store = open();
      const first = block(store, 1n, { a: value(1) });
      const overlay = store.begin();
      overlay.put('b', value(2));
      await store.commit(first);
      await store.commit(store.seal(overlay, 2n));
      expect(read(store.snapshot(), 'a', 'b')).toEqual([value(1), value(2)]);
      await store.close();
    });

    test('refuses heights that do not rise, a second seal and a foreign overlay', async () => {
      const store = open();
      const other = open();
      const overlay = store.begin();
      store.seal(overlay, 5n);
      expect(() => overlay.put('a', value(1))).toThrow('sealed');
      expect(() => store.seal(store.begin(), 5n)).toThrow('height 5 sealed on top of height 5');
      expect(() => store.seal(overlay, 6n)).toThrow();
      expect(() => store.seal(other.begin(), 6n)).toThrow('never part of this store');
      expect(() => store.seal(store.begin().child(), 6n)).toThrow('never part of this store');
      await store.close();
      await other.close();
    });

    test('ranges over committed keys in order, within exclusive bounds', async () => {
      const store = open();
      const keys = ['a/1', 'b/1', 'b/2', 'b/3', 'b/4', 'b0', 'c/1'];
      await store.commit(block(store, 1n, Object.fromEntries(keys.map((key, i) => [key, value(i)]))));
      const getKeys = (options: object) =>
        [...store.snapshot().range({ prefix: 'b/', limit: 10, ...options })].map(([key]) => key);
      expect(getKeys({})).toEqual(['b/1', 'b/2', 'b/3', 'b/4']);
      expect(getKeys({ reverse: true })).toEqual(['b/4', 'b/3', 'b/2', 'b/1']);
      expect(getKeys({ limit: 2 })).toEqual(['b/1', 'b/2']);
      expect(getKeys({ limit: 2, reverse: true })).toEqual(['b/4', 'b/3']);
      expect(getKeys({ limit: 0 })).toEqual([]);
      expect(getKeys({ after: 'b/2' })).toEqual(['b/3', 'b/4']);
      expect(getKeys({ before: 'b/3' })).toEqual(['b/1', 'b/2']);
      expect(getKeys({ after: 'b/1', before: 'b/4', reverse: true })).toEqual(['b/3', 'b/2']);
      expect(getKeys({ after: 'a/1', before: 'c/1', reverse: true })).toEqual(['b/4', 'b/3', 'b/2', 'b/1']);
      expect(getKeys({ after: 'b/3', before: 'b/2' })).toEqual([]);
      expect(getKeys({ prefix: '' })).toEqual(keys);
      expect(getKeys({ prefix: '', reverse: true })).toEqual([...keys].reverse());
      expect([...store.snapshot().range({ prefix: 'b/3', limit: 1 })]).toEqual([['b/3', value(3)]]);
      await store.close();
    });

    test('refuses reads of a snapshot once there is a newer version', async () => {
      const store = open();
      await store.commit(block(store, 1n, { a: value(1) }));
      const snapshot = store.snapshot();
      const layer = block(store, 2n, { a: value(2) });
      expect(snapshot.get('a')).toEqual(value(1));
      await store.commit(layer);
      expect(() => snapshot.get('a')).toThrow('state at height 1 is gone');
      expect(() => snapshot.range({ prefix: '', limit: 1 })).toThrow('is gone');
      expect(() => snapshot.prove('a')).toThrow('is gone');
      await store.close();
    });

    test('leaves index keys out of the root', async () => {
      const store = open();
      const plain = block(store, 1n, { a: value(1) });
      const indexed = block(store, 2n, { 'index/a': value(1) });
      expect(indexed.root).toEqual(plain.root);
      await store.commit(indexed);
      expect(store.snapshot().get('index/a')).toEqual(value(1));
      expect(() => store.snapshot().prove('index/a')).toThrow('not part of the state tree');
      await store.close();
    });

    test('returns to the empty root when the last key is deleted', async () => {
      const store = open();
      await store.commit(block(store, 1n, { a: value(1), b: value(2) }));
      await store.commit(block(store, 2n, { a: undefined, b: undefined }));
      expect(store.snapshot().root).toEqual(EMPTY_ROOT);
      await store.close();
    });

    test('proves what is there and what is not', async () => {
      const store = open();
      const entries = Object.fromEntries(Array.from({ length: 60 }, (_, i) => [`key/${i}`, value(i)]));
      await store.commit(block(store, 1n, entries));
      const snapshot = store.snapshot();
      for (let i = 0; i < 60; i++) {
        const proof = snapshot.prove(`key/${i}`);
        expect(verifyStateProof(snapshot.root, `key/${i}`, value(i), proof)).toBe(true);
        expect(verifyStateProof(snapshot.root, `key/${i}`, value(i + 1), proof)).toBe(false);
        expect(verifyStateProof(snapshot.root, `key/${i}`, undefined, proof)).toBe(false);
        const absent = snapshot.prove(`none/${i}`);
        expect(verifyStateProof(snapshot.root, `none/${i}`, undefined, absent)).toBe(true);
        expect(verifyStateProof(snapshot.root, `none/${i}`, value(i), absent)).toBe(false);
        expect(verifyStateProof(snapshot.root, `key/${i}`, undefined, absent)).toBe(false);
      }
      await store.close();
    });

    test('ranges over overlays, unsaved blocks and what is committed are those of a plain map', async () => {
      // Ranges over changes are the same code above every store, and stores in memory are opened at once.
      const numRuns = fixture().durable ? 30 : 250;
      await fc.assert(
        fc.asyncProperty(fc.array(rangeStep, { minLength: 1, maxLength: 100, size: 'max' }), async (steps) => {
          const store = open();
          await rangesAsInMaps(store, steps);
          await store.close();
        }),
        { numRuns },
      );
    }, 60_000);

    test('gives the root of its contents, whatever the history, and reads as a plain map does', async () => {
      await fc.assert(
        fc.asyncProperty(fc.array(historyStep, { maxLength: 12 }), async (steps) => {
          const { open: openAgain, durable } = fixture();
          let store = openAgain();
          const model = new Map<string, Uint8Array>();
          let height = 0n;
          for (const { entries, next } of steps) {
            const layer = block(store, ++height, Object.fromEntries(entries));
            for (const [key, entry] of entries) {
              if (entry === undefined) model.delete(key);
              else model.set(key, entry);
            }
            expect(layer.root).toEqual(oracleRoot(model));
            if (next !== 'continue') await store.commit(layer);
            if (next === 'reopen' && durable) {
              await store.close();
              store = openAgain();
            }
          }
          if (height > 0n) await store.commit(block(store, ++height, {}));
          expect(new Map(store.snapshot().range({ prefix: '', limit: 1000 }))).toEqual(model);
          for (const key of KEYS) expect(store.head().get(key)).toEqual(model.get(key));
          await store.close();
        }),
        { numRuns: 15 },
      );
    }, 60_000);
  });
}

const KEYS = Array.from({ length: 40 }, (_, i) => `key/${i}`).concat(['index/1', 'index/2']);

const historyStep = fc.record({
  entries: fc.array(
    fc.tuple(fc.constantFrom(...KEYS), fc.option(fc.uint8Array({ maxLength: 3 }), { nil: undefined, freq: 2 })),
    { maxLength: 30 },
  ),
  next: fc.constantFrom('continue', 'commit', 'reopen'),
});

const ROWS = ['a/', 'b/', 'c'].flatMap((prefix) => Array.from({ length: 12 }, (_, i) => `${prefix}${10 + i}`));
const row = fc.constantFrom(...ROWS);
/** Neighbours, so that runs of hidden rows come about. */
const neighbours = fc.tuple(fc.nat(ROWS.length), fc.nat(12)).map(([at, count]) => ROWS.slice(at, at + count));

const rangeStep = fc.record({
  act: fc.oneof(
    {
      weight: 8,
      arbitrary: fc.record({
        kind: fc.constant('write' as const),
        depth: fc.nat(2),
        rows: neighbours,
      }),
    },
    {
      weight: 8,
      arbitrary: fc.record({
        kind: fc.constant('delete' as const),
        depth: fc.nat(2),
        rows: neighbours,
      }),
    },
    {
      weight: 6,
      arbitrary: fc.record({ kind: fc.constantFrom('child', 'apply', 'forget', 'seal', 'commit', 'drop') }),
    },
  ),
  range: fc.record(
    {
      prefix: fc.constantFrom('a/', 'b/', 'c', ''),
      limit: fc.constantFrom(0, 1, 2, 5, 40),
      reverse: fc.boolean(),
      after: row,
      before: row,
    },
    { requiredKeys: ['prefix', 'limit'] },
  ),
});
type RangeStep = typeof rangeStep extends fc.Arbitrary<infer S> ? S : never;
type Model = ReadonlyMap<string, Uint8Array | undefined>;

function rangeIn(
  levels: readonly Model[],
  { prefix, limit, reverse = false, after = '', before = '\x7f' }: RangeStep['range'],
) {
  const rows = [...new Map(levels.flatMap((level) => [...level]))]
    .filter(([key, found]) => found !== undefined && key.startsWith(prefix) && key > after && key < before)
    .sort(([left], [right]) => (left < right ? -1 : 1));
  return (reverse ? rows.reverse() : rows).slice(0, limit);
}

/** Does the steps with a store and with maps of changes, and compares a range after each step. */
async function rangesAsInMaps(store: Store, steps: readonly RangeStep[]): Promise<void> {
  let [height, count] = [0n, 0];
  const committed = new Map<string, Uint8Array | undefined>();
  let layers: { readonly layer: Layer; readonly changes: Model }[] = [];
  let overlays = [{ overlay: store.begin(), changes: new Map<string, Uint8Array | undefined>() }];
  const begin = () => [{ overlay: store.begin(), changes: new Map<string, Uint8Array | undefined>() }];
  for (const { act, range } of steps) {
    const top = overlays.at(-1) as (typeof overlays)[number];
    if ('rows' in act) {
      // An overlay below another may change too.
      const { overlay, changes } = overlays[Math.min(act.depth, overlays.length - 1)] ?? top;
      for (const key of act.rows) {
        const now = act.kind === 'write' ? value(++count) : undefined;
        write(overlay, { [key]: now });
        changes.set(key, now);
      }
    } else if (act.kind === 'child') {
      overlays.push({ overlay: top.overlay.child(), changes: new Map() });
    } else if (act.kind === 'drop') {
      store.drop();
      [layers, overlays] = [[], begin()];
    } else if (act.kind === 'commit' && layers[0] !== undefined) {
      // An overlay outlives the commit of a layer below it.
      const [{ layer, changes }] = layers;
      await store.commit(layer);
      for (const [key, now] of changes) committed.set(key, now);
      layers = layers.slice(1);
    } else if (overlays.length > 1 && (act.kind === 'apply' || act.kind === 'forget')) {
      overlays.pop();
      if (act.kind === 'apply') {
        top.overlay.apply();
        for (const [key, now] of top.changes) overlays.at(-1)?.changes.set(key, now);
      }
    } else if (overlays.length === 1 && act.kind === 'seal') {
      layers.push({ layer: store.seal(top.overlay, ++height), changes: top.changes });
      overlays = begin();
    }
    const levels = [committed, ...layers.map(({ changes }) => changes), ...overlays.map(({ changes }) => changes)];
    expectRows(overlays.at(-1)?.overlay.range(range), rangeIn(levels, range));
    expectRows(store.head().range(range), rangeIn(levels.slice(0, layers.length + 1), range));
  }
}

/** The matcher takes longer than the ranges. */
function expectRows(actual: unknown, expected: unknown): void {
  if (!isDeepStrictEqual(actual, expected)) expect(actual).toEqual(expected);
}
