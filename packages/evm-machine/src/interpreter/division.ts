import { BASE, carryLimbs, INVERSE_BASE, LIMBS, limbsFromWord, limbsIn, wordFromLimbs } from './limbs.ts';

/*
 * Long division (Knuth, The Art of Computer Programming, volume 2, 4.3.1) with digits of 24 bits that may be negative:
 * each is the nearest integer to the quotient of doubles, off by at most a little more than a half, and the next
 * digit makes up for it. Limbs of the remainder stay below 2^53 without carries: at most 11 products below 2^48 from a
 * multiplication, less at most 12 below 2^47, and one of 2^48 for the first digit.
 */

/** Zeros below the lowest limb, so that an estimate can look at limbs below it. */
const PAD = 3;
const dividend = new Float64Array(PAD + 2 * LIMBS + 1);
const divisor = new Float64Array(PAD + LIMBS);
const quotient = new Float64Array(2 * LIMBS + 1);
const left = new Float64Array(LIMBS);
const right = new Float64Array(LIMBS);

/** Added and subtracted again, it rounds a double below 2^51 to the nearest integer. */
const ROUND = 1.5 * 2 ** 52;

/**
 * Divides `dividend`, below 2^24 to the power of `length`, by `divisor`, which is not 0. The remainder takes the place of the
 * dividend.
 *
 * @param length The limb above is 0.
 * @returns Limbs of the divisor.
 */
function divide(length: number): number {
  const size = limbsIn(divisor, PAD);
  const top = PAD + size - 1;
  const inverse =
    1 / ((divisor[top] ?? 0) + ((divisor[top - 1] ?? 0) + (divisor[top - 2] ?? 0) * INVERSE_BASE) * INVERSE_BASE);
  for (let digit = length - size; digit >= 0; digit--) {
    const at = top + digit;
    const high = (dividend[at + 1] ?? 0) * BASE + (dividend[at] ?? 0);
    const low = ((dividend[at - 1] ?? 0) + (dividend[at - 2] ?? 0) * INVERSE_BASE) * INVERSE_BASE;
    const estimate = (high + low) * inverse + ROUND - ROUND;
    quotient[digit] = estimate;
    dividend[at] = high;
    for (let index = PAD; index <= top; index++) {
      dividend[index + digit] = (dividend[index + digit] ?? 0) - estimate * (divisor[index] ?? 0);
    }
  }
  if (carryLimbs(dividend, PAD, size) < 0) {
    quotient[0] = (quotient[0] ?? 0) - 1;
    for (let index = PAD; index <= top; index++) dividend[index] = (dividend[index] ?? 0) + (divisor[index] ?? 0);
    carryLimbs(dividend, PAD, size);
  }
  return size;
}

function divideWord(words: Uint32Array, dividendAt: number, divisorAt: number): number {
  limbsFromWord(words, dividendAt, dividend, PAD);
  limbsFromWord(words, divisorAt, divisor, PAD);
  dividend[PAD + LIMBS] = 0;
  return divide(LIMBS);
}

/** Puts the quotient in the place of the divisor, which is not 0. */
export function divideWords(words: Uint32Array, dividendAt: number, divisorAt: number): void {
  const size = divideWord(words, dividendAt, divisorAt);
  const digits = LIMBS - size + 1;
  carryLimbs(quotient, 0, digits);
  quotient.fill(0, digits, LIMBS);
  wordFromLimbs(quotient, 0, words, divisorAt);
}

/** Puts the remainder in the place of the divisor, which is not 0. */
export function remainderOfWords(words: Uint32Array, dividendAt: number, divisorAt: number): void {
  putRemainder(divideWord(words, dividendAt, divisorAt), words, divisorAt);
}

/** Puts the remainder of the sum in the place of the modulus, which is not 0. */
export function remainderOfSum(words: Uint32Array, leftAt: number, rightAt: number, modulusAt: number): void {
  limbsFromWord(words, leftAt, left, 0);
  limbsFromWord(words, rightAt, right, 0);
  limbsFromWord(words, modulusAt, divisor, PAD);
  for (let index = 0; index < LIMBS; index++) dividend[PAD + index] = (left[index] ?? 0) + (right[index] ?? 0);
  dividend[PAD + LIMBS] = 0;
  putRemainder(divide(LIMBS), words, modulusAt);
}

/** Puts the remainder of the product in the place of the modulus, which is not 0. */
export function remainderOfProduct(words: Uint32Array, leftAt: number, rightAt: number, modulusAt: number): void {
  limbsFromWord(words, leftAt, left, 0);
  limbsFromWord(words, rightAt, right, 0);
  limbsFromWord(words, modulusAt, divisor, PAD);
  const leftLength = limbsIn(left, 0);
  const rightLength = limbsIn(right, 0);
  // At least as much as the remainder may take.
  dividend.fill(0, PAD);
  for (let i = 0; i < leftLength; i++) {
    const multiplier = left[i] ?? 0;
    const at = PAD + i;
    for (let j = 0; j < rightLength; j++) dividend[at + j] = (dividend[at + j] ?? 0) + multiplier * (right[j] ?? 0);
  }
  putRemainder(divide(leftLength + rightLength), words, modulusAt);
}

function putRemainder(size: number, words: Uint32Array, at: number): void {
  dividend.fill(0, PAD + size, PAD + LIMBS);
  wordFromLimbs(dividend, PAD, words, at);
}
