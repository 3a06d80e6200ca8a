import { divideWords, remainderOfProduct, remainderOfSum, remainderOfWords } from '../division.ts';
import type { Frame } from '../frame.ts';
import { powerOfWords } from '../power.ts';
import { isZeroAt, numberAt, PARTS, setNumber, setSmall } from '../words.ts';

export function add(frame: Frame): void {
  const { stack } = frame;
  const left = frame.top - PARTS;
  const right = left - PARTS;
  let carry = 0;
  for (let part = 0; part < PARTS; part++) {
    const sum = (stack[left + part] ?? 0) + (stack[right + part] ?? 0) + carry;
    carry = sum > 0xffff_ffff ? 1 : 0;
    // Taken modulo 2^32.
    stack[right + part] = sum;
  }
  frame.top = left;
}

export function sub(frame: Frame): void {
  const { stack } = frame;
  const left = frame.top - PARTS;
  const right = left - PARTS;
  let borrow = 0;
  for (let part = 0; part < PARTS; part++) {
    const difference = (stack[left + part] ?? 0) - (stack[right + part] ?? 0) - borrow;
    borrow = difference < 0 ? 1 : 0;
    stack[right + part] = difference;
  }
  frame.top = left;
}

/** Sums of products of parts with the lower and the upper halves of others; below 2^51, which doubles count exactly. */
const lower = new Float64Array(PARTS);
const upper = new Float64Array(PARTS);
const HALF = 2 ** 16;
const WHOLE = 2 ** 32;

export function mul(frame: Frame): void {
  const { stack } = frame;
  const left = frame.top - PARTS;
  const right = left - PARTS;
  lower.fill(0);
  upper.fill(0);
  for (let i = 0; i < PARTS; i++) {
    const multiplier = stack[left + i] ?? 0;
    if (multiplier === 0) continue;
    for (let j = 0; i + j < PARTS; j++) {
      const multiplicand = stack[right + j] ?? 0;
      lower[i + j] = (lower[i + j] ?? 0) + multiplier * (multiplicand & 0xffff);
      upper[i + j] = (upper[i + j] ?? 0) + multiplier * (multiplicand >>> 16);
    }
  }
  let carry = 0;
  for (let part = 0; part < PARTS; part++) {
    const high = upper[part] ?? 0;
    const above = Math.floor(high / HALF);
    const sum = (lower[part] ?? 0) + (high - above * HALF) * HALF + carry;
    carry = Math.floor(sum / WHOLE) + above;
    // Taken modulo 2^32.
    stack[right + part] = sum;
  }
  frame.top = left;
}

/** Numbers that are small are computed as such, and words by long division; both put the result in the divisor's place. */
function division(small: (left: number, right: number) => number, long: typeof divideWords) {
  return (frame: Frame): void => {
    const { stack } = frame;
    const left = frame.top - PARTS;
    const right = left - PARTS;
    frame.top = left;
    const dividend = numberAt(stack, left);
    const divisor = numberAt(stack, right);
    if (divisor === 0) setSmall(stack, right, 0);
    else if (dividend <= Number.MAX_SAFE_INTEGER) setNumber(stack, right, small(dividend, divisor));
    else long(stack, left, right);
  };
}

export const div = division((left, right) => Math.floor(left / right), divideWords);
export const mod = division(
  (left, right) => (right === Number.POSITIVE_INFINITY ? left : left % right),
  remainderOfWords,
);

/** The quotient is cut off towards 0. That of -2^255 and -1 is 2^255, which is -2^255 again. */
export function sdiv(frame: Frame): void {
  const { stack } = frame;
  const left = frame.top - PARTS;
  const isNegative = makePositive(stack, left) !== makePositive(stack, left - PARTS);
  div(frame);
  if (isNegative) negate(stack, left - PARTS);
}

/** The remainder has the sign of the dividend. */
export function smod(frame: Frame): void {
  const { stack } = frame;
  const left = frame.top - PARTS;
  const isNegative = makePositive(stack, left);
  makePositive(stack, left - PARTS);
  mod(frame);
  if (isNegative) negate(stack, left - PARTS);
}

/** @returns Whether it was negative. */
function makePositive(words: Uint32Array, at: number): boolean {
  const isNegative = (words[at + PARTS - 1] ?? 0) >= 0x8000_0000;
  if (isNegative) negate(words, at);
  return isNegative;
}

function negate(words: Uint32Array, at: number): void {
  let carry = 1;
  for (let part = at; part < at + PARTS; part++) {
    const sum = (~(words[part] ?? 0) >>> 0) + carry;
    carry = sum > 0xffff_ffff ? 1 : 0;
    words[part] = sum;
  }
}

function ternary(remainder: typeof remainderOfSum) {
  return (frame: Frame): void => {
    const { stack, top } = frame;
    const modulus = top - 3 * PARTS;
    if (!isZeroAt(stack, modulus)) remainder(stack, top - PARTS, top - 2 * PARTS, modulus);
    frame.top = top - 2 * PARTS;
  };
}

export const addmod = ternary(remainderOfSum);
export const mulmod = ternary(remainderOfProduct);

export function exp(frame: Frame): void {
  const { stack } = frame;
  const baseAt = frame.top - PARTS;
  const exponentAt = baseAt - PARTS;
  if (!frame.charge(frame.context.rules.gas.exponentByte * bytesAt(stack, exponentAt))) return;
  powerOfWords(stack, baseAt, exponentAt);
  frame.top = baseAt;
}

/** Bytes of a word without leading zeros. */
function bytesAt(words: Uint32Array, at: number): number {
  for (let part = PARTS - 1; part >= 0; part--) {
    const value = words[at + part] ?? 0;
    if (value !== 0) return 4 * part + 4 - (Math.clz32(value) >> 3);
  }
  return 0;
}

export function signextend(frame: Frame): void {
  const { stack } = frame;
  const at = frame.top - 2 * PARTS;
  const byte = numberAt(stack, frame.top - PARTS);
  frame.top -= PARTS;
  if (byte >= 31) return;
  const part = byte >> 2;
  const shift = 24 - 8 * (byte & 3);
  const extended = ((stack[at + part] ?? 0) << shift) >> shift;
  stack[at + part] = extended;
  const rest = extended < 0 ? 0xffff_ffff : 0;
  for (let above = part + 1; above < PARTS; above++) stack[at + above] = rest;
}

export function iszero(frame: Frame): void {
  const at = frame.top - PARTS;
  setSmall(frame.stack, at, isZeroAt(frame.stack, at) ? 1 : 0);
}
