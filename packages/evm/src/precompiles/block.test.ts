import { bn254 } from '@noble/curves/bn254.js';
import { expect, test } from 'vitest';
import { testChain } from '../testing.ts';
import type { Address } from '../types.ts';
import { g1, g2 } from './testing.ts';

const PAIRING: Address = `0x${'8'.padStart(40, '0')}`;

/** e(P, Q) and its inverse in turn. */
function pairs(count: number): Uint8Array {
  const second = g2(7n);
  const [left, right] = [5n, bn254.fields.Fr.ORDER - 5n].map((scalar) => Buffer.concat([g1(scalar), second]));
  return Buffer.concat(Array.from({ length: count }, (_, at) => (at % 2 === 0 ? left : right)) as Uint8Array[]);
}

/** Result of the work, and how often others had a turn while it ran. */
async function counted<T>(work: Promise<T>): Promise<readonly [T, number]> {
  let turns = 0;
  let next = setImmediate(function turn() {
    turns += 1;
    next = setImmediate(turn);
  });
  const result = await work;
  clearImmediate(next);
  return [result, turns];
}

test('others have their turn during a long pairing in a block', async () => {
  const gasLimit = 10_000_000;
  const { account, sequence } = await testChain({ genesis: { gasLimit } });
  const run = async (data: Uint8Array) => {
    const { receipts } = await sequence([account(0).call(PAIRING, data, { gasLimit: BigInt(gasLimit) })]);
    return receipts[0];
  };
  // The first block makes what later ones use again.
  await run(pairs(2));
  const [short, few] = await counted(run(pairs(2)));
  const wrong = await run(pairs(2).subarray(1));
  // Hundreds of milliseconds, of which it holds fifty at a time.
  const [long, many] = await counted(run(pairs(200)));
  expect(many).toBeGreaterThan(few);
  expect([short, long, wrong].map((receipt) => receipt?.status)).toEqual([1, 1, 0]);
  expect((long?.gasUsed ?? 0n) - (45_000n + 200n * 34_000n)).toBeGreaterThan(21_000n);
  expect(wrong?.gasUsed).toBe(BigInt(gasLimit));
});
