import createKeccakHash from 'keccak';
import { hexOf } from './hex.ts';
import type { Hash } from './types.ts';

/** What the library's hash objects are a wrapper of: a sponge, native where there is a binary for the machine. */
interface Sponge {
  initialize(rate: number, capacity: number): void;
  absorb(bytes: Uint8Array): void;
  absorbLastFewBits(bits: number): void;
  squeeze(length: number): Uint8Array;
}

const RATE_BITS = 1088;
const CAPACITY_BITS = 512;
/** Keccak as Ethereum has it is older than SHA-3, whose padding begins with 0x06. */
const PADDING = 0x01;

const sponge = spongeOf(createKeccakHash('keccak256'));

/**
 * Keccak-256. 32 bytes.
 *
 * One sponge serves all calls: making the library's hash object, which is a stream, costs more than the hash.
 */
export function keccak256(bytes: Uint8Array): Uint8Array {
  const hash = squeezed(bytes);
  return new Uint8Array(hash.buffer, hash.byteOffset, 32);
}

export function keccakHex(bytes: Uint8Array): Hash {
  return hexOf(squeezed(bytes));
}

function squeezed(bytes: Uint8Array): Uint8Array {
  sponge.initialize(RATE_BITS, CAPACITY_BITS);
  sponge.absorb(bytes);
  sponge.absorbLastFewBits(PADDING);
  return sponge.squeeze(32);
}

function spongeOf(hash: object): Sponge {
  // The member is there in the pinned version, though it is not declared; a test compares the hashes.
  const { _state } = hash as { _state?: Sponge };
  if (_state === undefined) throw new Error('the keccak library has no sponge inside: another version is installed');
  return _state;
}
