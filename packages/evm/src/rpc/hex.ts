import { hexOf } from '../hex.ts';
import type { Data } from '../types.ts';

/** A number as JSON-RPC writes it: hex without leading zeros. */
export function quantity(value: bigint | number): Data {
  return `0x${value.toString(16)}`;
}

/** The same of a big-endian number in bytes; of no bytes `0x0`. */
export function quantityOf(bytes: Uint8Array): Data {
  const digits = hexOf(bytes).replace(/^0x0*/, '');
  return digits === '' ? '0x0' : `0x${digits}`;
}
