import type { Frame } from '../frame.ts';
import { bigAt, isZeroAt, numberAt, PARTS, setBig, setNumber, setSmall } from '../words.ts';

const BITS = 256;
const MODULUS = 1n << 256n;

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

/** Numbers that are small are computed as such; what does not fit is computed as big integers. */
function binary(small: (left: number, right: number) => number, big: (left: bigint, right: bigint) => bigint) {
  return (frame: Frame): void => {
    const { stack } = frame;
    const left = frame.top - PARTS;
    const right = left - PARTS;
    frame.top = left;
    const result = small(numberAt(stack, left), numberAt(stack, right));
    if (result <= Number.MAX_SAFE_INTEGER) setNumber(stack, right, result);
    else setBig(stack, right, big(bigAt(stack, left), bigAt(stack, right)));
  };
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

export const div = binary(
  (left, right) => (right === 0 ? 0 : left === Number.POSITIVE_INFINITY ? left : Math.floor(left / right)),
  (left, right) => left / right,
);

export const mod = binary(
  (left, right) => (right === 0 ? 0 : left === Number.POSITIVE_INFINITY ? left : remainder(left, right)),
  (left, right) => left % right,
);

const remainder = (left: number, right: number) => (right === Number.POSITIVE_INFINITY ? left : left % right);

const signed = (value: bigint) => BigInt.asIntN(BITS, value);
const big = (operation: (left: bigint, right: bigint) => bigint) => binary(() => Number.POSITIVE_INFINITY, operation);

// Big integers are cut off towards 0, as the EVM has it.
export const sdiv = big((left, right) => (right === 0n ? 0n : signed(left) / signed(right)));
export const smod = big((left, right) => (right === 0n ? 0n : signed(left) % signed(right)));

function ternary(operation: (left: bigint, right: bigint, modulus: bigint) => bigint) {
  return (frame: Frame): void => {
    const { stack } = frame;
    const modulusAt = frame.top - 3 * PARTS;
    const modulus = bigAt(stack, modulusAt);
    const left = bigAt(stack, frame.top - PARTS);
    const right = bigAt(stack, frame.top - 2 * PARTS);
    if (modulus === 0n) setSmall(stack, modulusAt, 0);
    else setBig(stack, modulusAt, operation(left, right, modulus));
    frame.top -= 2 * PARTS;
  };
}

export const addmod = ternary((left, right, modulus) => (left + right) % modulus);
export const mulmod = ternary((left, right, modulus) => (left * right) % modulus);

export function exp(frame: Frame): void {
  const { stack } = frame;
  const baseAt = frame.top - PARTS;
  const exponentAt = baseAt - PARTS;
  if (!frame.charge(frame.context.rules.gas.exponentByte * bytesAt(stack, exponentAt))) return;
  setBig(stack, exponentAt, power(bigAt(stack, baseAt), bigAt(stack, exponentAt)));
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

function power(base: bigint, exponent: bigint): bigint {
  let result = 1n;
  // From the highest bit down, so that a small base stays small for long.
  for (const bit of exponent.toString(2)) {
    result = (result * result) % MODULUS;
    if (bit === '1') result = (result * base) % MODULUS;
  }
  return result;
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
