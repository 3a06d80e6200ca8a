import { expect, test } from 'vitest';
import { RequestQueue } from './request-queue.ts';
import { Turns } from './turns.ts';

/** Connections whose answers are made when the test asks for it; each turn of the event loop is a call of `round`. */
function listener({ maxAtWork = 2, maxWaiting = 5 } = {}) {
  const rounds: (() => void)[] = [];
  const turns = new Turns((round) => void rounds.push(round));
  const events: string[] = [];
  const answers = new Map<string, () => void>();
  const connection = (peer: string) =>
    new RequestQueue<string>({
      ...{ turns, maxAtWork, maxWaiting, now: () => 0 },
      pause: () => events.push(`${peer} paused`),
      resume: () => events.push(`${peer} resumed`),
      overflow: () => events.push(`${peer} overflowed`),
      answer(request) {
        events.push(request);
        return new Promise<void>((resolve) => answers.set(request, resolve));
      },
    });
  const settled = () => new Promise((resolve) => setImmediate(resolve));
  return {
    connection,
    events,
    async round() {
      rounds.shift()?.();
      await settled();
    },
    async answer(request: string) {
      answers.get(request)?.();
      await settled();
    },
  };
}

test('requests are begun in order and in turns, and the connection is read again when all have been begun', async () => {
  const { connection, events, round, answer } = listener();
  const own = connection('a');
  for (const request of ['1', '2', '3']) own.add(request);
  expect(events).toEqual(['a paused']);
  await round();
  expect(events).toEqual(['a paused', '1', '2']);
  await answer('1');
  await round();
  expect(events.slice(3)).toEqual(['3']);
  await answer('2');
  expect([events.slice(4), own.isBusy]).toEqual([['a resumed'], true]);
  await answer('3');
  expect(own.isBusy).toBe(false);
});

test('a client that sends too many ahead is cut off, and nothing more of it is begun', async () => {
  const { connection, events, round } = listener();
  const own = connection('a');
  for (let count = 0; count < 8; count += 1) own.add(`${count}`);
  await round();
  expect([events, own.isBusy]).toEqual([['a paused', 'a overflowed'], false]);
});

test('what waits on a connection that is gone is not begun', async () => {
  const { connection, events, round, answer } = listener({ maxAtWork: 1 });
  const own = connection('a');
  for (const request of ['1', '2']) own.add(request);
  await round();
  own.close();
  await answer('1');
  await round();
  expect(events).toEqual(['a paused', '1']);
});
