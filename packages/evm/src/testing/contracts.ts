/* Small contracts, as code. Each does one thing that two EVMs might disagree on. */

/**
 * Slot 0 counts calls and slot 1 mixes in all that a contract can learn of its block: time, number, prevrandao, gas
 * limit, base fee, coinbase, own balance, hash of the block before. Each call logs the count.
 */
import { hexToBytes } from '@switchyard/protocol/ethereum';
export const COUNTER = hexToBytes('0x5f54600101805f55600154421843184418451848184118471860014303401860015560205fa100');

/** Pays half of its balance to the address in the first word. */
export const PAYER = hexToBytes('0x5f5f5f5f600247045f355af100');

/** Like `PAYER`, if that address has nothing. */
export const FEEDER = hexToBytes('0x5f353115600857005b5f5f5f5f600247045f355af100');

/** Writes a slot and reverts with a word. */
export const REVERTER = hexToBytes('0x600760015560095f5260205ffd');

/** Runs until its gas is gone. */
export const BURNER = hexToBytes('0x5b5f56');

/** Writes the second word to as many slots as the first word gives; clearing a slot refunds gas. */
export const WRITER = hexToBytes('0x5f355b80156014576020358155600190036002565b00');

/** Destroys itself in favour of the address in the first word. */
export const DESTROYER = hexToBytes('0x5f35ff');

/** Creation code that destroys the contract in creation. */
export const STILLBORN = hexToBytes('0x33ff');

/** Code that creates a contract with this one, which has at most 255 bytes. */
export function getCreation(runtime: Uint8Array): Uint8Array {
  return Uint8Array.of(0x60, runtime.length, 0x80, 0x60, 9, 0x5f, 0x39, 0x5f, 0xf3, ...runtime);
}

/** Call data of 32-byte words. */
export function words(...values: readonly bigint[]): Uint8Array {
  return hexToBytes(`0x${values.map((value) => value.toString(16).padStart(64, '0')).join('')}`);
}
