import { createEVM, type EVM } from '@ethereumjs/evm';
import { bn254 as curve } from '@noble/curves/bn254.js';
import { bytesToHex, hexToBytes, toWord } from '@switchyard/protocol/ethereum';
import fc from 'fast-check';
import { beforeAll, expect, test } from 'vitest';
import { cancunRules } from '../testing/cancun-rules.ts';
import { loadBn254 } from './bn254.ts';
import { callOurs, callTheirs, g1, g2, strayPoint, words } from './testing.ts';

/*
 * The contracts as the library runs them, and ours. Blocks depend on it: for any input, output and gas are the
 * same, and it fails in both or in none.
 */
let theirs: EVM;

beforeAll(async () => {
  theirs = await createEVM({ common: cancunRules(1n) });
});

async function same(contract: 6 | 7 | 8, data: Uint8Array) {
  const expected = await callTheirs(theirs, contract, data, 10_000_000n);
  expect(await callOurs('cancun', contract, data, 10_000_000n), bytesToHex(data)).toEqual(expected);
  return expected;
}

const P = curve.fields.Fp.ORDER;
const R = curve.fields.Fr.ORDER;
const MOST = (1n << 256n) - 1n;
/** Eigenvalues of the endomorphism by which implementations split scalars. */
const LAMBDA = (() => {
  const { Fr } = curve.fields;
  const root = Fr.sqrt(Fr.neg(3n));
  return [Fr.div(Fr.sub(root, 1n), 2n), Fr.div(Fr.neg(Fr.add(root, 1n)), 2n)];
})();

const near = (...values: readonly bigint[]) =>
  fc.tuple(fc.constantFrom(...values), fc.bigInt({ min: -3n, max: 3n })).map(([value, by]) => {
    const moved = value + by;
    return moved < 0n || moved > MOST ? value : moved;
  });
const any = fc.bigInt({ min: 0n, max: MOST });
const edge = near(0n, P, P - 2n, 2n * P, R, 2n * R, 5n * R, R / 2n, MOST, 1n << 128n, 1n << 255n, ...LAMBDA);
const number = fc.oneof(
  edge,
  any,
  fc.nat(300).map((bit) => 1n << BigInt(bit % 256)),
);
/** Mostly points; some are elsewhere, at infinity, or have coordinates that are too large though they would fit. */
const point = fc.oneof(
  { weight: 12, arbitrary: fc.bigInt({ min: 1n, max: R - 1n }).map(g1) },
  { weight: 2, arbitrary: fc.bigInt({ min: 1n, max: 5n }).map(g1) },
  { weight: 2, arbitrary: fc.constant(words(0n, 0n)) },
  { weight: 1, arbitrary: fc.constantFrom(words(1n + P, 2n), words(1n, 2n + P), words(P, P), words(0n, P)) },
  { weight: 1, arbitrary: fc.tuple(number, number).map(([x, y]) => words(x, y)) },
  { weight: 1, arbitrary: fc.constantFrom(words(1n, P - 2n), words(1n, 3n), words(2n, 1n), words(0n, 1n)) },
);
/** Input may be short, and is then as if zeros followed, or long. */
const cut = fc.oneof(
  { weight: 4, arbitrary: fc.constant(0) },
  { weight: 1, arbitrary: fc.integer({ min: -130, max: 70 }) },
);
const lengthened = (data: Uint8Array, by: number) =>
  by <= 0 ? data.subarray(0, Math.max(0, data.length + by)) : Buffer.concat([data, Buffer.alloc(by, 0xab)]);

const SEED = 20_261_121;

test('sums are those of the library, of any input', { timeout: 120_000 }, async () => {
  let points = 0;
  const inputs = fc.tuple(point, point, cut, fc.constantFrom('any', 'any', 'any', 'double', 'opposite'));
  await fc.assert(
    fc.asyncProperty(inputs, async ([left, other, by, kind]) => {
      const right = kind === 'any' ? other : kind === 'double' ? left : opposite(left);
      const { failed } = await same(6, lengthened(Buffer.concat([left, right]), by));
      if (!failed) points += 1;
    }),
    { numRuns: 120, seed: SEED },
  );
  expect(points).toBeGreaterThan(40);
});

function opposite(point: Uint8Array): Uint8Array {
  const y = BigInt(bytesToHex(point.subarray(32)));
  return y === 0n || y > P ? point : Buffer.concat([point.subarray(0, 32), words(P - y)]);
}

test('multiples are those of the library, of any input', { timeout: 120_000 }, async () => {
  let points = 0;
  await fc.assert(
    fc.asyncProperty(point, number, cut, async (item, times, by) => {
      const { failed } = await same(7, lengthened(Buffer.concat([item, words(times)]), by));
      if (!failed) points += 1;
    }),
    { numRuns: 60, seed: SEED },
  );
  expect(points).toBeGreaterThan(30);
  // Each edge with a point for certain.
  for (const times of [0n, 1n, 2n, R - 1n, R, R + 1n, 2n * R - 1n, 5n * R, 5n * R + 7n, P, MOST, ...LAMBDA]) {
    for (const item of [g1(1n), g1(12_345n), words(0n, 0n), words(1n, 3n)])
      await same(7, Buffer.concat([item, words(times)]));
  }
});

const G2_INFINITY = words(0n, 0n, 0n, 0n);

test('pairings are those of the library, right or wrong', { timeout: 240_000 }, async () => {
  const scalar = fc.bigInt({ min: 1n, max: R - 1n });
  const found = new Set<string>();
  const pairs = fc.array(fc.tuple(scalar, scalar, fc.constantFrom(0, 0, 0, 1, 2)), { maxLength: 2 });
  await fc.assert(
    fc.asyncProperty(pairs, fc.boolean(), async (made, balanced) => {
      const data = made.map(([left, right, kind]) =>
        Buffer.concat([kind === 1 ? words(0n, 0n) : g1(left), kind === 2 ? G2_INFINITY : g2(right)]),
      );
      // The last pair makes the product one.
      const total = made.reduce((sum, [left, right, kind]) => (kind === 0 ? sum + left * right : sum), 0n) % R;
      if (balanced && total !== 0n) data.push(Buffer.concat([g1(R - total), g2(1n)]));
      const { output, failed } = await same(8, Buffer.concat(data));
      expect(failed).toBe(false);
      found.add(output);
      if (balanced) expect(output).toBe(toWord(1n));
    }),
    // A pair takes the library tens of milliseconds; `contract.test.ts` has vectors of more, and changed ones.
    { numRuns: 10, seed: SEED },
  );
  expect(found.size).toBe(2);
});

test('pairings of what is no point fail as those of the library do', { timeout: 120_000 }, async () => {
  const one = g2(1n);
  const swapped = (bytes: Uint8Array) => {
    const [a, b, c, d] = [0, 32, 64, 96].map((at) => bytes.subarray(at, at + 32));
    return Buffer.concat([b, a, d, c] as Uint8Array[]);
  };
  const withPart = (index: number, value: bigint) => {
    const changed = Buffer.from(one);
    changed.set(words(value), index * 32);
    return changed;
  };
  const raised = [0, 1, 2, 3].map((index) => {
    const part = BigInt(bytesToHex(one.subarray(index * 32, index * 32 + 32)));
    return withPart(index, part + P);
  });
  const seconds = [
    ...[swapped(one), words(1n, 2n, 3n, 4n), words(0n, 0n, 0n, 1n), words(0n, 1n, 0n, 0n)],
    ...[...raised, withPart(0, MOST), withPart(3, P), words(P, P, P, P), words(0n, 0n, 0n, P)],
    ...[1n, 2n, 3n, 4n, 5n].map((from) => strayPoint(from * 1_000n)),
    // Points of the group's complement: stray points multiplied by the order.
    ...[1n, 2n, 3n].map((from) => strayPoint(from * 1_000n, R)),
    ...[...[7n, R - 1n].map((scalar) => g2(scalar)), G2_INFINITY],
  ];
  const firsts = [words(1n, 3n), words(P, 2n), words(1n, P + 2n), words(P, P), words(0n, 0n), g1(5n)];
  let failures = 0;
  for (const second of seconds) {
    for (const first of [g1(1n), words(0n, 0n)]) {
      const { failed } = await same(8, Buffer.concat([first, second]));
      if (failed) failures += 1;
    }
  }
  expect(failures).toBe(2 * (seconds.length - 3));
  for (const first of firsts) {
    for (const second of [one, G2_INFINITY, strayPoint(1n), withPart(1, P)]) {
      await same(8, Buffer.concat([first, second]));
      await same(8, Buffer.concat([g1(3n), one, first, second, words(1n, 3n), one]));
    }
  }
  for (const length of [0, 1, 191, 193, 383]) await same(8, new Uint8Array(length));
  await same(8, new Uint8Array(384));
});

test('thousands of operations, failed ones among them, leave the memory of the module as it was', async () => {
  const { mcl, g1: first, pairing } = await loadBn254();
  const sum = Buffer.concat([g1(5n), g1(6n)]);
  const wrong = Buffer.concat([g1(5n), words(1n, 3n)]);
  const product = Buffer.concat([g1(5n), words(R - 3n)]);
  const pair = Buffer.concat([g1(1n), g2(1n)]);
  const stray = Buffer.concat([g1(1n), strayPoint(1n)]);
  const isRight = () =>
    first.sum(sum) !== undefined && first.sum(wrong) === undefined && pairing(stray.subarray(0, 190)) === undefined;
  expect(isRight()).toBe(true);
  first.products(product);
  pairing(pair);
  const { length } = mcl.HEAP8;
  // One lost number per operation would be more than the stack of the module, and than its free heap.
  let mistakes = 0;
  for (let index = 0; index < 20_000; index += 1) if (!isRight()) mistakes += 1;
  expect(mistakes).toBe(0);
  for (let index = 0; index < 2_000; index += 1) first.products(product);
  for (let index = 0; index < 100; index += 1) {
    pairing(pair);
    expect(pairing(stray)).toBeUndefined();
  }
  expect(mcl.HEAP8.length).toBe(length);
  expect(bytesToHex(first.sum(sum) ?? new Uint8Array())).toBe(bytesToHex(g1(11n)));
}, 120_000);

test('a point of the twist is found to be in the group or not as the library finds it, also one of a small order', async () => {
  const { mcl, g2: second } = await loadBn254();
  const place = mcl._malloc(second.size);
  // The number of points of the twist, by the order of the group.
  const cofactor = 2n * P - R;
  expect(cofactor % 10_069n).toBe(0n);
  const strays = [1n, 5n, 10_069n, cofactor / 10_069n, (cofactor / 10_069n) * R, R].flatMap((times) =>
    [1n, 50n, 1_000n].map((from) => strayPoint(from, times)),
  );
  for (const stray of strays) {
    expect(second.read(place, stray)).toBe(true);
    expect([second.includes(place), mcl._mclBnG2_isValidOrder(place)]).toEqual([false, 0]);
  }
  for (const times of [1n, 2n, 12_345n, R - 1n]) {
    expect(second.read(place, g2(times))).toBe(true);
    expect([second.includes(place), mcl._mclBnG2_isValidOrder(place)]).toEqual([true, 1]);
  }
});

/** EIP-197 has the imaginary part first. */
test('the generator is a point, in the order of the parts that EIP-197 has', async () => {
  const generator = hexToBytes(
    '0x198e9393920d483a7260bfb731fb5d25f1aa493335a9e71297e485b7aef312c21800deef121f1e76426a00665e5c4479674322d4f75edadd46debd5cd992f6ed090689d0585ff075ec9e99ad690c3395bc4b313370b38ef355acdadcd122975b12c85ea5db8c6deb4aab71808dcb408fe3d1e7690c43d37b4ce6cc0166fa7daa',
  );
  const { output } = await same(8, Buffer.concat([g1(2n), generator, g1(R - 2n), generator]));
  expect(output).toBe(toWord(1n));
});
