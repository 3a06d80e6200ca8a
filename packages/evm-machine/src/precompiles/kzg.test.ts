// biome-ignore-all lint/style/noRestrictedImports: reads vectors
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { Common, Hardfork, Mainnet } from '@ethereumjs/common';
import { createEVM, type EVM } from '@ethereumjs/evm';
import type { KZG } from '@ethereumjs/util';
import { bls12_381 } from '@noble/curves/bls12-381.js';
import { bytesToHex, hexToBytes, toWord } from '@switchyard/protocol/ethereum';
import fc from 'fast-check';
import { beforeAll, expect, test } from 'vitest';
import { POINT_EVALUATION } from '../testing.ts';
import type { Data } from '../types.ts';
import { loadKzg } from './kzg.ts';
import { callOurs, callTheirs, pointEvaluation, verifyKzgProof } from './testing.ts';

type Point = InstanceType<typeof bls12_381.G1.Point>;
type Input = readonly [commitment: Data, z: Data, y: Data, proof: Data];

const { G1, G2 } = bls12_381;
const { Fp, Fp12, Fr } = bls12_381.fields;
const ORDER = Fr.ORDER;
/** Points 1 of `g1_monomial` and `g2_monomial` in the trusted setup of EIP-4844. */
const TAU_G1 = G1.Point.fromHex(
  'ad3eb50121139aa34db1d545093ac9374ab7bca2c0f3bf28e27c8dcd8fc7cb42d25926fc0c97b336e9f0fb35e5a04c81',
);
const TAU_G2 = G2.Point.fromHex(
  'b5bfd7dd8cdeb128843bc287230af38926187075cbfbefa81009a2ce615ac53d2914e5870cb452d2afaaab24f3499f72185cbfee53492714734429b7b38608e23926c911cceceac9a36851477ba4c60b087041de621000edc98edada20c1def2',
);

/** Reference in JavaScript, as `verify_kzg_proof` of EIP-4844 defines it. */
function reference(commitment: Data, z: Data, y: Data, proof: Data): boolean {
  const [at, value] = [scalar(z), scalar(y)];
  const left = point(commitment).subtract(multiple(G1.Point.BASE, value));
  const right = TAU_G2.subtract(G2.Point.BASE.multiplyUnsafe(at));
  const product = Fp12.mul(pairing(left, G2.Point.BASE.negate()), pairing(point(proof), right));
  return Fp12.eql(Fp12.finalExponentiate(product), Fp12.ONE);
}

/** The library takes no point at infinity. */
function pairing(left: Point, right: InstanceType<typeof G2.Point>) {
  return left.is0() || right.is0() ? Fp12.ONE : bls12_381.pairing(left, right, false);
}

function scalar(text: Data): bigint {
  const value = BigInt(text);
  if (value >= ORDER) throw new Error('C_KZG_BADARGS');
  return value;
}

function point(text: Data): Point {
  const bytes = hexToBytes(text);
  try {
    const decoded = G1.Point.fromBytes(bytes);
    decoded.assertValidity();
    // The library also takes an x that is too large, and reduces it.
    if (Buffer.from(decoded.toBytes(true)).equals(bytes)) return decoded;
  } catch {
    // It is no point.
  }
  throw new Error('C_KZG_BADARGS');
}

const multiple = (item: Point, by: bigint) => item.multiplyUnsafe(Fr.create(by));
const encoded = (item: Point): Data => bytesToHex(item.toBytes(true));
const INFINITY = encoded(G1.Point.ZERO);

/** Whether it holds, or `wrong input`. */
function outcome(verify: (...input: Input) => boolean, input: Input): boolean | string {
  try {
    return verify(...input);
  } catch (error) {
    if (!(error instanceof Error && error.message.includes('C_KZG_BADARGS'))) throw error;
    return 'wrong input';
  }
}

async function same(input: Input): Promise<boolean | string> {
  await loadKzg();
  const expected = outcome(reference, input);
  expect(outcome(verifyKzgProof, input), input.join(' ')).toBe(expected);
  return expected;
}

const data = (text: string): Data => `0x${text.slice(2)}`;
const inJavaScript: KZG = {
  ...pointEvaluation,
  verifyProof: (commitment, z, y, proof) => reference(data(commitment), data(z), data(y), data(proof)),
};

const rules = new Common({ chain: Mainnet, hardfork: Hardfork.Cancun, customCrypto: { kzg: inJavaScript } });

let theirs: EVM;

beforeAll(async () => {
  theirs = await createEVM({ common: rules });
});

const awaitOwn = (data: Uint8Array, gasLimit: bigint) => callOurs('cancun', 10, data, gasLimit);

/** With the hash that goes with the commitment. */
function callData(commitment: Data, z: Data, y: Data, proof: Data): Uint8Array {
  const hash = createHash('sha256').update(hexToBytes(commitment)).digest();
  hash[0] = 1;
  return Buffer.concat([hash, ...[z, y, commitment, proof].map(hexToBytes)]);
}

const piece = (from: number, to: number): Data => bytesToHex(POINT_EVALUATION.subarray(from, to));
const KNOWN: Input = [piece(96, 144), piece(32, 64), piece(64, 96), piece(144, 192)];

/** It is the first test because the contract has to load its parts on its own. */
test('the contract answers and fails as the one of the library does', async () => {
  const [commitment, z, y, proof] = KNOWN;
  const calls: (readonly [Uint8Array, bigint])[] = [
    [POINT_EVALUATION, 50_000n],
    [POINT_EVALUATION, 49_999n],
    [POINT_EVALUATION.subarray(1), 50_000n],
    [Buffer.concat([POINT_EVALUATION, Buffer.alloc(1)]), 50_000n],
    [new Uint8Array(), 50_000n],
    [new Uint8Array(192), 50_000n],
    [Buffer.concat([Buffer.alloc(32), POINT_EVALUATION.subarray(32)]), 50_000n],
    [callData(commitment, z, toWord(1n), proof), 60_000n],
    [callData(commitment, z, toWord(ORDER), proof), 60_000n],
    [callData(commitment, z, y, `0x${'11'.repeat(48)}`), 60_000n],
    [callData(INFINITY, z, toWord(0n), INFINITY), 60_000n],
  ];
  const failed: boolean[] = [];
  for (const [data, gas] of calls) {
    const expected = await callTheirs(theirs, 10, data, gas);
    expect(await awaitOwn(data, gas), bytesToHex(data)).toEqual(expected);
    failed.push(expected.failed);
  }
  expect(failed).toEqual(calls.map((_, index) => index > 0 && index < calls.length - 1));
  // EIP-4844: FIELD_ELEMENTS_PER_BLOB and BLS_MODULUS.
  expect((await awaitOwn(POINT_EVALUATION, 50_000n)).output).toBe(`${toWord(4_096n)}${toWord(ORDER).slice(2)}`);
});

/** Name, commitment, z, y, proof, result: see `testdata/kzg/README.md`. */
type Vector = readonly [name: string, ...input: Input, result: boolean | null];

test('the published vectors come out as they say', async () => {
  const file = new URL('../../testdata/kzg/verify-kzg-proof.json', import.meta.url);
  // A file of ours.
  const vectors = JSON.parse(readFileSync(file, 'utf8')) as readonly Vector[];
  expect(vectors).toHaveLength(122);
  await loadKzg();
  const differing = vectors.filter(([, commitment, z, y, proof, result]) => {
    return outcome(verifyKzgProof, [commitment, z, y, proof]) !== (result ?? 'wrong input');
  });
  expect(differing.map(([name]) => name)).toEqual([]);
});

/** The commitment to a + b x, its value at z, and the proof: the commitment to b. */
function linear(a: bigint, b: bigint, z: bigint): Input {
  const commitment = multiple(G1.Point.BASE, a).add(multiple(TAU_G1, b));
  return [encoded(commitment), toWord(z), toWord(Fr.create(a + b * z)), encoded(multiple(G1.Point.BASE, b))];
}

/** Eigenvalues of the endomorphism by which implementations split scalars. */
const LAMBDA = (() => {
  const root = Fr.sqrt(Fr.neg(3n));
  return [Fr.div(Fr.sub(root, 1n), 2n), Fr.div(Fr.neg(Fr.add(root, 1n)), 2n)];
})();
const EDGES = [0n, 1n, 2n, ORDER - 1n, ORDER - 2n, ORDER / 2n, 1n << 128n, 1n << 254n, ...LAMBDA];
const number = fc.oneof(fc.constantFrom(...EDGES), fc.bigInt({ min: 0n, max: ORDER - 1n }));
const SEED = 20_261_122;

test('right proofs are taken and others are not, as the reference has it', { timeout: 120_000 }, async () => {
  const found = new Set<boolean | string>();
  const changes = new Set<string>();
  const change = fc.constantFrom('none', 'none', 'z', 'y', 'commitment', 'proof', 'negative', 'swapped');
  await fc.assert(
    fc.asyncProperty(number, number, number, number, change, async (a, b, z, other, changed) => {
      const [commitment, at, value, proof] = linear(a, b, z);
      const stray = encoded(multiple(G1.Point.BASE, other));
      const input: Input = [
        changed === 'commitment' ? stray : changed === 'swapped' ? proof : commitment,
        changed === 'z' ? toWord(other) : at,
        changed === 'y' ? toWord(other) : value,
        changed === 'proof' ? stray : changed === 'negative' ? encoded(point(proof).negate()) : proof,
      ];
      const expected = await same(input);
      found.add(expected);
      changes.add(changed);
      if (changed === 'none') expect(expected).toBe(true);
    }),
    // Each change once or more; a run takes two pairings in JavaScript.
    { numRuns: 14, seed: SEED },
  );
  expect(found).toEqual(new Set([true, false]));
  expect(changes.size).toBe(7);
});

test('points at infinity, and sums that are there, are as the reference has it', { timeout: 120_000 }, async () => {
  const word = (value: bigint) => toWord(Fr.create(value));
  const base = G1.Point.BASE;
  // Claims about the polynomials 0 and 5.
  expect(await same([INFINITY, word(3n), word(0n), INFINITY])).toBe(true);
  expect(await same([INFINITY, word(0n), word(0n), INFINITY])).toBe(true);
  expect(await same([encoded(multiple(base, 5n)), word(3n), word(5n), INFINITY])).toBe(true);
  expect(await same([encoded(multiple(base, 5n)), word(3n), word(6n), INFINITY])).toBe(false);
  expect(await same([INFINITY, word(3n), word(1n), INFINITY])).toBe(false);
  expect(await same([INFINITY, word(0n), word(0n), encoded(base)])).toBe(false);
  expect(await same(linear(0n, 0n, 0n))).toBe(true);
  for (const proof of [ORDER - 1n, 7n]) {
    for (const z of [0n, ORDER - 1n]) {
      // C - [y] + z proof is infinity, and it is the double of one if its parts are equal or opposite.
      const input = [
        encoded(multiple(base, 9n - z * proof)),
        word(z),
        word(9n),
        encoded(multiple(base, proof)),
      ] as const;
      expect(await same(input)).toBe(false);
      const [commitment, at, , pi] = input;
      await same([commitment, at, word(z * proof), pi]);
      await same([commitment, at, word(-z * proof), pi]);
    }
  }
});

const P = Fp.ORDER;
const bytes48 = (value: bigint, flags: number): Data => {
  const bytes = Buffer.from(value.toString(16).padStart(96, '0'), 'hex');
  bytes[0] = ((bytes[0] ?? 0) & 0x1f) | (flags << 5);
  return bytesToHex(bytes);
};

test('what is no point of the group is refused, wherever it is and whatever its flags', {
  timeout: 120_000,
}, async () => {
  const known = [1n, 2n, 3n, 12_345n, ORDER - 1n].map((by) => multiple(G1.Point.BASE, by).toAffine().x);
  const small = Array.from({ length: 40 }, (_, x) => BigInt(x));
  const xs = [...small, ...known, P - 1n, P, P + 1n, P + 3n, P + 4n, (1n << 381n) - 1n, 1n << 380n];
  // Coordinates that fit though they are not reduced.
  const raised = Array.from({ length: 60 }, (_, by) => multiple(G1.Point.BASE, BigInt(by + 1)).toAffine().x)
    .map((x) => x + P)
    .filter((x) => x < 1n << 381n);
  expect(raised.length).toBeGreaterThan(5);
  const found = { points: 0, wrong: 0 };
  for (const x of [...xs, ...raised]) {
    for (let flags = 0; flags < 8; flags += 1) {
      const text = bytes48(x, flags);
      // With z 0 and no proof: whether it commits to 0.
      const expected = await same([text, toWord(0n), toWord(0n), INFINITY]);
      const asProof = outcome(verifyKzgProof, [INFINITY, toWord(0n), toWord(0n), text]);
      expect(asProof, text).toBe(expected);
      found[expected === 'wrong input' ? 'wrong' : 'points'] += 1;
    }
  }
  // Each known one with both signs, and infinity.
  expect(found.points).toBe(known.length * 2 + 1);
  expect(found.wrong).toBeGreaterThan(400);
});

test('any bytes are taken or refused as the reference does', { timeout: 120_000 }, async () => {
  const word = fc.oneof(
    number.map(toWord),
    fc.constantFrom(ORDER, ORDER + 1n, (1n << 256n) - 1n, 1n << 255n).map(toWord),
    fc.uint8Array({ minLength: 32, maxLength: 32 }).map(bytesToHex),
  );
  const cut = fc.uint8Array({ minLength: 47, maxLength: 49 }).map(bytesToHex);
  const points = fc.oneof(
    { weight: 4, arbitrary: number.map((by) => encoded(multiple(G1.Point.BASE, by))) },
    { weight: 1, arbitrary: fc.constantFrom(INFINITY, bytes48(0n, 7), bytes48(0n, 4), bytes48(1n, 6), bytes48(P, 4)) },
    {
      weight: 1,
      arbitrary: fc.tuple(fc.bigInt({ min: 0n, max: P }), fc.nat(7)).map(([x, flags]) => bytes48(x, flags)),
    },
    { weight: 1, arbitrary: cut },
  );
  const found = new Set<boolean | string>();
  await fc.assert(
    fc.asyncProperty(points, word, word, points, async (...input) => {
      found.add(await same(input));
    }),
    { numRuns: 40, seed: SEED },
  );
  expect(found).toEqual(new Set([false, 'wrong input']));
});

test('after input that is wrong in each place, what is right is still right', async () => {
  await loadKzg();
  const [commitment, z, y, proof] = KNOWN;
  const wrong: Input[] = [
    [`0x${'11'.repeat(48)}`, z, y, proof],
    [commitment, toWord(ORDER), y, proof],
    [commitment, z, toWord(ORDER), proof],
    [commitment, z, y, '0xc0'],
    [commitment, z, y, bytes48(4n, 4)],
    [INFINITY, z, toWord(0n), INFINITY],
  ];
  for (const input of wrong) {
    outcome(verifyKzgProof, input);
    expect(verifyKzgProof(...KNOWN)).toBe(true);
    expect(verifyKzgProof(commitment, z, toWord(1n), proof)).toBe(false);
  }
});
