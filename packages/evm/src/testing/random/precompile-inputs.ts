import { createHash } from 'node:crypto';
import { bls12_381 } from '@noble/curves/bls12-381.js';
import { bn254 } from '@noble/curves/bn254.js';
import { p256 } from '@noble/curves/nist.js';
import { secp256k1 } from '@switchyard/protocol/secp256k1';
import type { Random } from '@switchyard/service/testing';
import { bytes, word } from './words.ts';

/* Inputs of precompiled contracts: mostly of the right form, with one byte changed now and then. */

/** @param contract Its address as a number. */
export function getInput(random: Random, contract: number): Uint8Array {
  const made = INPUTS.get(contract)?.(random) ?? bytes(random, random.between(0, 100));
  if (made.length === 0 || random.chance(0.85)) return made;
  const changed = Uint8Array.from(made);
  changed[random.between(0, made.length - 1)] = random.between(0, 255);
  return changed;
}

/** One of nine, each made once: points of curves take milliseconds. */
function oneOf(make: (number: number) => Uint8Array): (random: Random) => Uint8Array {
  const made = new Map<number, Uint8Array>();
  return (random) => {
    const number = random.between(1, 9);
    const known = made.get(number) ?? make(number);
    made.set(number, known);
    return known;
  };
}

const BN_G1 = oneOf((number) => {
  const { x, y } = bn254.G1.Point.BASE.multiply(BigInt(number)).toAffine();
  return join(padded(x, 32), padded(y, 32));
});
const BN_G2 = oneOf((number) => {
  const { x, y } = bn254.G2.Point.BASE.multiply(BigInt(number)).toAffine();
  return join(...[x.c1, x.c0, y.c1, y.c0].map((part) => padded(part, 32)));
});
const BLS_G1 = oneOf((number) => {
  const { x, y } = bls12_381.G1.Point.BASE.multiply(BigInt(number)).toAffine();
  return join(padded(x, 64), padded(y, 64));
});
const BLS_G2 = oneOf((number) => {
  const { x, y } = bls12_381.G2.Point.BASE.multiply(BigInt(number)).toAffine();
  return join(...[x.c0, x.c1, y.c0, y.c1].map((part) => padded(part, 64)));
});

const INPUTS: ReadonlyMap<number, (random: Random) => Uint8Array> = new Map([
  [1, recoverable],
  [5, power],
  [6, (random: Random) => join(g1(random), g1(random))],
  [7, (random: Random) => join(g1(random), padded(word(random), 32))],
  [8, (random: Random) => repeat(random, 0, 2, () => join(g1(random), g2(random)))],
  [9, compression],
  [10, () => POINT_EVALUATION],
  [11, (random: Random) => join(blsG1(random), blsG1(random))],
  [12, (random: Random) => repeat(random, 1, 3, () => join(blsG1(random), padded(word(random), 32)))],
  [13, (random: Random) => join(blsG2(random), blsG2(random))],
  [14, (random: Random) => repeat(random, 1, 2, () => join(blsG2(random), padded(word(random), 32)))],
  [15, (random: Random) => repeat(random, 1, 2, () => join(blsG1(random), blsG2(random)))],
  [16, fieldElement],
  [17, (random: Random) => join(fieldElement(random), fieldElement(random))],
  [0x100, (random: Random) => verifiable(random)],
]);

function recoverable(random: Random): Uint8Array {
  const digest = createHash('sha256').update(bytes(random, 8)).digest();
  const { signature, recid } = secp256k1.ecdsaSign(digest, new Uint8Array(32).fill(random.between(1, 9)));
  const v = random.chance(0.9) ? BigInt(27 + recid) : word(random);
  return join(digest, padded(v, 32), signature);
}

function power(random: Random): Uint8Array {
  const lengths = Array.from({ length: 3 }, () => random.pick([0, 1, 2, 31, 32, 33, 64, 96]));
  const [base = 0, exponent = 0, modulus = 0] = lengths;
  const heads = lengths.map((length) => padded(random.chance(0.97) ? BigInt(length) : word(random), 32));
  return join(...heads, bytes(random, base), bytes(random, exponent), bytes(random, modulus));
}

/** A multiple of the generator, the point at infinity, or no point of the curve. */
function g1(random: Random): Uint8Array {
  const choice = random.between(0, 9);
  if (choice === 0) return new Uint8Array(64);
  if (choice === 1) return bytes(random, 64);
  return BN_G1(random);
}

function g2(random: Random): Uint8Array {
  const choice = random.between(0, 9);
  if (choice === 0) return new Uint8Array(128);
  if (choice === 1) return bytes(random, 128);
  return BN_G2(random);
}

function compression(random: Random): Uint8Array {
  const rounds = random.pick([0, 1, 12, 40]);
  return join(
    padded(BigInt(rounds), 4),
    bytes(random, 208),
    Uint8Array.of(random.chance(0.9) ? random.between(0, 1) : 2),
  );
}

function blsG1(random: Random): Uint8Array {
  const choice = random.between(0, 9);
  if (choice === 0) return new Uint8Array(128);
  if (choice === 1) return join(fieldElement(random), fieldElement(random));
  return BLS_G1(random);
}

function blsG2(random: Random): Uint8Array {
  const choice = random.between(0, 9);
  if (choice === 0) return new Uint8Array(256);
  return BLS_G2(random);
}

function fieldElement(random: Random): Uint8Array {
  return join(new Uint8Array(16), Uint8Array.of(random.between(0, 0x1a)), bytes(random, 47));
}

/** EIP-7951: hash, r, s, x, y. */
const verifiable = oneOf((number) => {
  const key = new Uint8Array(32).fill(number);
  const digest = createHash('sha256').update(key).digest();
  return join(digest, p256.sign(digest, key, { prehash: false }), p256.getPublicKey(key, false).subarray(1));
});

/** EIP-4844: the polynomial that is 0 everywhere, whose commitment and proof are the point at infinity. */
const POINT_EVALUATION = (() => {
  const infinity = Uint8Array.from({ length: 48 }, (_, at) => (at === 0 ? 0xc0 : 0));
  const hash = createHash('sha256').update(infinity).digest();
  hash[0] = 1;
  return join(hash, new Uint8Array(64), infinity, infinity);
})();

function repeat(random: Random, least: number, most: number, make: () => Uint8Array): Uint8Array {
  return join(...Array.from({ length: random.between(least, most) }, make));
}

function padded(value: bigint, length: number): Uint8Array {
  return Buffer.from(value.toString(16).padStart(2 * length, '0'), 'hex');
}

function join(...parts: readonly Uint8Array[]): Uint8Array {
  return Uint8Array.from(Buffer.concat(parts));
}
