import type { Address, Data } from '@switchyard/evm-machine/types';
import { bytesToHex, encodeRlp, hexToBytes, keccak256 } from '@switchyard/protocol/ethereum';

/* Small contracts, written as code of the machine, that together make all changes of a state that blocks can make. */

/** Code by its effect. Arguments are words of the input. */
export const CONTRACTS = {
  /** Writes the second word into the slot that the first names, and logs. */
  store: '0x6020355f35555f3560205fa100',
  /** Passes its value on to the address in the first word, with no data. */
  forward: '0x5f5f5f5f345f355af15000',
  /** Destroys itself in favour of the address in the first word. */
  destroy: '0x5f35ff',
  /** Creates a contract from all of the input, with its value. */
  create: '0x365f5f37365f34f05000',
  /** Creates a contract as `create` does, by CREATE2 with salt 0. */
  create2: '0x365f5f375f365f34f55000',
  revert: '0x5f5ffd',
  /** Until the gas is gone. */
  loop: '0x5b5f56',
  /** Writes facts about the block: hash of the one before, time, coinbase, base fee, gas price, prevRandao. */
  observe: '0x60014303406000554260015541600255486003553a6004554460055500',
  /** Sets a slot and clears it the next time, and uses transient storage. */
  toggle: '0x5f54155f5560015f5d5f5c60095500',
  /** Runs the code of the address in the first word as its own. */
  delegate: '0x60206020365f5f355af45000',
  /** Calls the address in the first word with the rest, without value, and keeps its result and its output. */
  relay: '0x602036038060205f3760205f825f5f5f355af15f555f516001553d60025500',
  /** Like `relay`, by STATICCALL: nothing may change there. */
  ask: '0x602036038060205f3760205f825f5f355afa5f555f516001553d60025500',
  /** Sets or clears a slot, counts in transient storage, keeps that count, logs, and fails if the first word is not 0. */
  spoil: '0x5f54155f555f5c60015560015f5c015f5d5f5fa05f35601a57005b5f5ffd',
  /** Calls the address in the first word with the second word, then with the third, and keeps how each ended. */
  twice: '0x604060205f375f5f60205f5f5f355af15f555f5f602060205f5f355af160015500',
} as const satisfies Record<string, Data>;

export type ContractName = keyof typeof CONTRACTS;

/** Code that creates a contract with this code, of at most 255 bytes. */
export function getCreation(code: Data): Uint8Array {
  const body = hexToBytes(code);
  return Uint8Array.from(
    Buffer.concat([Uint8Array.of(0x60, body.length, 0x60, 10, 0x5f, 0x39, 0x60, body.length, 0x5f, 0xf3), body]),
  );
}

/** Address of the contract that a transaction with this nonce creates. */
export function createdAt(from: Address, nonce: number): Address {
  return bytesToHex(keccak256(encodeRlp([from, BigInt(nonce)])).subarray(12));
}

/** Words in a row. */
export function words(...values: readonly (bigint | Address)[]): Uint8Array {
  return hexToBytes(`0x${values.map((value) => BigInt(value).toString(16).padStart(64, '0')).join('')}`);
}
