const LETTERS = 'qpzry9x8gf2tvdw0s3jn54khce6mua7l';
const LETTER_BITS = 5n;
const ACCOUNT_BITS = 160n;
/** Letters of an address after the prefix that are of the account; the others are its checksum. */
const ACCOUNT_LETTERS = 32;
const MIN_LETTERS = 2;

/**
 * The least and the greatest account, in hex, whose address begins with a text.
 *
 * @returns undefined for a text that begins no address with this prefix, or too many.
 */
export function accountRange(text: string, prefix: string): readonly [least: string, most: string] | undefined {
  const letters = text.startsWith(`${prefix}1`)
    ? text.slice(prefix.length + 1, prefix.length + 1 + ACCOUNT_LETTERS)
    : '';
  const values = [...letters].map((letter) => LETTERS.indexOf(letter));
  if (values.length < MIN_LETTERS || values.includes(-1)) return undefined;
  const bits = values.reduce((sum, value) => (sum << LETTER_BITS) | BigInt(value), 0n);
  const rest = ACCOUNT_BITS - LETTER_BITS * BigInt(values.length);
  return [toHexText(bits << rest), toHexText(((bits + 1n) << rest) - 1n)];
}

const toHexText = (account: bigint): string => account.toString(16).padStart(Number(ACCOUNT_BITS / 4n), '0');
