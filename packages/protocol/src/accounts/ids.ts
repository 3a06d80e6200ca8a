import { base64urlnopad } from '@scure/base';
import { toHexText } from '#hex';
import { sha256Hex } from '../bytes/hash.ts';
import { Rejected } from '../errors.ts';

declare const brand: unique symbol;
export type Id<Name extends string> = string & { readonly [brand]: Name };

/** Identities are lower-case hex without prefix: they compare with `===`, work as map keys and print. */
export type AccountId = Id<'account'>;
export type AssetId = Id<'asset'>;
export type RollupId = Id<'rollup'>;
export type TxHash = Id<'transaction'>;
export type BlockHash = Id<'block'>;

export const ACCOUNT_LENGTH = 20;
/* Lengths of Ed25519, here so that who only builds or takes apart envelopes loads no cryptography. */
export const PUBLIC_KEY_LENGTH = 32;
export const SIGNATURE_LENGTH = 64;
export const ROLLUP_ID_LENGTH = 32;

const utf8 = new TextEncoder();

/** In lower case. */
export const toHex: (bytes: Uint8Array) => string = toHexText;

/** Accepts both letter cases. */
export function fromHex(text: string): Uint8Array {
  if (text.length % 2 !== 0) throw new Rejected('malformed', { hex: 'odd number of digits' });
  const bytes = new Uint8Array(text.length / 2);
  for (let index = 0; index < bytes.length; index++) {
    const high = hexDigit(text.charCodeAt(2 * index));
    const low = hexDigit(text.charCodeAt(2 * index + 1));
    if (high < 0 || low < 0) throw new Rejected('malformed', { hex: 'not a hex digit', at: 2 * index });
    bytes[index] = high * 16 + low;
  }
  return bytes;
}

function hexDigit(character: number): number {
  if (character >= 48 && character <= 57) return character - 48;
  const letter = character | 32;
  return letter >= 97 && letter <= 102 ? letter - 87 : -1;
}

/** The hex of exactly `length` bytes, checked. The callers give it its brand. */
function getId(what: string, bytes: Uint8Array, length: number): string {
  if (bytes.length !== length) {
    throw new Rejected('malformed', { field: what, expected: `${length} bytes`, got: `${bytes.length} bytes` });
  }
  return toHex(bytes);
}

export const accountIdFromBytes = (bytes: Uint8Array): AccountId =>
  getId('account', bytes, ACCOUNT_LENGTH) as AccountId;
export const accountBytes = (account: AccountId): Uint8Array => fromHex(account);

/** The first 20 bytes of SHA-256 of the 32-byte key; also a validator's address. */
export function accountIdFromPublicKey(publicKey: Uint8Array): AccountId {
  return sha256Hex(publicKey).slice(0, 2 * ACCOUNT_LENGTH) as AccountId;
}

export const assetIdFromBytes = (bytes: Uint8Array): AssetId => getId('asset id', bytes, 32) as AssetId;
/** The asset of a trace: SHA-256 of its text. */
export const assetIdFromTrace = (trace: string): AssetId => sha256Hex(utf8.encode(trace)) as AssetId;

export const rollupIdFromBytes = (bytes: Uint8Array): RollupId =>
  getId('rollup id', bytes, ROLLUP_ID_LENGTH) as RollupId;
export const rollupIdBytes = (rollup: RollupId): Uint8Array => fromHex(rollup);
export const rollupIdFromName = (name: string): RollupId => sha256Hex(utf8.encode(name)) as RollupId;

/** URL-safe base64 with padding, the form in events. */
export function rollupIdBase64Url(rollup: RollupId): string {
  return `${base64urlnopad.encode(rollupIdBytes(rollup))}=`;
}

/** The hash of a transaction is that of its bytes as received, never of a re-encoding. */
export const txHashOf = (bytes: Uint8Array): TxHash => sha256Hex(bytes) as TxHash;
export const txHashFromBytes = (bytes: Uint8Array): TxHash => getId('transaction hash', bytes, 32) as TxHash;
export const txHashBytes = (hash: TxHash): Uint8Array => fromHex(hash);
export const txHashFromHex = (text: string): TxHash => txHashFromBytes(fromHex(text));

export const blockHashFromBytes = (bytes: Uint8Array): BlockHash => getId('block hash', bytes, 32) as BlockHash;
export const blockHashFromHex = (text: string): BlockHash => blockHashFromBytes(fromHex(text));

/** True if both hold the same bytes. Not constant in time: nothing secret is compared here. */
export function equalBytes(left: Uint8Array, right: Uint8Array): boolean {
  if (left.length !== right.length) return false;
  for (let index = 0; index < left.length; index++) if (left[index] !== right[index]) return false;
  return true;
}

/**
 * Event id under which a bridge account pays a withdrawal: `0x<transaction hash>.0x<index>`, both of 32 bytes. The
 * reference's form for EVM rollups, with the index of the log; other rollups have the position of the action there.
 */
export function withdrawalEventId(transaction: TxHash, index: number | bigint): string {
  return `0x${transaction}.0x${index.toString(16).padStart(64, '0')}`;
}
