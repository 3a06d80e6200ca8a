/** Bytes as text: lower-case hex with `0x`, so that equal things are equal strings. */
export type Hex = `0x${string}`;

export function bytesToHex(bytes: Uint8Array): Hex {
  const { length } = bytes;
  if (length > SHORT) return `0x${Buffer.from(bytes.buffer, bytes.byteOffset, length).toString('hex')}`;
  for (let index = 0; index < length; index++) pairs[index + 1] = PAIRS[bytes[index] ?? 0] ?? 0;
  // It begins with `0x`.
  return text.toString('latin1', 0, 2 + 2 * length) as Hex;
}

/** Up to this, a loop is faster than the calls of a `Buffer`. Most are addresses and hashes. */
const SHORT = 32;
/** Both digits of each byte, in the order of this machine's memory. */
const PAIRS = new Uint16Array(
  Uint8Array.from(Buffer.from(Array.from({ length: 256 }, (_, byte) => toDigits(byte)).join(''))).buffer,
);
const pairs = new Uint16Array(1 + SHORT);
const text = Buffer.from(pairs.buffer);
text.write('0x');

function toDigits(byte: number): string {
  return byte.toString(16).padStart(2, '0');
}

/** @param text Hex with `0x` and an even number of digits. */
export function hexToBytes(text: Hex): Uint8Array {
  const length = (text.length - 2) >> 1;
  if (length > SHORT) {
    const bytes = Buffer.from(text.slice(2), 'hex');
    return new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.length);
  }
  const bytes = new Uint8Array(length);
  putHex(bytes, 0, text);
  return bytes;
}

/** Writes the bytes of hex with `0x`. */
export function putHex(into: Uint8Array, at: number, text: string): void {
  for (let index = 2, position = at; index < text.length; index += 2, position++) {
    into[position] = toNibble(text.charCodeAt(index)) * 16 + toNibble(text.charCodeAt(index + 1));
  }
}

/** @param character Code of a hex digit. */
export function toNibble(character: number): number {
  return (character & 15) + 9 * (character >> 6);
}

/** Big-endian; no bytes are 0. */
export function bytesToBigInt(bytes: Uint8Array, start = 0, end: number = bytes.length): bigint {
  // Numbers of JavaScript hold six bytes, and are many times as fast.
  let at = start + ((end - start) % 6);
  let number = BigInt(smallNumber(bytes, start, at));
  for (; at < end; at += 6) number = (number << 48n) | BigInt(smallNumber(bytes, at, at + 6));
  return number;
}

function smallNumber(bytes: Uint8Array, start: number, end: number): number {
  let small = 0;
  for (let index = start; index < end; index++) small = small * 256 + (bytes[index] ?? 0);
  return small;
}

/** 8 bytes, big-endian: sorts as the numbers do. Calls of a `DataView` take several times as long. */
export function putUint64(into: Uint8Array, at: number, number: bigint): void {
  const small = Number(number);
  if (small > Number.MAX_SAFE_INTEGER) {
    new DataView(into.buffer, into.byteOffset).setBigUint64(at, number);
    return;
  }
  putUint32(into, at, Math.floor(small / 2 ** 32));
  putUint32(into, at + 4, small % 2 ** 32);
}

/** 4 bytes, big-endian. */
export function putUint32(into: Uint8Array, at: number, number: number): void {
  into[at] = number >>> 24;
  into[at + 1] = number >>> 16;
  into[at + 2] = number >>> 8;
  into[at + 3] = number;
}

/** A number as a word of the EVM: 32 bytes, big-endian. */
export function toWord(value: bigint): Hex {
  return `0x${value.toString(16).padStart(64, '0')}`;
}

export const ZERO_HASH: Hex = `0x${'00'.repeat(32)}`;
export const ZERO_ADDRESS: Hex = `0x${'00'.repeat(20)}`;
