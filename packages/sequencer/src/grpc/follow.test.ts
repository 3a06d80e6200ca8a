import { rollupIdFromName } from '@switchyard/protocol';
import { Turns } from '@switchyard/service';
import { manualClock, settle } from '@switchyard/service/testing';
import { expect, test } from 'vitest';
import { type BlockSource, FOLLOW_LIMITS, followBlocks } from './follow.ts';

const CHAT = rollupIdFromName('chat');

/** Blocks of one byte each by default. */
class Source implements BlockSource {
  height = 0n;
  size = 1;
  readonly listeners = new Set<() => void>();
  readonly reads: bigint[] = [];
  latest = () => this.height;
  lowest = () => 1n;
  at(height: bigint) {
    this.reads.push(height);
    return { block: new Uint8Array(this.size), signedHeader: new Uint8Array([Number(height % 256n)]) };
  }
  onBlock(listener: () => void): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }
  raise(to: bigint): void {
    this.height = to;
    for (const listener of this.listeners) listener();
  }
}

function follow(source: Source, from = 1n) {
  const clock = manualClock();
  const ending = new AbortController();
  const stream = followBlocks(from, CHAT, source, { clock, turns: new Turns(), signal: ending.signal });
  const next = async () => {
    const { value, done } = await stream.next();
    return done === true ? undefined : { count: value.blocks?.length, latest: value.latestHeight };
  };
  return { clock, ending, next };
}

test('catches up in batches bounded by number', async () => {
  const source = new Source();
  source.height = 600n;
  const { next } = follow(source);
  expect([await next(), await next(), await next()].map((message) => message?.count)).toEqual([256, 256, 88]);
});

test('catches up in batches bounded by bytes', async () => {
  const source = new Source();
  source.height = 10n;
  source.size = 400_000;
  const { next } = follow(source);
  expect([await next(), await next()].map((message) => message?.count)).toEqual([3, 3]);
});

test('makes a message when the last one was taken, so who does not read costs nothing', async () => {
  const source = new Source();
  source.height = 1_000n;
  const { next } = follow(source);
  await next();
  source.raise(5_000n);
  await settle();
  expect(source.reads).toHaveLength(FOLLOW_LIMITS.maxBlocks);
});

test('misses no block that comes while a message is being taken', async () => {
  const source = new Source();
  source.height = 1n;
  const { next } = follow(source);
  expect(await next()).toEqual({ count: 1, latest: 1n });
  source.raise(2n);
  source.raise(3n);
  expect(await next()).toEqual({ count: 2, latest: 3n });
});

test('gives a sign of life after each silent interval, and blocks at once', async () => {
  const source = new Source();
  const { next, clock } = follow(source);
  expect(await next()).toEqual({ count: 0, latest: 0n });
  for (let beat = 0; beat < 2; beat++) {
    const silent = next();
    await clock.advance(FOLLOW_LIMITS.heartbeatMs);
    expect(await silent).toEqual({ count: 0, latest: 0n });
  }
  const pushed = next();
  await settle();
  source.raise(1n);
  expect(await pushed).toEqual({ count: 1, latest: 1n });
  expect(clock.pending).toBe(0);
});

test('ends when the caller goes, and leaves nothing behind', async () => {
  const source = new Source();
  const { next, ending, clock } = follow(source);
  await next();
  const last = next();
  await settle();
  expect(source.listeners.size).toBe(1);
  ending.abort();
  expect(await last).toBeUndefined();
  expect([source.listeners.size, clock.pending]).toEqual([0, 0]);
});
