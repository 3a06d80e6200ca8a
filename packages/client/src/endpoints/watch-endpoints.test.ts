import { sleep } from '@switchyard/service';
import { manualClock, memoryLogger } from '@switchyard/service/testing';
import { expect, test } from 'vitest';
import { Endpoints } from './endpoints.ts';
import { watchEndpoints } from './watch-endpoints.ts';

test('the active endpoint is not left for one that only answers sooner, between two looks at a fast chain', async () => {
  const clock = manualClock(0);
  const { log, lines } = memoryLogger();
  const all = [
    { url: 'one', client: 30 },
    { url: 'two', client: 0 },
  ];
  const endpoints = new Endpoints(all, { maxLag: 5n, badForMs: 60_000, clock, log });
  const over = new AbortController();
  const { signal } = over;
  /** Both have a block each 100 ms, and one answers after 30 ms. */
  const height = () => BigInt(Math.floor(clock.now() / 100));
  const reading = {
    isHeldUp: false,
    get next() {
      return height() + 1n;
    },
  };
  const watching = watchEndpoints(reading, {
    ...{ endpoints, clock, signal },
    async latest(answersAfterMs) {
      const latest = height();
      if (answersAfterMs > 0) await sleep(answersAfterMs, signal, clock);
      return latest;
    },
    prove: async (_endpoint, claimed) => claimed,
  });
  for (let look = 0; look < 3; look += 1) for (const ms of [2_000, 30]) await clock.advance(ms);
  expect([endpoints.current.url, endpoints.highest, lines]).toEqual(['one', 60n, []]);
  over.abort();
  await clock.advance(2_000);
  await watching;
});

// Defect: an endpoint that hangs delayed the reports about all others until its time-out
test('an endpoint that does not answer delays neither the others nor the next look, and is asked once', async () => {
  const clock = manualClock(0);
  const { log } = memoryLogger();
  const heights = { one: 1n, two: 1n };
  const all = [
    { url: 'one', client: () => heights.one },
    { url: 'silent', client: undefined },
    { url: 'two', client: () => heights.two },
  ];
  const endpoints = new Endpoints<(() => bigint) | undefined>(all, { maxLag: 5n, badForMs: 60_000, clock, log });
  const over = new AbortController();
  const { signal } = over;
  let questions = 0;
  const watching = watchEndpoints(
    { isHeldUp: false, next: 1n },
    {
      ...{ endpoints, clock, signal },
      async latest(answer) {
        if (answer !== undefined) return answer();
        questions += 1;
        return new Promise<bigint>(() => undefined);
      },
      prove: async (_endpoint, claimed) => claimed,
    },
  );
  await clock.advance(2_000);
  expect(endpoints.highest).toBe(1n);
  heights.two = 7n;
  await clock.advance(2_000);
  expect([endpoints.current.url, endpoints.highest, questions]).toEqual(['two', 7n, 1]);
  over.abort();
  await clock.advance(2_000);
  await watching;
});
