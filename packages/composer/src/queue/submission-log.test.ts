import { type TxHash, txHashOf } from '@switchyard/protocol';
import { systemClock, type UnixMs } from '@switchyard/service';
import { expect, test } from 'vitest';
import { CHAT } from '../testing/builders.ts';
import { SubmissionLog } from './submission-log.ts';

const chunk = (first: number, count: number) => ({
  first,
  items: Array.from({ length: count }, (_, index) => {
    const data = new TextEncoder().encode(`item ${first + index}`);
    return { rollup: CHAT, data, hash: txHashOf(data) };
  }),
});
const TRANSACTION = 'ab'.repeat(32) as TxHash; // 32 bytes in lower-case hex

function recentAt(start = 1_000) {
  let [now, ahead] = [start, 0];
  const [clock, wall] = [{ ...systemClock, now: () => now }, { unixMs: () => (now + ahead) as UnixMs }];
  return {
    recent: new SubmissionLog({ clock, wall }),
    at: (time: number) => {
      now = time;
    },
    setWall: (byMs: number) => {
      ahead += byMs;
    },
  };
}

test('a submission is followed from the queue into a block', () => {
  const { recent, at } = recentAt();
  recent.queued(chunk(5, 2));
  at(1_010);
  recent.bundled([{ from: 5, to: 6 }]);
  at(1_900);
  recent.sequenced([{ from: 1, to: 6 }], { height: 7n, transaction: TRANSACTION });
  const [waiting, first] = recent.latest(20);
  expect(first).toEqual({
    rollup: CHAT,
    hash: chunk(5, 1).items[0]?.hash,
    queuedAt: 1_000,
    bundledAt: 1_010,
    sequencedAt: 1_900,
    height: 7n,
    transaction: TRANSACTION,
  });
  expect(waiting).toEqual({ rollup: CHAT, hash: chunk(6, 1).items[0]?.hash, queuedAt: 1_000 });
});

test('a refused submission carries its reason', () => {
  const { recent, at } = recentAt();
  recent.queued(chunk(1, 1));
  at(1_500);
  recent.refused([{ from: 1, to: 2 }], 'code 3: no');
  expect(recent.latest(1)).toMatchObject([{ refusedAt: 1_500, reason: 'code 3: no' }]);
});

test('under load it is a sample that lasts for seconds, of bounded size', () => {
  const { recent, at } = recentAt();
  for (let tick = 0; tick < 1_000; tick += 1) {
    at(1_000 + tick * 10);
    recent.queued(chunk(1 + tick * 100, 100));
  }
  const latest = recent.latest(1_000);
  expect(latest).toHaveLength(64);
  expect(latest[0]?.queuedAt).toBe(10_500);
  expect(latest.at(-1)?.queuedAt).toBe(7_000);
  expect(recent.latest(3)).toEqual(latest.slice(0, 3));
});

test('a wall clock that is set back or forward does not change the sample', () => {
  const { recent, at, setWall } = recentAt(1_000_000);
  recent.queued(chunk(1, 8));
  setWall(3_600_000);
  recent.queued(chunk(9, 8));
  expect(recent.latest(64)).toHaveLength(8);
  setWall(-7_200_000);
  at(1_000_500);
  recent.queued(chunk(17, 1));
  expect(recent.latest(1)).toMatchObject([{ queuedAt: 1_000_500 - 3_600_000 }]);
});
