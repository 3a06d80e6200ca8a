import { bytesToBigInt, hexToBytes } from '@switchyard/protocol/ethereum';
import { power } from './power.ts';

/* Powers modulo a number: the precompiled contract 5 (EIP-198). */

/** Rules by which it is paid for. */
export type ModexpPricing = 'EIP-198' | 'EIP-2565' | 'EIP-7883';

/** Positions of the lengths of base, exponent and modulus, a word each, and where these begin. */
const WORD = 32;
const HEAD = 3 * WORD;
/** EIP-7823: in bytes, of each of the three. */
const LONGEST = 1_024;

interface Lengths {
  readonly base: number;
  readonly exponent: number;
  readonly modulus: number;
}

/** Infinity for lengths of 2^48 and more, which no input has. */
export function modexpLengths(input: Uint8Array): Lengths {
  return { base: lengthAt(0, input), exponent: lengthAt(1, input), modulus: lengthAt(2, input) };
}

function lengthAt(index: number, input: Uint8Array): number {
  const at = index * WORD;
  let length = 0;
  for (let byte = at; byte < at + WORD; byte += 1) {
    const value = input[byte] ?? 0;
    if (byte < at + WORD - 6 && value !== 0) return Number.POSITIVE_INFINITY;
    length = length * 256 + value;
  }
  return length;
}

/** Infinity if it is more than 10^14, which no block has. */
export function modexpGas(input: Uint8Array, pricing: ModexpPricing): number {
  const { base, exponent, modulus } = modexpLengths(input);
  const longer = Math.max(base, modulus);
  const isDear = pricing === 'EIP-7883';
  const rest = exponent > WORD ? exponent - WORD : 0;
  // The length of the exponent in bits, of which the first word's leading zeros do not count.
  const bits = Math.max(bitsOfHead(base, exponent, input) - 1, 0) + rest * (isDear ? 16 : 8);
  const rounds = Math.max(bits, 1);
  if (pricing === 'EIP-198') return Math.floor(work(rounds, buildSquare(longer)) / 20);
  const words = Math.ceil(longer / 8);
  if (isDear) return Math.max(500, work(rounds, longer > 32 ? 2 * words * words : 16));
  return Math.max(200, Math.floor(work(rounds, words * words) / 3));
}

function work(rounds: number, each: number): number {
  // No rounds are too many for numbers of no length.
  if (each === 0) return 0;
  const product = rounds * each;
  return product <= Number.MAX_SAFE_INTEGER ? product : Number.POSITIVE_INFINITY;
}

/** 0 if it is 0. */
function bitsOfHead(base: number, exponent: number, input: Uint8Array): number {
  const length = Math.min(exponent, WORD);
  for (let index = 0; index < length; index += 1) {
    const byte = input[HEAD + base + index] ?? 0;
    if (byte !== 0) return (length - index) * 8 - (Math.clz32(byte) - 24);
  }
  return 0;
}

/** Work of squaring a number of this many bytes, as EIP-198 counts it. */
function buildSquare(bytes: number): number {
  if (bytes <= 64) return bytes * bytes;
  if (bytes <= 1_024) return Math.floor((bytes * bytes) / 4) + 96 * bytes - 3_072;
  return Math.floor((bytes * bytes) / 16) + 480 * bytes - 199_680;
}

/** @param input That its gas was paid for: lengths are bounded by nothing else before EIP-7823. */
export function modexp(input: Uint8Array, pricing: ModexpPricing): Uint8Array | undefined {
  const { base, exponent, modulus } = modexpLengths(input);
  if (pricing === 'EIP-7883' && Math.max(base, exponent, modulus) > LONGEST) return undefined;
  if (modulus === 0) return new Uint8Array();
  const exponentAt = HEAD + base;
  const modulusAt = exponentAt + exponent;
  const result = power(
    bytesToBigInt(part(input, HEAD, base)),
    // Zeros that would follow are not needed: the modulus is 0 if the input ends before it.
    input.subarray(exponentAt, modulusAt),
    bytesToBigInt(part(input, modulusAt, modulus)),
  );
  return hexToBytes(`0x${result.toString(16).padStart(2 * modulus, '0')}`);
}

/** Zeros if the input has ended. */
function part(input: Uint8Array, at: number, length: number): Uint8Array {
  const found = input.subarray(at, at + length);
  if (found.length === length) return found;
  const whole = new Uint8Array(length);
  whole.set(found);
  return whole;
}
