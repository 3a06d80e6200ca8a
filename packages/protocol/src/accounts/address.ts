import { bech32, bech32m } from '@scure/base';
import { Rejected } from '../errors.ts';
import { ACCOUNT_LENGTH, type AccountId, accountBytes, accountIdFromBytes } from './ids.ts';

export const DEFAULT_PREFIX = 'astria';

/** An account as a transaction names it: which chain's prefix it was written with is checked later. */
export interface Address {
  readonly account: AccountId;
  readonly prefix: string;
}

/** Bech32m text, lower case. */
export function formatAddress(account: AccountId, prefix: string = DEFAULT_PREFIX): string {
  return bech32m.encode(prefix, bech32m.toWords(accountBytes(account)));
}

/** @throws {Rejected} `malformed`, unless it is bech32m over exactly 20 bytes, with the prefix if one is expected. */
export function parseAddress(text: string, expectedPrefix?: string): AccountId {
  const { account, prefix } = parseAnyAddress(text);
  if (expectedPrefix !== undefined && prefix !== expectedPrefix) {
    throw new Rejected('malformed', { address: text, expected: `prefix ${expectedPrefix}`, got: `prefix ${prefix}` });
  }
  return account;
}

export function addressPrefix(text: string): string {
  return parseAnyAddress(text).prefix;
}

export const WRONG_CHECKSUM = 'its checksum does not fit, so a character is wrong or missing';
/** Prefix, 32 characters for 20 bytes, and 6 of the checksum; a few more or less are a typing error. */
const ADDRESS_FORM = /^[a-z\d]{1,40}1[qpzry9x8gf2tvdw0s3jn54khce6mua7l]{30,45}$/;

/** Keeps the prefix, for callers that check it against their chain. */
export function parseAnyAddress(text: string): Address {
  const decoded = bech32m.decodeUnsafe(text);
  const bytes = decoded && bech32m.fromWordsUnsafe(decoded.words);
  if (!decoded || !bytes) {
    const lower = text === text.toUpperCase() ? text.toLowerCase() : text;
    // The older form has a checksum of its own.
    const isMistyped = ADDRESS_FORM.test(lower) && bech32.decodeUnsafe(text) === undefined;
    const why = isMistyped ? { problem: WRONG_CHECKSUM } : { expected: 'bech32m text' };
    throw new Rejected('malformed', { address: abbreviate(text), ...why });
  }
  if (bytes.length !== ACCOUNT_LENGTH) {
    throw new Rejected('malformed', {
      address: abbreviate(text),
      expected: `${ACCOUNT_LENGTH} bytes`,
      got: `${bytes.length} bytes`,
    });
  }
  return { account: accountIdFromBytes(bytes), prefix: decoded.prefix };
}

/** Text from strangers appears in messages, so never at full length. */
function abbreviate(text: string): string {
  return text.length <= 100 ? text : `${text.slice(0, 100)}...`;
}
