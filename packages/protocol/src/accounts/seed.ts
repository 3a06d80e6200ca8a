import { Rejected } from '../errors.ts';
import { type AccountId, fromHex } from './ids.ts';

export const SEED_LENGTH = 32;

export interface Signer {
  readonly publicKey: Uint8Array;
  readonly account: AccountId;
  sign(message: Uint8Array): Uint8Array;
}

/** A signer whose key is held elsewhere, such as a key of a browser's own cryptography, which gives no secret away. */
export interface AsyncSigner {
  readonly publicKey: Uint8Array;
  readonly account: AccountId;
  sign(message: Uint8Array): Promise<Uint8Array>;
}

/** 64 hex digits; white space around them is ignored, since keys come from files. The message never shows the text. */
export function parseSeed(hexText: string): Uint8Array {
  const digits = hexText.trim();
  if (digits.length !== 2 * SEED_LENGTH) throw badSeed(`${digits.length} characters`);
  try {
    return fromHex(digits);
  } catch {
    throw badSeed('other characters than hex digits');
  }
}

/** @param got Never anything of the seed. */
export function badSeed(got: string): Rejected {
  return new Rejected('malformed', { field: 'private key', expected: '32 bytes as 64 hex digits', got });
}
