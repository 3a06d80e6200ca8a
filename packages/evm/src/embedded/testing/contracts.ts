import { encodeRlp } from '../../blocks/rlp.ts';
import { bytesOf, hexOf } from '../../hex.ts';
import { keccak256 } from '../../keccak.ts';
import type { Address, Data } from '../../types.ts';

/* Small contracts, written as code of the machine, that together do what blocks can do to a state. */

/** Code by what it does. Arguments are words of the input. */
export const CONTRACTS = {
  /** Writes the second word into the slot that the first names, and logs. */
  store: '0x6020355f35555f3560205fa100',
  /** Passes its value on to the address in the first word, with no data. */
  forward: '0x5f5f5f5f345f355af15000',
  /** Destroys itself in favour of the address in the first word. */
  destroy: '0x5f35ff',
  /** Creates a contract from all of the input, with its value. */
  create: '0x365f5f37365f34f05000',
  /** The same with CREATE2 and salt 0. */
  create2: '0x365f5f375f365f34f55000',
  revert: '0x5f5ffd',
  /** Until the gas is gone. */
  loop: '0x5b5f56',
  /** Writes what it learns of the block: hash of the one before, time, coinbase, base fee, gas price, prevRandao. */
  observe: '0x60014303406000554260015541600255486003553a6004554460055500',
  /** Sets a slot and clears it the next time, and uses transient storage. */
  toggle: '0x5f54155f5560015f5d5f5c60095500',
  /** Runs the code of the address in the first word as its own. */
  delegate: '0x60206020365f5f355af45000',
} as const satisfies Record<string, Data>;

export type ContractName = keyof typeof CONTRACTS;

/** Code that creates a contract with this code, of at most 255 bytes. */
export function creationOf(code: Data): Uint8Array {
  const body = bytesOf(code);
  return Uint8Array.from(
    Buffer.concat([Uint8Array.of(0x60, body.length, 0x60, 10, 0x5f, 0x39, 0x60, body.length, 0x5f, 0xf3), body]),
  );
}

/** Where a transaction with this nonce creates its contract. */
export function createdAt(from: Address, nonce: number): Address {
  return hexOf(keccak256(encodeRlp([from, BigInt(nonce)])).subarray(12));
}

/** Words in a row. */
export function words(...values: readonly (bigint | Address)[]): Uint8Array {
  return bytesOf(`0x${values.map((value) => BigInt(value).toString(16).padStart(64, '0')).join('')}`);
}
