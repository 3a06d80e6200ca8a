import { createEVM, type ExecResult, type PrecompileFunc } from '@ethereumjs/evm';
import { bn254 } from '@noble/curves/bn254.js';
import fc from 'fast-check';
import { beforeAll, expect, test } from 'vitest';
import { bytesOf, hexOf, wordOf } from '../hex.ts';
import { Breath, TimedOut } from './breath.ts';
import { pauseInPrecompiles } from './long-precompiles.ts';
import { cancun, takingTurns } from './testing.ts';

type Evm = Awaited<ReturnType<typeof createEVM>>;
let plain: Evm;
let pausing: Evm;
let breath: Breath | undefined;

beforeAll(async () => {
  plain = await createEVM({ common: cancun() });
  pausing = await createEVM({ common: cancun() });
  pauseInPrecompiles(pausing, () => breath?.take());
});

async function run(evm: Evm, address: 8 | 9, data: Uint8Array, gasLimit: bigint) {
  const code: PrecompileFunc | undefined = evm.precompiles.get(address.toString(16).padStart(40, '0'));
  const result: ExecResult | undefined = await code?.({ data, gasLimit, common: evm.common, _EVM: evm });
  const { executionGasUsed, returnValue, exceptionError } = result ?? {};
  return { executionGasUsed, output: hexOf(returnValue ?? new Uint8Array()), error: exceptionError?.error };
}

async function same(address: 8 | 9, data: Uint8Array, gas: bigint) {
  const expected = await run(plain, address, data, gas);
  expect(await run(pausing, address, data, gas)).toEqual(expected);
  return expected;
}

const { G1, G2, fields } = bn254;
const words = (...numbers: readonly bigint[]) => Buffer.concat(numbers.map((number) => bytesOf(wordOf(number))));
const first = (scalar: bigint) => {
  const { x, y } = G1.Point.BASE.multiplyUnsafe(scalar).toAffine();
  return words(x, y);
};
const second = (scalar: bigint) => {
  const { x, y } = G2.Point.BASE.multiplyUnsafe(scalar).toAffine();
  return words(x.c1, x.c0, y.c1, y.c0);
};
const pair = (left: bigint, right: bigint) => Buffer.concat([first(left), second(right)]);

test('pairings are what the library says, right or wrong, or with what is no point', { timeout: 60_000 }, async () => {
  const order = fields.Fr.ORDER;
  const right = Buffer.concat([pair(6n, 1n), pair(order - 2n, 3n)]);
  const zeros = new Uint8Array(192);
  const offCurve = Buffer.concat([words(1n, 3n), second(1n)]);
  const tooLarge = Buffer.concat([words(fields.Fp.ORDER, 2n), second(1n)]);
  const offTwist = Buffer.concat([first(1n), words(1n, 2n, 3n, 4n)]);
  // On the curve of G2, and not in the group.
  const stray = Buffer.concat([first(1n), strayPoint()]);
  expect(await same(8, right, 1_000_000n)).toMatchObject({ output: wordOf(1n), executionGasUsed: 113_000n });
  expect(await same(8, Buffer.concat([right, zeros]), 1_000_000n)).toMatchObject({ output: wordOf(1n) });
  expect(await same(8, Buffer.concat([zeros, zeros]), 1_000_000n)).toMatchObject({ output: wordOf(1n) });
  expect(await same(8, Buffer.concat([right, pair(1n, 1n)]), 1_000_000n)).toMatchObject({ output: wordOf(0n) });
  for (const wrong of [offCurve, tooLarge, offTwist, stray]) {
    const { error } = await same(8, Buffer.concat([pair(1n, 1n), wrong, zeros]), 1_000_000n);
    expect(error).toBeDefined();
  }
  for (const data of [right.subarray(1), zeros.subarray(1), new Uint8Array(), zeros, pair(2n, 2n)]) {
    await same(8, data, 1_000_000n);
  }
  await same(8, right, 112_999n);
  await same(8, right, 113_000n);
});

/** By trying x after x. */
function strayPoint(): Uint8Array {
  const { Fp2 } = fields;
  const b = Fp2.div(Fp2.create({ c0: 3n, c1: 0n }), Fp2.create({ c0: 9n, c1: 1n }));
  for (let at = 1n; ; at += 1n) {
    const x = Fp2.create({ c0: at, c1: 1n });
    const square = Fp2.add(Fp2.mul(Fp2.sqr(x), x), b);
    try {
      const y = Fp2.sqrt(square);
      const point = G2.Point.fromAffine({ x, y });
      if (!point.isTorsionFree()) return words(x.c1, x.c0, y.c1, y.c0);
    } catch {
      // No square: no point has this x.
    }
  }
}

test('BLAKE2 rounds are what the library makes of them, in any number', { timeout: 60_000 }, async () => {
  const bytes = (length: number) => fc.uint8Array({ minLength: length, maxLength: length });
  const inputs = fc.tuple(fc.integer({ min: 4_090, max: 13_000 }), bytes(208), fc.constantFrom(0, 1, 1, 2));
  await fc.assert(
    fc.asyncProperty(inputs, fc.boolean(), async ([rounds, words, last], enough) => {
      const data = Buffer.concat([words.subarray(0, 4), words, Uint8Array.of(last)]);
      data.writeUInt32BE(rounds);
      await same(9, data, BigInt(enough ? rounds : rounds - 1));
    }),
    { numRuns: 60 },
  );
  await same(9, new Uint8Array(212), 9n);
});

test('others have their turn meanwhile, and a deadline holds', async () => {
  const data = new Uint8Array(213);
  data.set([1, 0xc0, 0, 0]);
  const others = takingTurns();
  breath = new Breath(100);
  await expect(run(pausing, 9, data, 30_000_000n)).rejects.toThrow(TimedOut);
  breath = new Breath(20);
  await expect(run(pausing, 8, Buffer.alloc(192 * 300, pair(3n, 5n)), 30_000_000n)).rejects.toThrow(TimedOut);
  expect(others.stop()).toBeGreaterThan(10);
  breath = undefined;
});
