import { FakeSequencer, testSigner } from '@switchyard/client/testing';
import { rollupIdFromName } from '@switchyard/protocol';
import { expect, test } from 'vitest';
import { postedOf } from '../testing/fake-layer.ts';
import { ROLLUP } from '../testing/fake-rollup.ts';
import { PostedBlocks } from './posted-blocks.ts';

const blocks = () => new PostedBlocks({ chainId: 'test-chain', rollup: ROLLUP, next: 1n });

/** A chain of another signer. */
async function forged(number: number, count = 1) {
  const sequencer = new FakeSequencer('test-chain', [testSigner(number)]);
  for (let made = 0; made < count; made += 1) sequencer.produce(ROLLUP, 'x'.repeat(1_000));
  return postedOf(sequencer, 1n, BigInt(count));
}

test('what is kept is given back when blocks are rejected or found', async () => {
  const posted = blocks();
  const { metadata, data } = await forged(1, 3);
  posted.add(1n, metadata, data);
  expect(posted.bytes).toBeGreaterThan(9_000);
  const [first] = posted.candidates();
  if (first === undefined) throw new Error('it was posted');
  posted.reject(first);
  // It is known for what it is.
  expect(posted.add(2n, metadata.slice(0, 1), [])).toBe(1);
  const other = await forged(2);
  posted.add(3n, other.metadata, other.data);
  for (let height = 0; height < 3; height += 1) {
    const [candidate] = posted.candidates();
    if (candidate !== undefined) posted.advance(candidate);
  }
  const [own] = other.data;
  expect(own && posted.add(4n, [], [{ ...own, rollup: rollupIdFromName('another') }])).toBe(1);
  expect(posted.candidates()).toEqual([]);
});

test('above the next height only so many are kept, and that some were left out is known once', async () => {
  const posted = blocks();
  let withSixteen = 0;
  for (let number = 1; number <= 20; number += 1) {
    const { metadata, data } = await forged(number, 2);
    posted.add(1n, metadata.slice(1), data.slice(1));
    if (number === 16) withSixteen = posted.bytes;
  }
  // Data without its block is kept, as if that were still to come.
  expect(posted.bytes - withSixteen).toBeLessThan(4 * 5_000);
  expect(posted.takeForgotten()).toBe(true);
  expect(posted.takeForgotten()).toBe(false);
  for (let number = 1; number <= 20; number += 1) posted.add(1n, (await forged(number)).metadata, []);
  expect(posted.candidates()).toHaveLength(20);
  expect(posted.takeForgotten()).toBe(false);
});

test('forged data of a block, which comes before it, does not keep the genuine data out', async () => {
  const posted = blocks();
  const { metadata, data } = await forged(1);
  const [own] = data;
  if (own === undefined) throw new Error('it was made');
  posted.add(1n, [], [{ ...own, transactions: [Uint8Array.of(7)] }, own]);
  posted.add(2n, metadata, []);
  expect(posted.candidates().map((each) => each.data)).toEqual([own]);
});

test('data without its block is kept within a bound', async () => {
  const posted = blocks();
  const [own] = (await forged(1)).data;
  if (own === undefined) throw new Error('it was made');
  const big = { ...own, transactions: [new Uint8Array(1_048_576)] };
  for (let number = 0; number < 200; number += 1) {
    posted.add(1n, [], [{ ...big, blockHash: new Uint8Array(32).fill(number) }]);
  }
  expect(posted.bytes).toBeLessThan(70 * 1_048_576);
  expect(posted.takeForgotten()).toBe(true);
});
