import { blockHashFromBytes } from '@switchyard/protocol';
import { settle } from '@switchyard/service/testing';
import { expect, test } from 'vitest';
import { BlockBuffer } from './buffer.ts';
import type { VerifiedBlock } from './verify.ts';

const { signal } = new AbortController();
const block = (height: number, bytes = 10): VerifiedBlock => ({
  height: BigInt(height),
  hash: blockHashFromBytes(new Uint8Array(32)),
  time: { seconds: 0n, nanos: 0 },
  transactions: [],
  bytes,
});
const heights = (buffer: BlockBuffer) => buffer.waiting.map(({ height }) => Number(height));

test.each([
  ['blocks', { maxBlocks: 2, maxBytes: 1_000 }],
  ['bytes', { maxBlocks: 9, maxBytes: 20 }],
])('reading waits while the buffer is full of %s, and resumes in order', async (_, bounds) => {
  const buffer = new BlockBuffer(bounds);
  await buffer.push(block(1), signal);
  await buffer.push(block(2), signal);
  const third = buffer.push(block(3), signal);
  await settle();
  expect(heights(buffer)).toEqual([1, 2]);
  expect(buffer.take(1).map(({ height }) => height)).toEqual([1n]);
  await third;
  expect(heights(buffer)).toEqual([2, 3]);
});

test('a block over the bound goes through alone', async () => {
  const buffer = new BlockBuffer({ maxBlocks: 9, maxBytes: 20 });
  await buffer.push(block(1), signal);
  const big = buffer.push(block(2, 100), signal);
  await settle();
  expect(heights(buffer)).toEqual([1]);
  buffer.take(1);
  await big;
  expect(heights(buffer)).toEqual([2]);
});

test('who waits for an arrival or for room stops with the signal', async () => {
  const stop = new AbortController();
  const buffer = new BlockBuffer({ maxBlocks: 1, maxBytes: 20 });
  const arrival = buffer.arrival(stop.signal);
  await buffer.push(block(1), stop.signal);
  await arrival;
  const room = buffer.push(block(2), stop.signal);
  const next = buffer.arrival(stop.signal);
  stop.abort(new Error('enough'));
  await expect(room).rejects.toThrow('enough');
  await expect(next).rejects.toThrow('enough');
});
