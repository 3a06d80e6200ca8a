import { type ManualClock, manualClock, settle } from '@switchyard/service/testing';
import { expect, test } from 'vitest';
import { drive } from './drive.ts';

interface Driven {
  readonly clock: ManualClock;
  /** When each block began, and how many transactions it took. */
  readonly blocks: (readonly [number, number])[];
  add(count?: number): void;
  stop(): Promise<void>;
}

/** A chain whose blocks take everything that waits, unless `takes` limits them, and that begins at time 0. */
async function start({ takes = Number.POSITIVE_INFINITY, blockMs = 0, blockIntervalMs = 1_000 } = {}): Promise<Driven> {
  const clock = manualClock();
  const controller = new AbortController();
  const blocks: (readonly [number, number])[] = [];
  let pending = 0;
  let listener: () => void = () => undefined;
  const done = drive({
    pace: { blockIntervalMs, emptyBlockIntervalMs: 2_000 },
    clock,
    signal: controller.signal,
    pool: {
      get pendingCount() {
        return pending;
      },
      onPending(each) {
        listener = each;
        return () => undefined;
      },
    },
    async make() {
      const began = clock.now();
      const taken = Math.min(takes, pending);
      if (blockMs > 0) await new Promise<void>((resolve) => clock.after(blockMs, resolve));
      pending -= taken;
      blocks.push([began, taken]);
    },
  });
  await settle();
  return {
    clock,
    blocks,
    add(count = 1) {
      pending += count;
      listener();
    },
    async stop() {
      controller.abort();
      await Promise.all([done, clock.advance(blockMs)]);
    },
  };
}

test('an idle chain makes an empty block every two seconds', async () => {
  const { clock, blocks, stop } = await start();
  await clock.advance(6_000);
  expect(blocks).toEqual([
    [0, 0],
    [2_000, 0],
    [4_000, 0],
    [6_000, 0],
  ]);
  await stop();
});

test('what comes to an idle chain is in a block at once, also right after a heartbeat', async () => {
  const { clock, blocks, add, stop } = await start();
  await clock.advance(2_001);
  add();
  await settle();
  expect(blocks.at(-1)).toEqual([2_001, 1]);
  await stop();
});

test('what comes soon after a block with transactions waits for the rest of the interval', async () => {
  const { clock, blocks, add, stop } = await start();
  await clock.advance(300);
  add();
  await clock.advance(10);
  add();
  await clock.advance(989);
  expect(blocks).toEqual([
    [0, 0],
    [300, 1],
  ]);
  await clock.advance(1);
  expect(blocks.at(-1)).toEqual([1_300, 1]);
  await stop();
});

test('under load there is a block every interval, and no heartbeat in between', async () => {
  const { clock, blocks, add, stop } = await start({ takes: 5, blockIntervalMs: 10 });
  add(500);
  await clock.advance(990);
  expect(blocks.filter(([, taken]) => taken === 5)).toHaveLength(100);
  expect(blocks).toHaveLength(101);
  await stop();
});

test('a block that takes time does not make the chain slower', async () => {
  const { clock, blocks, add, stop } = await start({ takes: 1, blockIntervalMs: 10, blockMs: 6 });
  add(100);
  await clock.advance(1_000);
  expect(blocks.length).toBeGreaterThanOrEqual(100);
  await stop();
});

test('what no block takes makes no blocks, until something changes', async () => {
  const { clock, blocks, add, stop } = await start({ takes: 0, blockIntervalMs: 10 });
  add();
  await clock.advance(1_000);
  expect(blocks).toEqual([
    [0, 0],
    [0, 0],
  ]);
  add();
  await clock.advance(900);
  expect(blocks).toHaveLength(3);
  await clock.advance(2_000);
  expect(blocks).toHaveLength(4);
  await stop();
});

test('what comes while a block is made is in the next one', async () => {
  const { clock, blocks, add, stop } = await start({ takes: 1, blockMs: 50 });
  await clock.advance(100);
  add();
  await clock.advance(20);
  add();
  await clock.advance(2_000);
  expect(blocks.map(([began]) => began)).toEqual([0, 100, 1_100]);
  await stop();
});

test('stops at once when idle, and after the block when one is being made', async () => {
  const idle = await start();
  await idle.stop();
  const busy = await start({ blockMs: 50 });
  await busy.clock.advance(20);
  const stopping = busy.stop();
  expect(busy.blocks).toEqual([]);
  await stopping;
  expect(busy.blocks).toEqual([[0, 0]]);
  expect(busy.clock.pending).toBe(0);
});
