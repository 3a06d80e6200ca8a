import type { Address, Data, Hash } from './types.ts';

/** Lower-case hex with `0x`; the result is an `Address` or a `Hash` where the bytes are as many. */
export function hexOf(bytes: Uint8Array): Data {
  return `0x${Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('hex')}`;
}

/** @param text Hex with `0x` and an even number of digits. */
export function bytesOf(text: Data): Uint8Array {
  const bytes = Buffer.from(text.slice(2), 'hex');
  return new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.length);
}

/** Big-endian; no bytes are 0. */
export function numberOf(bytes: Uint8Array): bigint {
  if (bytes.length <= 6) {
    let small = 0;
    for (const byte of bytes) small = small * 256 + byte;
    return BigInt(small);
  }
  return BigInt(hexOf(bytes));
}

/** A number as a word of the EVM: 32 bytes, big-endian. */
export function wordOf(value: bigint): Hash {
  return `0x${value.toString(16).padStart(64, '0')}`;
}

export const ZERO_HASH: Hash = `0x${'00'.repeat(32)}`;
export const ZERO_ADDRESS: Address = `0x${'00'.repeat(20)}`;
