import fc from 'fast-check';
import { expect, test } from 'vitest';
import { FairWork, type WorkBounds } from './fair-work.ts';

const BOUNDS: WorkBounds = { atATime: 4, atATimeOfClient: 2, maxWaiting: 20, maxWaitingOfClient: 10 };

/** Work that the test ends by hand, and the clients whose work has begun, in order. */
function world(bounds = BOUNDS) {
  const fair = new FairWork(bounds);
  const begun: string[] = [];
  const ends: (() => void)[] = [];
  const ask = (client: string) =>
    void fair.run(client, () => {
      begun.push(client);
      return new Promise<void>((end) => void ends.push(end));
    });
  const endFirst = async () => {
    ends.shift()?.();
    // Each hand-over takes a few promises.
    for (let turn = 0; turn < 5; turn++) await Promise.resolve();
  };
  return { fair, begun, ask, endFirst };
}

test('a client that asks for a lot leaves places for others, who are served in turn', async () => {
  const { fair, begun, ask, endFirst } = world();
  for (let count = 0; count < 8; count++) ask('greedy');
  expect(begun).toEqual(['greedy', 'greedy']);
  ask('alice');
  ask('bob');
  expect(begun).toEqual(['greedy', 'greedy', 'alice', 'bob']);
  for (const client of ['alice', 'carol', 'carol']) ask(client);
  for (let count = 0; count < 4; count++) await endFirst();
  // Greedy waited first; then each in turn, and never more than two of greedy's at a time.
  expect(begun.slice(4)).toEqual(['greedy', 'alice', 'carol', 'greedy']);
  expect(fair.counts).toEqual({ running: 4, waiting: 5 });
});

test('reports what is full: one client, or everything', async () => {
  const { fair, ask } = world();
  for (let count = 0; count < 12; count++) ask('greedy');
  expect([fair.fullFor('greedy'), fair.fullFor('alice')]).toEqual(['client', undefined]);
  for (const client of ['alice', 'bob']) for (let count = 0; count < 6; count++) ask(client);
  expect(fair.counts.waiting).toBe(20);
  expect([fair.fullFor('greedy'), fair.fullFor('alice'), fair.fullFor('carol')]).toEqual(['client', 'all', 'all']);
});

test('a failure gives its place back', async () => {
  const { fair } = world({ ...BOUNDS, atATime: 1 });
  const failing = fair.run('alice', () => Promise.reject(new Error('no')));
  const next = fair.run('bob', () => 'done');
  await expect(failing).rejects.toThrow('no');
  expect(await next).toBe('done');
  expect(fair.counts).toEqual({ running: 0, waiting: 0 });
});

test('never runs more than the bounds, and everything that was taken is run', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.constantFrom('a', 'b', 'c', undefined), { maxLength: 60 }), async (steps) => {
      const { fair, begun, ask, endFirst } = world();
      let taken = 0;
      for (const step of steps) {
        if (step === undefined) await endFirst();
        else if (fair.fullFor(step) === undefined) {
          ask(step);
          taken += 1;
        }
        expect(fair.counts.running).toBeLessThanOrEqual(BOUNDS.atATime);
        expect(fair.counts.waiting).toBeLessThanOrEqual(BOUNDS.maxWaiting);
      }
      while (fair.counts.running > 0) await endFirst();
      expect(begun).toHaveLength(taken);
    }),
  );
});
