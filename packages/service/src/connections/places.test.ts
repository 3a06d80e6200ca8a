import { expect, test } from 'vitest';
import { Places } from './places.ts';

/** Takes until there are no more for this address. */
function takeAll(places: Places, peer: string): readonly (() => void)[] {
  const taken: (() => void)[] = [];
  for (let leave = places.take(peer); leave !== undefined; leave = places.take(peer)) taken.push(leave);
  return taken;
}

// Defect: One address could hold all streams, subscribers and waiting calls
test('an address has half of all places, and each one after it half of the rest', () => {
  const places = new Places(64);
  expect(['a', 'b', 'c', 'd'].map((peer) => takeAll(places, peer).length)).toEqual([32, 16, 8, 4]);
});

test('a place is given back once, however often it is left', () => {
  const places = new Places(4);
  const [first] = takeAll(places, 'a');
  first?.();
  first?.();
  expect(places.size).toBe(1);
  expect(places.take('a')).toBeDefined();
  expect(places.take('a')).toBeUndefined();
  expect(places.take('b')).toBeDefined();
});

test('a single place is there for whoever comes first, and no place is for no client', () => {
  expect(new Places(1).take('a')).toBeDefined();
  expect(new Places(0).take('a')).toBeUndefined();
});
