/*
 * Numbers in limbs of 24 bits, the lowest first, as doubles. A product of two has 48 bits, so that sums of up to 32 products
 * are exact, and carries can wait until the end.
 */

/** Limbs of a word. */
export const LIMBS = 11;
export const BASE = 2 ** 24;
export const INVERSE_BASE = 2 ** -24;
const LOW_24 = 0xff_ffff;

export function limbsFromWord(words: Uint32Array, wordAt: number, limbs: Float64Array, at: number): void {
  let next = at;
  // Three parts of a word are four limbs.
  for (let part = wordAt; part < wordAt + 6; part += 3) {
    const low = words[part] ?? 0;
    const middle = words[part + 1] ?? 0;
    const high = words[part + 2] ?? 0;
    limbs[next] = low & LOW_24;
    limbs[next + 1] = (low >>> 24) | ((middle & 0xffff) << 8);
    limbs[next + 2] = (middle >>> 16) | ((high & 0xff) << 16);
    limbs[next + 3] = high >>> 8;
    next += 4;
  }
  const low = words[wordAt + 6] ?? 0;
  const high = words[wordAt + 7] ?? 0;
  limbs[next] = low & LOW_24;
  limbs[next + 1] = (low >>> 24) | ((high & 0xffff) << 8);
  limbs[next + 2] = high >>> 16;
}

/** @param limbs From 0 to 2^24 - 1 each; taken modulo 2^256. */
export function wordFromLimbs(limbs: Float64Array, at: number, words: Uint32Array, wordAt: number): void {
  let next = at;
  for (let part = wordAt; part < wordAt + 6; part += 3) {
    const second = limbs[next + 1] ?? 0;
    const third = limbs[next + 2] ?? 0;
    words[part] = (limbs[next] ?? 0) | (second << 24);
    words[part + 1] = (second >>> 8) | (third << 16);
    words[part + 2] = (third >>> 16) | ((limbs[next + 3] ?? 0) << 8);
    next += 4;
  }
  const second = limbs[next + 1] ?? 0;
  words[wordAt + 6] = (limbs[next] ?? 0) | (second << 24);
  words[wordAt + 7] = (second >>> 8) | ((limbs[next + 2] ?? 0) << 16);
}

/** Number of limbs of a word, without leading zeros. */
export function limbsIn(limbs: Float64Array, at: number): number {
  let length = LIMBS;
  while (length > 0 && limbs[at + length - 1] === 0) length -= 1;
  return length;
}

/** Brings limbs, which may be negative, into the range from 0 to 2^24 - 1. @returns the part above them. */
export function carryLimbs(limbs: Float64Array, at: number, count: number): number {
  let carry = 0;
  for (let index = at; index < at + count; index++) {
    const sum = (limbs[index] ?? 0) + carry;
    carry = Math.floor(sum * INVERSE_BASE);
    limbs[index] = sum - carry * BASE;
  }
  return carry;
}
