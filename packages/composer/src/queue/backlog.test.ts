import fc from 'fast-check';
import { expect, test } from 'vitest';
import { CHAT, GAME, groupOfTexts, makeItem, toText } from '../testing/builders.ts';
import { Backlog } from './backlog.ts';
import { GROUPS } from './items.ts';

/** A backlog with chunks of these sizes, whose items are numbered from 1. */
function getBacklog(sizes: readonly number[]): Backlog {
  const backlog = new Backlog();
  for (const size of sizes) {
    const first = backlog.next;
    const items = Array.from({ length: size }, (_, index) => makeItem(`item ${first + index}`));
    backlog.arrive(items);
    backlog.keep({ first, items });
    backlog.written({ first, items });
  }
  return backlog;
}
const taking = (count: number) => {
  let left = count;
  return () => left-- > 0;
};
const names = (backlog: Backlog, rollup = CHAT): string[] =>
  Array.from(backlog.ofRollup(rollup), (data) => toText({ data }));

test('items go out in the order they came in, and again after they were given back', () => {
  const backlog = getBacklog([2, 3]);
  const first = backlog.take(taking(3));
  const second = backlog.take(taking(1));
  expect([first, second]).toEqual([[{ from: 1, to: 4 }], [{ from: 4, to: 5 }]]);
  backlog.giveBack(first);
  expect(Array.from(backlog.items(backlog.take(taking(9))), toText)).toEqual(['item 1', 'item 2', 'item 3', 'item 5']);
});

test('what is finished is gone; a chunk is gone when all of it is', () => {
  const backlog = getBacklog([2, 3]);
  backlog.take(taking(5));
  expect(backlog.finish([{ from: 2, to: 4 }])).toEqual([
    { chunk: 1, done: [{ from: 2, to: 3 }] },
    { chunk: 3, done: [{ from: 3, to: 4 }] },
  ]);
  expect(backlog.finish([{ from: 1, to: 2 }])).toEqual([{ chunk: 1, done: undefined }]);
  expect([backlog.count, names(backlog)]).toEqual([2, ['item 4', 'item 5']]);
  expect(() => backlog.finish([{ from: 1, to: 2 }])).toThrow('no item 1 in the backlog');
});

test('what arrives counts and is known, waits when it is being written, and is shown when it is on disk', () => {
  const backlog = new Backlog();
  const items = [makeItem('a'), makeItem('bc', GAME)];
  backlog.arrive(items);
  expect([backlog.count, backlog.bytes, backlog.isWaiting, backlog.waitingBytes]).toEqual([2, 3, false, 0]);
  const number = backlog.find(GAME, makeItem('bc').hash) ?? 0;
  expect([number, backlog.isOnDisk(number), names(backlog, GAME)]).toEqual([2, false, []]);
  backlog.keep({ first: 1, items });
  expect([backlog.isOnDisk(number), backlog.isWaiting, backlog.waitingBytes]).toEqual([false, true, 3]);
  expect([names(backlog), names(backlog, GAME)]).toEqual([[], []]);
  backlog.written({ first: 1, items });
  expect(backlog.isOnDisk(number)).toBe(true);
  expect([names(backlog), names(backlog, GAME)]).toEqual([['a'], ['bc']]);
});

test('the same bytes may be here twice, and for two rollups', () => {
  const backlog = new Backlog();
  const twice = [makeItem('x'), makeItem('x', GAME), makeItem('x')];
  backlog.arrive(twice);
  backlog.keep({ first: 1, items: twice });
  backlog.take(taking(3));
  backlog.finish([{ from: 1, to: 3 }]);
  expect([backlog.find(CHAT, makeItem('x').hash), backlog.find(GAME, makeItem('x').hash)]).toEqual([3, undefined]);
});

test('a restored chunk waits without what of it is done', () => {
  const backlog = new Backlog(4);
  backlog.restore({ first: 7, items: [makeItem('a'), makeItem('b'), makeItem('c')] }, [{ from: 8, to: 9 }]);
  expect([backlog.count, backlog.next, names(backlog)]).toEqual([2, 10, ['a', 'c']]);
  backlog.claim([{ from: 7, to: 8 }]);
  expect(backlog.take(taking(9))).toEqual([{ from: 9, to: 10 }]);
  expect(backlog.unfinished([{ from: 1, to: 100 }])).toEqual([
    { from: 7, to: 8 },
    { from: 9, to: 10 },
  ]);
});

test('nothing is lost or doubled by any order of taking, giving back and finishing', () => {
  const step = fc.record({ what: fc.constantFrom('take', 'giveBack', 'finish', 'add'), size: fc.nat(6) });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      const backlog = getBacklog([3]);
      const open = new Set([1, 2, 3]);
      const taken: { from: number; to: number }[] = [];
      for (const { what, size } of steps) {
        if (what === 'take') taken.push(...backlog.take(taking(size)));
        else if (what === 'add' && size > 0) {
          const first = backlog.next;
          const items = Array.from({ length: size }, (_, index) => makeItem(`item ${first + index}`));
          backlog.arrive(items);
          backlog.keep({ first, items });
          backlog.written({ first, items });
          for (let number = first; number < first + size; number += 1) open.add(number);
        } else {
          const [range] = taken.splice(size % Math.max(1, taken.length), 1);
          if (range === undefined) continue;
          if (what === 'giveBack') backlog.giveBack([range]);
          else {
            backlog.finish([range]);
            for (let number = range.from; number < range.to; number += 1) open.delete(number);
          }
        }
      }
      const expected = [...open].sort((a, b) => a - b).map((number) => `item ${number}`);
      expect(names(backlog)).toEqual(expected);
      expect([backlog.count, backlog.bytes]).toEqual([expected.length, expected.join('').length]);
      const held = Array.from(backlog.items(taken), toText);
      expect(backlog.waitingBytes).toBe(expected.join('').length - held.join('').length);
      const waiting = Array.from(backlog.items(backlog.take(() => true)), toText);
      expect(waiting).toEqual(expected.filter((name) => !held.includes(name)));
    }),
  );
});

test('a group goes out as a whole, and is known by its hash, not by the bytes of its items', () => {
  const backlog = new Backlog();
  const group = groupOfTexts('b', 'c', 'd');
  const items = [makeItem('a'), ...group.items, makeItem('e')];
  backlog.arrive(items);
  backlog.keep({ first: 1, items });
  backlog.written({ first: 1, items });
  expect([backlog.find(GROUPS, group.hash), backlog.find(CHAT, makeItem('b').hash)]).toEqual([2, undefined]);
  expect([backlog.locate(CHAT, makeItem('b').hash), backlog.locate(GAME, makeItem('c').hash)]).toEqual([2, 3]);
  expect(backlog.take(({ group: whole }) => whole === undefined)).toEqual([{ from: 1, to: 2 }]);
  // The first item is looked up, and decides.
  expect(backlog.take(taking(1))).toEqual([{ from: 2, to: 5 }]);
  expect(backlog.finish([{ from: 2, to: 5 }])).toEqual([{ chunk: 1, done: [{ from: 2, to: 5 }] }]);
  expect([backlog.find(GROUPS, group.hash), backlog.locate(GAME, makeItem('c').hash)]).toEqual([undefined, undefined]);
  expect([backlog.count, backlog.waitingCount, names(backlog)]).toEqual([2, 1, ['a', 'e']]);
});

test('halves divide no group, and get smaller until there is one item or one group', () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 1, max: 5 }), { minLength: 1, maxLength: 12 }), (sizes) => {
      const backlog = new Backlog();
      const units = sizes.map((size, at) =>
        size === 1
          ? [makeItem(`${at}`)]
          : groupOfTexts(...Array.from({ length: size }, (_, index) => `${at} ${index}`)).items,
      );
      const items = units.flat();
      backlog.arrive(items);
      backlog.keep({ first: 1, items });
      let ranges = backlog.take(() => true);
      for (let count = units.length; count > 0; ) {
        const half = backlog.firstHalf(ranges);
        const inside = [...backlog.items(half)];
        const whole = units.findIndex((_, at) => units.slice(0, at).flat().length === inside.length);
        expect(inside).toEqual(units.slice(0, whole).flat());
        expect([whole < count, whole > 0]).toEqual([true, count > 1]);
        [ranges, count] = [half, whole];
      }
    }),
  );
});
