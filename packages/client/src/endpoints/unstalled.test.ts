import { TimedOut } from '@switchyard/service';
import { expect, test } from 'vitest';
import { unstalled } from './unstalled.ts';

const never = new AbortController().signal;
/** Ends with another error when it is aborted, as streams do. */
const silence = (cut: AbortSignal) =>
  new Promise<never>((_, reject) => cut.addEventListener('abort', () => reject(new Error('cut'))));

test('cuts a stream that falls silent', async () => {
  let cutSeen: AbortSignal | undefined;
  const stream = unstalled(
    async function* (cut) {
      cutSeen = cut;
      yield 1;
      yield await silence(cut);
    },
    { ms: 5, what: 'the stream', signal: never },
  );
  expect((await stream.next()).value).toBe(1);
  await expect(stream.next()).rejects.toEqual(new TimedOut('the stream: the next message', 5));
  expect(cutSeen?.aborted).toBe(true);
});

test('does not count the time of its reader', async () => {
  const stream = unstalled(
    async function* () {
      yield 1;
      yield 2;
    },
    { ms: 5, what: 'the stream', signal: never },
  );
  await stream.next();
  await new Promise((resolve) => setTimeout(resolve, 20));
  expect((await stream.next()).value).toBe(2);
});

test('closes the stream when its reader leaves', async () => {
  let cutSeen: AbortSignal | undefined;
  const open = async function* (cut: AbortSignal) {
    cutSeen = cut;
    yield 1;
    yield 2;
  };
  for await (const _ of unstalled(open, { ms: 1_000, what: 'the stream', signal: never })) break;
  expect(cutSeen?.aborted).toBe(true);
});
