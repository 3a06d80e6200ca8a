import { bytesToBigInt } from '@switchyard/protocol/ethereum';
import { inverse, LARGEST_BITS, MontgomeryResidues } from './montgomery.ts';
import { BASE, BigResidues, CURRENT, LAST_PLACE, type Residues, STORE } from './residues.ts';

/*
 * Powers modulo a number. The exponent may have millions of bits: it is read once, from its first bit to its
 * last.
 */

/** This many bits of an exponent are looked at together, at most. For each odd number of as many there is a place. */
const WIDEST = 6;
const SQUARE_OF_BASE = LAST_PLACE;

/** In bytes. For so few multiplications it takes longer to bring the numbers into WebAssembly. */
const SHORT_EXPONENT = 3;

/**
 * base^exponent modulo the modulus; 0 if that is 0.
 *
 * @param exponent Big-endian.
 */
export function power(base: bigint, exponent: Uint8Array, modulus: bigint): bigint {
  if (modulus === 0n) return 0n;
  const first = exponent.findIndex((byte) => byte !== 0);
  if (first < 0) return 1n % modulus;
  const digits = exponent.subarray(first);
  const bits = modulus.toString(2).length;
  if (bits > LARGEST_BITS || digits.length <= SHORT_EXPONENT) return powerIn(new BigResidues(base, modulus), digits);
  const twos = trailingZeros(modulus);
  const odd = modulus >> BigInt(twos);
  const high = odd === 1n ? 0n : powerIn(new MontgomeryResidues(base, odd), digits);
  if (twos === 0) return high;
  // The one number below the modulus that is both (the Chinese remainder theorem).
  const low = powerOfBits(base, digits, twos);
  return high + odd * BigInt.asUintN(twos, (low - high) * inverse(odd, twos));
}

/** The bytes of this many steps fit alongside the numbers in the module's memory. */
const STEPS_AT_ONCE = 2_048;

function powerIn(residues: Residues, exponent: Uint8Array): bigint {
  const width = widthFor(exponent.length * 8);
  residues.run(oddPowers(width));
  residues.restart();
  const rest = new Steps(exponent, width);
  for (let steps = rest.next(); steps.length > 0; steps = rest.next()) residues.run(steps);
  return residues.result();
}

/** The width with the fewest multiplications. */
function widthFor(bits: number): number {
  const cost = (width: number) => (width === 1 ? 0 : 2 ** (width - 1)) + bits / (width + 1);
  let best = 1;
  while (best < WIDEST && cost(best + 1) < cost(best)) best += 1;
  return best;
}

/** Steps that leave base^(2n - 1) in place n. */
function oddPowers(width: number): Uint8Array {
  if (width === 1) return new Uint8Array();
  const steps = [BASE, CURRENT, STORE + SQUARE_OF_BASE, BASE, STORE + BASE + 1];
  for (let place = BASE + 2; place <= 2 ** (width - 1); place += 1) steps.push(SQUARE_OF_BASE, STORE + place);
  return Uint8Array.from(steps);
}

/** The sliding window: squarings, and multiplications by odd powers. Every bit comes by here. */
class Steps {
  readonly #exponent: Uint8Array;
  readonly #width: number;
  readonly #buffer: Uint8Array;
  #at = 0;
  #window = 0;
  #inWindow = 0;

  constructor(exponent: Uint8Array, width: number) {
    this.#exponent = exponent;
    this.#width = width;
    this.#buffer = new Uint8Array(Math.min(STEPS_AT_ONCE, exponent.length * 16) + 2 * 8 + width + 1);
  }

  /** None when all were given. The bytes change with the next call. */
  next(): Uint8Array {
    const exponent = this.#exponent;
    const steps = this.#buffer;
    const width = this.#width;
    const full = steps.length - 2 * 8 - width - 1;
    let at = this.#at;
    let window = this.#window;
    let inWindow = this.#inWindow;
    let count = 0;
    for (; at < exponent.length && count < full; at += 1) {
      const byte = exponent[at] ?? 0;
      for (let bit = 7; bit >= 0; bit -= 1) {
        const one = (byte >> bit) & 1;
        if (one + inWindow === 0) {
          steps[count++] = CURRENT;
          continue;
        }
        window = (window << 1) | one;
        inWindow += 1;
        if (inWindow < width) continue;
        count = addWindow(steps, count, window, inWindow);
        window = 0;
        inWindow = 0;
      }
    }
    if (at === exponent.length && inWindow > 0) {
      count = addWindow(steps, count, window, inWindow);
      inWindow = 0;
    }
    this.#at = at;
    this.#window = window;
    this.#inWindow = inWindow;
    return steps.subarray(0, count);
  }
}

/** @returns how many steps there are then. */
function addWindow(steps: Uint8Array, from: number, window: number, bits: number): number {
  const zeros = 31 - Math.clz32(window & -window);
  const multiplication = from + bits - zeros;
  for (let at = from; at <= from + bits; at += 1) steps[at] = CURRENT;
  steps[multiplication] = (window >> (zeros + 1)) + BASE;
  return from + bits + 1;
}

/** Modulo 2^bits. Odd numbers to the power of that are 1, even ones 0. */
function powerOfBits(base: bigint, exponent: Uint8Array, bits: number): bigint {
  const length = exponent.length * 8 - (Math.clz32(exponent[0] ?? 0) - 24);
  if ((base & 1n) === 0n && length > bits) return 0n;
  const tail = bytesToBigInt(exponent.subarray(-Math.ceil(bits / 8)));
  const factor = BigInt.asUintN(bits, base);
  let result = 1n;
  for (const digit of BigInt.asUintN(bits, tail).toString(2)) {
    result = BigInt.asUintN(bits, result * result);
    if (digit === '1') result = BigInt.asUintN(bits, result * factor);
  }
  return result;
}

function trailingZeros(value: bigint): number {
  return (value & -value).toString(2).length - 1;
}
