import fc from 'fast-check';
import { expect, test } from 'vitest';
import { ByteBudget } from './byte-budget.ts';

function budget(maxBytes = 100, maxBytesOfPeer = 60) {
  const granted: string[] = [];
  const own = new ByteBudget({ maxBytes, maxBytesOfPeer });
  return {
    granted,
    reserve: (peer: string, bytes: number, name = peer) => own.reserve(peer, bytes, () => void granted.push(name)),
  };
}

test('what fits is granted at once, what does not waits until there is room', () => {
  const { reserve, granted } = budget();
  const first = reserve('a', 60);
  const second = reserve('b', 40);
  const third = reserve('c', 50);
  expect(granted).toEqual(['a', 'b']);
  second();
  second();
  expect(granted).toEqual(['a', 'b']);
  first();
  expect(granted).toEqual(['a', 'b', 'c']);
  third();
});

test('a peer has its own bound, and its reservations queue in order behind no other peer', () => {
  const { reserve, granted } = budget();
  const first = reserve('a', 50, 'a1');
  reserve('a', 30, 'a2');
  reserve('a', 5, 'a3');
  reserve('b', 50, 'b1');
  expect(granted).toEqual(['a1', 'b1']);
  first();
  expect(granted).toEqual(['a1', 'b1', 'a2']);
});

test('a wish that is given up holds up nothing', () => {
  const { reserve, granted } = budget();
  const first = reserve('a', 60, 'a1');
  const second = reserve('a', 60, 'a2');
  reserve('a', 10, 'a3');
  second();
  first();
  expect(granted).toEqual(['a1', 'a3']);
});

test('a wish above every bound is granted alone', () => {
  const { reserve, granted } = budget();
  const small = reserve('a', 1, 'small');
  reserve('b', 1_000, 'large');
  expect(granted).toEqual(['small']);
  small();
  expect(granted).toEqual(['small', 'large']);
});

test('bounds hold and everybody is granted in the end, in whatever order things happen', () => {
  const step = fc.record({
    peer: fc.constantFrom('a', 'b', 'c'),
    bytes: fc.integer({ min: 1, max: 60 }),
    free: fc.nat(9),
  });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 100 }), (steps) => {
      const own = new ByteBudget({ maxBytes: 100, maxBytesOfPeer: 60 });
      const held = new Map<number, number>();
      const releases: (() => void)[] = [];
      const release = (id: number | undefined): void => {
        if (id === undefined) return;
        held.delete(id);
        releases[id]?.();
      };
      for (const [id, { peer, bytes, free }] of steps.entries()) {
        releases.push(own.reserve(peer, bytes, () => void held.set(id, bytes)));
        expect([...held.values()].reduce((sum, each) => sum + each, 0)).toBeLessThanOrEqual(100);
        release([...held.keys()][free]);
      }
      let rounds = 0;
      for (; held.size > 0 && rounds <= steps.length; rounds += 1) release([...held.keys()][0]);
      const late: string[] = [];
      own.reserve('d', 100, () => void late.push('all of it is free'));
      expect([held.size, late]).toEqual([0, ['all of it is free']]);
    }),
  );
});
