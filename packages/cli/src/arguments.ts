import { isInvisible } from '@switchyard/protocol/hidden-characters';
import {
  type Address,
  type Denom,
  InvalidAmount,
  parseAmount,
  parseAnyAddress,
  parseDenom,
  Rejected,
} from '@switchyard/protocol/values';
import { usage } from '@switchyard/service/failure';
import { integer, parser, type Schema, unsigned, withFacts } from '@switchyard/service/input';

/**
 * Arguments of a command line, each read or refused with one line that names it. Most commands import this file when they
 * run; groups of which nearly every command needs it declare their options with these readers.
 */

const LONGEST_SHOWN = 100;

/** Quotes an argument for a message, shortened. Never used for keys. */
function shown(text: string): string {
  return JSON.stringify(text.length > LONGEST_SHOWN ? `${text.slice(0, LONGEST_SHOWN)}...` : text);
}

/** The value of an argument. @throws {Failure} one line about it. */
function argument<T>(what: string, text: string, { expects, fromText }: Schema<T>): T {
  let expected = expects;
  try {
    const value = fromText(text);
    if (value !== undefined) return value;
  } catch (error) {
    if (error instanceof InvalidAmount) expected = `${error.expected}, in the smallest unit`;
    else if (!(error instanceof Rejected)) throw error;
    else if (error.facts.problem !== undefined) throw usage(`${what}: ${shown(text)}: ${error.facts.problem}`);
  }
  throw usage(`${what}: expected ${expected}, got ${shown(text)}`);
}

const ADDRESS = parser('an address in bech32m form', 'astria1...', parseAnyAddress);
const DENOM = parser('an asset such as ntia, transfer/channel-0/utia or ibc/<64 hex digits>', 'nria', parseDenom);
const AMOUNT = parser('a whole number', '1', (text) => parseAmount(text, 0));
const HASH = parser('64 hex digits', '00'.repeat(32), (text) =>
  /^(0x)?[0-9a-fA-F]{64}$/.test(text) ? text.replace(/^0x/, '').toLowerCase() : undefined,
);

/** An address with any prefix, unless one is demanded: money sent to another chain's address would be lost. */
export function addressArgument(what: string, text: string, prefix?: string): Address {
  const expects = `${ADDRESS.expects}${prefix === undefined ? '' : ` with the prefix ${prefix}`}`;
  const address = argument(what, text, withFacts(ADDRESS, { expects }));
  if (prefix === undefined || address.prefix === prefix) return address;
  throw usage(`${what}: expected ${expects} (see --prefix), got ${shown(text)}`);
}

/** A name (`ntia`), a trace (`transfer/channel-0/utia`) or its hash (`ibc/...`). */
export const denomArgument = (what: string, text: string): Denom => argument(what, text, DENOM);

/** Reader of the option `--amount`, in the asset's smallest unit; there are no fractions. */
export const readAmount = (text: string): bigint => argument('--amount', text, AMOUNT);

/** An amount in coins, in the smallest unit. @param decimals Digits after the point that the asset has. */
export function parseCoins(what: string, text: string, decimals: number): bigint {
  try {
    return parseAmount(text, decimals);
  } catch (error) {
    if (!(error instanceof InvalidAmount)) throw error;
    throw usage(`${what}: expected ${error.expected}, got ${shown(text)}`);
  }
}

/** Reader of the option `--account`, ADDRESS=AMOUNT, which may be repeated. */
export function readAccounts(text: string, others: readonly Funded[] = []): readonly Funded[] {
  const [address = '', amount = ''] = text.split('=');
  addressArgument('--account', address);
  return [...others, { address, amount: argument('--account', amount, AMOUNT) }];
}

export interface Funded {
  readonly address: string;
  readonly amount: bigint;
}

export const u64Reader =
  (what: string, min = 0n) =>
  (text: string): bigint =>
    argument(what, text, unsigned(64, { min }));

/** A whole number that fits a JavaScript number. */
export const integerReader =
  (what: string, min: number, max: number) =>
  (text: string): number =>
    argument(what, text, integer({ min, max }));

/** Reader of the option `--timeout`, in seconds. */
export const readTimeout = integerReader('--timeout', 1, 86_400);

export const readValidFor = integerReader('--valid-for', 0, 1_000_000);

export const hashArgument = (what: string, text: string): string => argument(what, text, HASH);

/** An HTTP URL without its trailing slashes, so that a path can follow. */
export function urlArgument(what: string, text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url?.protocol !== 'http:' && url?.protocol !== 'https:') {
    throw usage(`${what}: expected a URL such as http://127.0.0.1:3030, got ${shown(text)}`);
  }
  if (url.username !== '' || url.password !== '') throw usage(`${what}: a URL with a password is not supported`);
  if (url.search !== '' || url.hash !== '') throw usage(`${what}: expected a URL without ? and #, got ${shown(text)}`);
  return text.replace(/\/+$/, '');
}

/** Reader of the option `--prefix`, the readable part of an address; digits and letters are enough for every network. */
export function readPrefix(prefix: string): string {
  if (!/^[a-z][a-z0-9]{0,29}$/.test(prefix)) {
    throw usage(`--prefix: expected 1 to 30 lower-case letters and digits, got ${shown(prefix)}`);
  }
  return prefix;
}

/** Refuses a text without any visible character, because it is paid for and shown to people. @throws {Failure} */
export function visible(what: string, text: string): void {
  if (isInvisible(text)) throw usage(`${what}: expected a character that can be seen, got ${shown(text)}`);
}

/** Sizes on the wire are bytes of UTF-8, not characters. */
export function sizeBetween(what: string, text: string, min: number, max: number): void {
  const bytes = Buffer.byteLength(text);
  if (bytes < min || bytes > max) throw usage(`${what}: expected ${min} to ${max} bytes of UTF-8, got ${bytes}`);
}
