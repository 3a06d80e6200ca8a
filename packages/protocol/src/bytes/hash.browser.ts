import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex } from '@noble/hashes/utils.js';

export function digestHex(data: Uint8Array): string {
  return bytesToHex(sha256(data));
}

/** Writes SHA-256 of `data` at `offset` of `out`. */
export function digestInto(data: Uint8Array, out: Uint8Array, offset: number): void {
  out.set(sha256(data), offset);
}

/** SHA-256 of the parts in a row, without joining them. */
export function digestParts(parts: readonly Uint8Array[]): Uint8Array {
  const state = sha256.create();
  for (const part of parts) state.update(part);
  return state.digest();
}
