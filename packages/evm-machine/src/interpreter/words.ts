/*
 * Words of 256 bits in a `Uint32Array`, each as 8 parts of 32 bits, the lowest first. A word is an array and the place of
 * its lowest part. Unlike big integers they take no allocation, and their cost does not depend on their values.
 */

/** Parts of a word. */
export const PARTS = 8;
const HIGH = 2 ** 32;

export function copyWord(from: Uint32Array, at: number, to: Uint32Array, toAt: number): void {
  to[toAt] = from[at] ?? 0;
  to[toAt + 1] = from[at + 1] ?? 0;
  to[toAt + 2] = from[at + 2] ?? 0;
  to[toAt + 3] = from[at + 3] ?? 0;
  to[toAt + 4] = from[at + 4] ?? 0;
  to[toAt + 5] = from[at + 5] ?? 0;
  to[toAt + 6] = from[at + 6] ?? 0;
  to[toAt + 7] = from[at + 7] ?? 0;
}

/** @param low Below 2^32. */
export function setSmall(words: Uint32Array, at: number, low: number): void {
  words[at] = low;
  words[at + 1] = 0;
  words[at + 2] = 0;
  words[at + 3] = 0;
  words[at + 4] = 0;
  words[at + 5] = 0;
  words[at + 6] = 0;
  words[at + 7] = 0;
}

/** @param value An integer below 2^53. */
export function setNumber(words: Uint32Array, at: number, value: number): void {
  setSmall(words, at, value);
  words[at + 1] = value / HIGH;
}

/** `Infinity` from 2^53 on. */
export function numberAt(words: Uint32Array, at: number): number {
  const above =
    (words[at + 2] ?? 0) |
    (words[at + 3] ?? 0) |
    (words[at + 4] ?? 0) |
    (words[at + 5] ?? 0) |
    (words[at + 6] ?? 0) |
    (words[at + 7] ?? 0);
  if (above !== 0) return Number.POSITIVE_INFINITY;
  const second = words[at + 1] ?? 0;
  if (second > 0x1f_ffff) return Number.POSITIVE_INFINITY;
  return second * HIGH + (words[at] ?? 0);
}

export function isZeroAt(words: Uint32Array, at: number): boolean {
  return (
    ((words[at] ?? 0) |
      (words[at + 1] ?? 0) |
      (words[at + 2] ?? 0) |
      (words[at + 3] ?? 0) |
      (words[at + 4] ?? 0) |
      (words[at + 5] ?? 0) |
      (words[at + 6] ?? 0) |
      (words[at + 7] ?? 0)) ===
    0
  );
}

export function areEqual(left: Uint32Array, at: number, right: Uint32Array, rightAt: number): boolean {
  for (let part = 0; part < PARTS; part++) if (left[at + part] !== right[rightAt + part]) return false;
  return true;
}

const scratch = new Uint32Array(PARTS);
/** View of the same memory. Processors that this runs on store the lowest byte first. */
const quarters = new BigUint64Array(scratch.buffer);

export function bigAt(words: Uint32Array, at: number): bigint {
  const number = numberAt(words, at);
  if (number !== Number.POSITIVE_INFINITY) return BigInt(number);
  copyWord(words, at, scratch, 0);
  const upper = ((quarters[3] ?? 0n) << 64n) + (quarters[2] ?? 0n);
  const lower = ((quarters[1] ?? 0n) << 64n) + (quarters[0] ?? 0n);
  return (upper << 128n) + lower;
}

/** @param value Taken modulo 2^256. */
export function setBig(words: Uint32Array, at: number, value: bigint): void {
  if (value >= 0n && value <= 0xffff_ffffn) {
    setSmall(words, at, Number(value));
    return;
  }
  // These arrays take their values modulo 2^64.
  quarters[0] = value;
  quarters[1] = value >> 64n;
  quarters[2] = value >> 128n;
  quarters[3] = value >> 192n;
  copyWord(scratch, 0, words, at);
}

/** Big-endian bytes; there have to be 32 of them. */
export function setBytes(words: Uint32Array, at: number, bytes: Uint8Array, from: number): void {
  let next = from;
  for (let part = at + 7; part >= at; part--) {
    words[part] =
      ((bytes[next] ?? 0) << 24) |
      ((bytes[next + 1] ?? 0) << 16) |
      ((bytes[next + 2] ?? 0) << 8) |
      (bytes[next + 3] ?? 0);
    next += 4;
  }
}

/** Writes a word as 32 bytes, big-endian. */
export function putBytes(words: Uint32Array, at: number, bytes: Uint8Array, to: number): void {
  let next = to;
  for (let part = at + 7; part >= at; part--) {
    const value = words[part] ?? 0;
    bytes[next] = value >>> 24;
    bytes[next + 1] = value >>> 16;
    bytes[next + 2] = value >>> 8;
    bytes[next + 3] = value;
    next += 4;
  }
}

/** Two hex digits of each byte, as they lie in memory. */
const DIGITS = new Uint16Array(256);
const DIGIT_BYTES = Buffer.from(DIGITS.buffer);
for (let byte = 0; byte < 256; byte++) DIGIT_BYTES.write(byte.toString(16).padStart(2, '0'), 2 * byte, 'latin1');

const text = Buffer.alloc(66, '0x', 'latin1');
/** The digits of `text` begin at its second 16 bits. */
const pairs = new Uint16Array(text.buffer, text.byteOffset, 33);

function putPairs(words: Uint32Array, from: number, to: number): void {
  let next = 1;
  for (let part = from; part >= to; part--) {
    const value = words[part] ?? 0;
    pairs[next] = DIGITS[value >>> 24] ?? 0;
    pairs[next + 1] = DIGITS[(value >>> 16) & 0xff] ?? 0;
    pairs[next + 2] = DIGITS[(value >>> 8) & 0xff] ?? 0;
    pairs[next + 3] = DIGITS[value & 0xff] ?? 0;
    next += 4;
  }
}

/** Word as 64 digits of hex. */
export function hashAt(words: Uint32Array, at: number): `0x${string}` {
  putPairs(words, at + 7, at);
  // It begins with 0x, as every text here.
  return text.toString('latin1', 0, 66) as `0x${string}`;
}

/** The lower 20 bytes, as 40 digits of hex. */
export function addressAt(words: Uint32Array, at: number): `0x${string}` {
  putPairs(words, at + 4, at);
  return text.toString('latin1', 0, 42) as `0x${string}`;
}

/**
 * The other way round, without buffers.
 *
 * @param digits Of hex after 0x, a multiple of 8 and at most 64.
 */
export function setHex(words: Uint32Array, at: number, digits: `0x${string}`): void {
  const first = 2;
  let end = digits.length;
  for (let part = at; part < at + PARTS; part++) {
    let value = 0;
    for (let index = Math.max(first, end - 8); index < end; index++) {
      const code = digits.charCodeAt(index);
      // The codes of letters have the bit of 64, and 1 for an a in the lower four.
      value = (value << 4) | ((code & 0xf) + 9 * (code >> 6));
    }
    words[part] = value;
    end = Math.max(first, end - 8);
  }
}
