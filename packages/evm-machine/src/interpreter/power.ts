import { carryLimbs, LIMBS, limbsFromWord, wordFromLimbs } from './limbs.ts';
import { PARTS, setSmall } from './words.ts';

const base = new Float64Array(LIMBS);
const result = new Float64Array(LIMBS);

/** Puts the power, modulo 2^256, in the place of the exponent. */
export function powerOfWords(words: Uint32Array, baseAt: number, exponentAt: number): void {
  let part = exponentAt + PARTS - 1;
  while (part > exponentAt && words[part] === 0) part -= 1;
  let bits = words[part] ?? 0;
  if (bits === 0) {
    setSmall(words, exponentAt, 1);
    return;
  }
  limbsFromWord(words, baseAt, base, 0);
  result.set(base);
  // The highest bit is the base itself; from the next one down, so that low exponents take few steps.
  let bit = 30 - Math.clz32(bits);
  for (; part >= exponentAt; part--) {
    bits = words[part] ?? 0;
    for (; bit >= 0; bit--) {
      square(result);
      if (((bits >>> bit) & 1) === 1) multiply(result, base);
    }
    bit = 31;
  }
  wordFromLimbs(result, 0, words, exponentAt);
}

/** Multiplies `left`, modulo 2^264. Written out, which takes half the time of loops: a power is some 400 of these. */
function multiply(left: Float64Array, right: Float64Array): void {
  const a0 = left[0] ?? 0;
  const a1 = left[1] ?? 0;
  const a2 = left[2] ?? 0;
  const a3 = left[3] ?? 0;
  const a4 = left[4] ?? 0;
  const a5 = left[5] ?? 0;
  const a6 = left[6] ?? 0;
  const a7 = left[7] ?? 0;
  const a8 = left[8] ?? 0;
  const a9 = left[9] ?? 0;
  const a10 = left[10] ?? 0;
  const b0 = right[0] ?? 0;
  const b1 = right[1] ?? 0;
  const b2 = right[2] ?? 0;
  const b3 = right[3] ?? 0;
  const b4 = right[4] ?? 0;
  const b5 = right[5] ?? 0;
  const b6 = right[6] ?? 0;
  const b7 = right[7] ?? 0;
  const b8 = right[8] ?? 0;
  const b9 = right[9] ?? 0;
  const b10 = right[10] ?? 0;
  left[0] = a0 * b0;
  left[1] = a0 * b1 + a1 * b0;
  left[2] = a0 * b2 + a1 * b1 + a2 * b0;
  left[3] = a0 * b3 + a1 * b2 + a2 * b1 + a3 * b0;
  left[4] = a0 * b4 + a1 * b3 + a2 * b2 + a3 * b1 + a4 * b0;
  left[5] = a0 * b5 + a1 * b4 + a2 * b3 + a3 * b2 + a4 * b1 + a5 * b0;
  left[6] = a0 * b6 + a1 * b5 + a2 * b4 + a3 * b3 + a4 * b2 + a5 * b1 + a6 * b0;
  left[7] = a0 * b7 + a1 * b6 + a2 * b5 + a3 * b4 + a4 * b3 + a5 * b2 + a6 * b1 + a7 * b0;
  left[8] = a0 * b8 + a1 * b7 + a2 * b6 + a3 * b5 + a4 * b4 + a5 * b3 + a6 * b2 + a7 * b1 + a8 * b0;
  left[9] = a0 * b9 + a1 * b8 + a2 * b7 + a3 * b6 + a4 * b5 + a5 * b4 + a6 * b3 + a7 * b2 + a8 * b1 + a9 * b0;
  left[10] =
    a0 * b10 + a1 * b9 + a2 * b8 + a3 * b7 + a4 * b6 + a5 * b5 + a6 * b4 + a7 * b3 + a8 * b2 + a9 * b1 + a10 * b0;
  carryLimbs(left, 0, LIMBS);
}

/** Squares limbs; each product of two different limbs counts twice. */
function square(limbs: Float64Array): void {
  const a0 = limbs[0] ?? 0;
  const a1 = limbs[1] ?? 0;
  const a2 = limbs[2] ?? 0;
  const a3 = limbs[3] ?? 0;
  const a4 = limbs[4] ?? 0;
  const a5 = limbs[5] ?? 0;
  const a6 = limbs[6] ?? 0;
  const a7 = limbs[7] ?? 0;
  const a8 = limbs[8] ?? 0;
  const a9 = limbs[9] ?? 0;
  const a10 = limbs[10] ?? 0;
  limbs[0] = a0 * a0;
  limbs[1] = 2 * a0 * a1;
  limbs[2] = 2 * a0 * a2 + a1 * a1;
  limbs[3] = 2 * (a0 * a3 + a1 * a2);
  limbs[4] = 2 * (a0 * a4 + a1 * a3) + a2 * a2;
  limbs[5] = 2 * (a0 * a5 + a1 * a4 + a2 * a3);
  limbs[6] = 2 * (a0 * a6 + a1 * a5 + a2 * a4) + a3 * a3;
  limbs[7] = 2 * (a0 * a7 + a1 * a6 + a2 * a5 + a3 * a4);
  limbs[8] = 2 * (a0 * a8 + a1 * a7 + a2 * a6 + a3 * a5) + a4 * a4;
  limbs[9] = 2 * (a0 * a9 + a1 * a8 + a2 * a7 + a3 * a6 + a4 * a5);
  limbs[10] = 2 * (a0 * a10 + a1 * a9 + a2 * a8 + a3 * a7 + a4 * a6) + a5 * a5;
  carryLimbs(limbs, 0, LIMBS);
}
