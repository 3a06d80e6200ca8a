import { bytesToHex, type Hex } from './hex.ts';

/** A number as JSON-RPC writes it: hex without leading zeros. */
export function quantity(value: bigint | number): Hex {
  return `0x${value.toString(16)}`;
}

/** A big-endian number in bytes as JSON-RPC writes it; `0x0` for no bytes. */
export function getQuantity(bytes: Uint8Array): Hex {
  const text = bytesToHex(bytes);
  let first = 2;
  while (text.charCodeAt(first) === ZERO) first += 1;
  if (first === text.length) return '0x0';
  return first === 2 ? text : `0x${text.slice(first)}`;
}

const ZERO = 48;
