import type { Data, Hash } from '../types.ts';

/** A number as JSON-RPC writes it: hex without leading zeros. */
export function quantity(value: bigint | number): Data {
  return `0x${value.toString(16)}`;
}

/** The same of a big-endian number in bytes; of no bytes `0x0`. */
export function quantityOf(bytes: Uint8Array): Data {
  const digits = hex(bytes).replace(/^0+/, '');
  return digits === '' ? '0x0' : `0x${digits}`;
}

export function dataOf(bytes: Uint8Array): Data {
  return `0x${hex(bytes)}`;
}

/** A number as a word of the EVM: 32 bytes, big-endian. */
export function wordOf(value: bigint): Hash {
  return `0x${value.toString(16).padStart(64, '0')}`;
}

/** @param text Hex with `0x` and an even number of digits, as `Data` has it. */
export function bytesOf(text: Data): Uint8Array {
  return new Uint8Array(Buffer.from(text.slice(2), 'hex'));
}

function hex(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('hex');
}
