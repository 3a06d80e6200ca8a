import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type Activity, FairSlots, type SlotBounds } from './fair-slots.ts';

interface Place {
  readonly peer: string;
  readonly name: string;
  activity: Activity;
  since: number;
  evict(): void;
}

function slots(bounds: Partial<SlotBounds> & { readonly max: number }) {
  const evicted: string[] = [];
  let now = 0;
  const fair = new FairSlots<Place>({ getMax: () => Number.POSITIVE_INFINITY, ...bounds }, () => now);
  const enter = (peer: string, name: string, activity: Activity = 'incomplete'): Place => {
    now += 1;
    const place = { peer, name, activity, since: now, evict: () => void evicted.push(name) };
    fair.enter(place);
    return place;
  };
  const pass = (ms: number): void => {
    now += ms;
  };
  return { fair, evicted, enter, pass };
}

// Defect: Half-open connections of one address excluded others
test('a newcomer takes the place of the peer that holds most', () => {
  const { enter, evicted } = slots({ max: 4 });
  for (const name of ['a1', 'a2', 'a3']) enter('a', name, 'busy');
  enter('b', 'b1');
  enter('c', 'c1');
  expect(evicted).toEqual(['a1']);
  enter('d', 'd1');
  expect(evicted).toEqual(['a1', 'a2']);
});

test('of one peer the oldest incomplete goes first, then what is idle for longest, then the oldest busy one', () => {
  const { enter, evicted } = slots({ max: 4 });
  enter('a', 'busy', 'busy');
  enter('a', 'idle', 'idle');
  enter('a', 'later', 'idle');
  enter('a', 'incomplete');
  const newest = enter('a', 'newest');
  newest.activity = 'busy';
  for (const name of ['x', 'y', 'z']) enter('a', name, 'busy');
  expect(evicted).toEqual(['incomplete', 'idle', 'later', 'busy']);
});

test('one address has its own limit', () => {
  const { enter, evicted, fair } = slots({ max: 10, getMax: (peer) => (peer === 'a' ? 2 : 10) });
  for (const name of ['a1', 'a2', 'a3']) enter('a', name, 'busy');
  for (const name of ['b1', 'b2', 'b3']) enter('b', name, 'busy');
  expect([evicted, fair.size]).toEqual([['a1'], 5]);
});

test('too many incomplete ones of an address go, unless they are so young that they may not have been read yet', () => {
  const { enter, evicted, pass } = slots({ max: 100, maxIncomplete: 3, graceMs: 1_000 });
  for (let count = 0; count < 10; count += 1) enter('a', `a${count}`);
  expect(evicted).toEqual([]);
  pass(2_000);
  enter('a', 'newest');
  enter('b', 'other');
  expect(evicted).toEqual(['a0']);
});

test('whatever happens, places are bounded and the newcomer has one', () => {
  const step = fc.record({ peer: fc.constantFrom('a', 'b', 'c'), busy: fc.boolean(), leave: fc.nat(20) });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 200 }), fc.integer({ min: 2, max: 8 }), (steps, max) => {
      const { enter, evicted, fair } = slots({ max });
      const all: Place[] = [];
      for (const [index, { peer, busy, leave }] of steps.entries()) {
        const place = enter(peer, String(index), busy ? 'busy' : 'incomplete');
        all.push(place);
        expect(evicted).not.toContain(String(index));
        expect(fair.size).toBeLessThanOrEqual(max);
        const leaving = all[leave];
        if (leaving !== undefined) fair.leave(leaving);
      }
      for (const place of all) fair.leave(place);
      expect(fair.size).toBe(0);
    }),
  );
});
