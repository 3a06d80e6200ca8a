import { digestHex, digestInto, digestParts } from '#hash';

export const HASH_LENGTH = 32;

/** SHA-256 of the parts in a row. */
export function sha256(...parts: readonly Uint8Array[]): Uint8Array {
  const [only] = parts;
  if (only === undefined || parts.length > 1) return digestParts(parts);
  const out = new Uint8Array(HASH_LENGTH);
  digestInto(only, out, 0);
  return out;
}

/** SHA-256 as 64 lower-case hex characters. */
export const sha256Hex: (data: Uint8Array) => string = digestHex;

/** Writes SHA-256 of `data` at `offset` of `out`, for trees that keep their nodes in one array. */
export const sha256Into: (data: Uint8Array, out: Uint8Array, offset: number) => void = digestInto;
