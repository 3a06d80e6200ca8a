import fc from 'fast-check';
import { expect, test } from 'vitest';
import { DELETED } from './changes.ts';
import { RecordCache } from './record-cache.ts';

const bytes = (length: number) => new Uint8Array(length).fill(length);

test('what was read is read once, absent records too', () => {
  const cache = new RecordCache({ entries: 8, maxLength: 4 });
  let reads = 0;
  const read = (value: Uint8Array | undefined) => () => {
    reads += 1;
    return value;
  };
  for (let again = 0; again < 3; again += 1) {
    expect(cache.get('a', read(bytes(4)))).toEqual(bytes(4));
    expect(cache.get('b', read(undefined))).toBeUndefined();
  }
  expect(reads).toBe(2);
  cache.get('long', read(bytes(5)));
  cache.get('long', read(bytes(5)));
  expect(reads).toBe(4);
});

test('what is in use stays while others come and go', () => {
  const cache = new RecordCache({ entries: 8, maxLength: 4 });
  cache.get('used', () => bytes(1));
  for (let other = 0; other < 100; other += 1) {
    cache.get(String(other), () => bytes(2));
    if (other % 2 === 0) cache.get('used', () => expect.fail('read again'));
  }
});

test('it gives what the file has, whatever is read and changed', () => {
  const key = fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f');
  const value = fc.option(fc.integer({ min: 1, max: 6 }), { nil: undefined });
  const step = fc.oneof(
    key.map((name) => ({ read: name })),
    fc.array(fc.tuple(key, value), { maxLength: 4 }).map((changes) => ({ changes })),
  );
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      const file = new Map<string, Uint8Array>();
      const cache = new RecordCache({ entries: 4, maxLength: 4 });
      for (const each of steps) {
        if ('read' in each) {
          expect(cache.get(each.read, () => file.get(each.read))).toEqual(file.get(each.read));
          continue;
        }
        const changes = new Map(
          each.changes.map(([name, length]) => [name, length === undefined ? DELETED : bytes(length)]),
        );
        for (const [name, bytesOf] of changes) bytesOf === DELETED ? file.delete(name) : file.set(name, bytesOf);
        cache.changed(changes);
      }
    }),
  );
});
