/** Addresses of Celestia, without its keys. */
import { bech32 } from '@scure/base';
import { fromHex, type Id, toHex } from '../accounts/ids.ts';
import { Rejected } from '../errors.ts';

const PREFIX = 'celestia';
const ACCOUNT_LENGTH = 20;
/** No address of 20 bytes is longer; a bound for strangers' texts. */
const MAX_ADDRESS_LENGTH = 90;

/** 20 bytes in lower-case hex: RIPEMD-160 of SHA-256 of the compressed public key. */
export type CelestiaAccount = Id<'celestia account'>;

/** @throws {Rejected} `malformed`, unless it is 20 bytes. */
export function celestiaAccountFromBytes(bytes: Uint8Array): CelestiaAccount {
  if (bytes.length === ACCOUNT_LENGTH) return toHex(bytes) as CelestiaAccount;
  throw new Rejected('malformed', {
    field: 'celestia account',
    expected: `${ACCOUNT_LENGTH} bytes`,
    got: `${bytes.length} bytes`,
  });
}

export const celestiaAccountBytes = (account: CelestiaAccount): Uint8Array => fromHex(account);

/** Bech32 (not bech32m) with the prefix `celestia`, as {@link parseCelestiaAddress} reads it. */
export function formatCelestiaAddress(account: CelestiaAccount): string {
  return bech32.encode(PREFIX, bech32.toWords(celestiaAccountBytes(account)));
}

/** @throws {Rejected} `malformed`, unless it is bech32 over 20 bytes with the prefix `celestia`. */
export function parseCelestiaAddress(text: string): CelestiaAccount {
  const decoded = text.length <= MAX_ADDRESS_LENGTH ? bech32.decodeUnsafe(text) : undefined;
  const bytes = decoded && bech32.fromWordsUnsafe(decoded.words);
  if (decoded && bytes && decoded.prefix === PREFIX) return celestiaAccountFromBytes(bytes);
  throw new Rejected('malformed', {
    address: text.slice(0, MAX_ADDRESS_LENGTH),
    expected: `bech32 text with the prefix ${PREFIX}`,
  });
}
