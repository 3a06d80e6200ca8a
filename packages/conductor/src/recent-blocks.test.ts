import { expect, test } from 'vitest';
import { RecentBlocks } from './recent-blocks.ts';

const heights = (from: number, count: number) =>
  Array.from({ length: count }, (_, index) => ({ height: BigInt(from + index) }));

test('each block of the sequencer is found with its number in the rollup', () => {
  const recent = new RecentBlocks();
  recent.add(11n, heights(100, 2), 1_000);
  recent.add(11n, [], 1_500);
  recent.add(12n, heights(102, 1), 2_000);
  expect(recent.newestFirst()).toEqual([
    { sequencerHeight: 102n, number: 12n, executedAt: 2_000 },
    { sequencerHeight: 101n, number: 11n, executedAt: 1_000 },
    { sequencerHeight: 100n, number: 10n, executedAt: 1_000 },
  ]);
});

test('old ones are forgotten, also when many come at once', () => {
  const recent = new RecentBlocks();
  recent.add(1_000n, heights(1, 1_000), 1);
  recent.add(1_001n, heights(1_001, 1), 2);
  const kept = recent.newestFirst();
  expect(kept).toHaveLength(32);
  expect(kept[0]).toEqual({ sequencerHeight: 1_001n, number: 1_001n, executedAt: 2 });
  expect(kept.at(-1)).toEqual({ sequencerHeight: 970n, number: 970n, executedAt: 1 });
});
