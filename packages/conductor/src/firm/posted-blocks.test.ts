import { FakeSequencer, testSigner } from '@switchyard/client/testing';
import { rollupIdFromName } from '@switchyard/protocol';
import { expect, test } from 'vitest';
import { getPosted } from '../testing/fake-layer.ts';
import { ROLLUP } from '../testing/fake-rollup.ts';
import { PostedBlocks } from './posted-blocks.ts';

const opened = <T>(entries: readonly T[], author = 'celestia1own') => entries.map((entry) => ({ entry, author }));
const blocks = () => new PostedBlocks({ chainId: 'test-chain', rollup: ROLLUP, next: 1n });

/** A chain of another signer. */
async function forged(number: number, count = 1, length = 1_000) {
  const sequencer = new FakeSequencer('test-chain', [testSigner(number)]);
  for (let made = 0; made < count; made += 1) sequencer.produce(ROLLUP, 'x'.repeat(length));
  return getPosted(sequencer, 1n, BigInt(count));
}

test('what is kept is given back when blocks are rejected or found', async () => {
  const posted = blocks();
  const { metadata, data } = await forged(1, 3);
  await posted.add(1n, opened(metadata), opened(data));
  expect(posted.bytes).toBeGreaterThan(9_000);
  const [first] = posted.candidates();
  if (first === undefined) throw new Error('it was posted');
  posted.reject(first);
  // It is recognised.
  expect(await posted.add(2n, opened(metadata.slice(0, 1)), [])).toBe(1);
  const other = await forged(2);
  await posted.add(3n, opened(other.metadata), opened(other.data));
  for (let height = 0; height < 3; height += 1) {
    const [candidate] = posted.candidates();
    if (candidate !== undefined) posted.advance(candidate);
  }
  const [own] = other.data;
  if (own === undefined) throw new Error('it was made');
  expect(await posted.add(4n, [], opened([{ ...own, rollup: rollupIdFromName('another') }]))).toBe(1);
  expect(posted.candidates()).toEqual([]);
});

test('above the next height only so many are kept, and all are read again once their validators may be announced', async () => {
  const posted = blocks();
  let withSixteen = 0;
  for (let number = 1; number <= 20; number += 1) {
    const { metadata, data } = await forged(number, 2);
    await posted.add(1n, opened(metadata.slice(1)), opened(data.slice(1)));
    if (number === 16) withSixteen = posted.bytes;
  }
  // Data without its block is kept, as if that were still to come.
  expect(posted.bytes - withSixteen).toBeLessThan(4 * 5_000);
  for (let number = 1; number <= 20; number += 1) await posted.add(1n, opened((await forged(number)).metadata), []);
  expect(posted.candidates()).toHaveLength(20);
  expect([posted.takeForgotten(), posted.takeChanged()]).toEqual([false, false]);
  const [found] = posted.candidates();
  if (found === undefined) throw new Error('it was posted');
  posted.advance(found);
  expect([posted.takeForgotten(), posted.takeChanged(), posted.takeChanged()]).toEqual([false, true, false]);
});

test('forged data of a block, which comes before it, does not keep the genuine data out', async () => {
  const posted = blocks();
  const { metadata, data } = await forged(1);
  const [own] = data;
  if (own === undefined) throw new Error('it was made');
  await posted.add(1n, [], opened([{ ...own, transactions: [Uint8Array.of(7)] }, own]));
  await posted.add(2n, opened(metadata), []);
  expect(posted.candidates().map((each) => each.data)).toEqual([own]);
});

test('data without its block is kept within a bound, of one account within a smaller one', async () => {
  const posted = blocks();
  const [own] = (await forged(1)).data;
  if (own === undefined) throw new Error('it was made');
  const big = { ...own, transactions: [new Uint8Array(1_048_576)] };
  const flood = async (author: string) => {
    for (let number = 0; number < 40; number += 1)
      await posted.add(1n, [], opened([{ ...big, blockHash: new Uint8Array(32).fill(number) }], author));
  };
  await flood('celestia1stranger');
  expect(posted.bytes).toBeLessThan(6 * 1_048_576);
  for (const name of ['a', 'b', 'c', 'd']) await flood(name);
  expect(posted.bytes).toBeLessThan(18 * 1_048_576);
  expect(posted.takeForgotten()).toBe(true);
});

// Defect: A full store of posted blocks left out blocks that the announced validators had signed
test('a block that the announced validators have signed is kept once, whatever room is left', async () => {
  const posted = blocks();
  const { metadata, data } = await forged(1, 3);
  await posted.add(1n, opened(metadata.slice(0, 1)), opened(data.slice(0, 1)));
  const [first] = posted.candidates();
  if (first === undefined) throw new Error('it was posted');
  posted.advance(first);
  for (const [number, author] of ['a', 'b', 'c', 'd'].entries()) {
    const stranger = await forged(10 + number, 3, 5_000_000);
    await posted.add(2n, opened(stranger.metadata.slice(2), author), opened(stranger.data.slice(2), author));
  }
  expect(posted.crowdedBy).toHaveLength(4);
  expect(await posted.add(3n, opened(metadata.slice(2)), opened(data.slice(2)))).toBe(0);
  expect(await posted.add(4n, opened(metadata.slice(2)), [])).toBe(1);
  await posted.add(5n, opened(metadata.slice(1)), opened(data.slice(1)));
  const [second] = posted.candidates();
  if (second === undefined) throw new Error('it was posted');
  posted.advance(second);
  expect(posted.candidates().map((each) => each.data)).toEqual(data.slice(2));
});
