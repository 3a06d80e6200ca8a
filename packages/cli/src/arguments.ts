import {
  type Address,
  type Denom,
  parseAnyAddress,
  parseDenom,
  parseU128,
  Rejected,
} from '@switchyard/protocol/values';
import { usage } from './failure.ts';

/**
 * What stands on a command line, read or refused with one line that names it. Loads `@switchyard/protocol`, so commands
 * import this file when they run and not before.
 */

const LONGEST_SHOWN = 100;

/** As a message shows it. Never used for keys. */
function shown(text: string): string {
  return JSON.stringify(text.length > LONGEST_SHOWN ? `${text.slice(0, LONGEST_SHOWN)}...` : text);
}

/** Runs a parser of the protocol and turns its refusal into a line about this argument. */
function read<T>(what: string, text: string, expected: string, parse: () => T): T {
  try {
    return parse();
  } catch (error) {
    if (!(error instanceof Rejected)) throw error;
    throw usage(`${what}: expected ${expected}, got ${shown(text)}`);
  }
}

/** An address with any prefix, unless one is demanded: money sent to another chain's address would be lost. */
export function addressOf(what: string, text: string, prefix?: string): Address {
  const expected = `an address in bech32m form${prefix === undefined ? '' : ` with the prefix ${prefix}`}`;
  const address = read(what, text, expected, () => parseAnyAddress(text));
  if (prefix === undefined || address.prefix === prefix) return address;
  throw usage(`${what}: expected ${expected} (see --prefix), got ${shown(text)}`);
}

/** A name (`ntia`), a trace (`transfer/channel-0/utia`) or its hash (`ibc/...`). */
export function denomOf(what: string, text: string): Denom {
  return read(what, text, 'an asset such as ntia, transfer/channel-0/utia or ibc/<64 hex digits>', () =>
    parseDenom(text),
  );
}

/** In the asset's smallest unit; there are no fractions. */
export function amountOf(what: string, text: string): bigint {
  return read(what, text, 'a whole number below 2^128, in the smallest unit', () => parseU128(text));
}

const U64_MAX = (1n << 64n) - 1n;

export function u64Of(what: string, text: string): bigint {
  const value = /^\d{1,20}$/.test(text) ? BigInt(text) : -1n;
  if (value < 0n || value > U64_MAX) throw usage(`${what}: expected a whole number below 2^64, got ${shown(text)}`);
  return value;
}

/** A whole number that fits a JavaScript number. */
export function integerOf(what: string, text: string, min: number, max: number): number {
  const value = /^\d{1,16}$/.test(text) ? Number(text) : Number.NaN;
  if (value >= min && value <= max) return value;
  throw usage(`${what}: expected a whole number from ${min} to ${max}, got ${shown(text)}`);
}

export function hashOf(what: string, text: string): string {
  if (/^(0x)?[0-9a-fA-F]{64}$/.test(text)) return text.replace(/^0x/, '').toLowerCase();
  throw usage(`${what}: expected 64 hex digits, got ${shown(text)}`);
}

/** An HTTP URL without its trailing slashes, so that a path can follow. */
export function urlOf(what: string, text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url?.protocol !== 'http:' && url?.protocol !== 'https:') {
    throw usage(`${what}: expected a URL such as http://127.0.0.1:3030, got ${shown(text)}`);
  }
  if (url.username !== '' || url.password !== '') throw usage(`${what}: a URL with a password is not supported`);
  if (url.search !== '' || url.hash !== '') throw usage(`${what}: expected a URL without ? and #, got ${shown(text)}`);
  return text.replace(/\/+$/, '');
}

/** The readable part of an address; digits and letters are enough for every network there is. */
export function checkPrefix(prefix: string): void {
  if (!/^[a-z][a-z0-9]{0,29}$/.test(prefix)) {
    throw usage(`--prefix: expected 1 to 30 lower-case letters and digits, got ${shown(prefix)}`);
  }
}

/** Sizes on the wire are bytes of UTF-8, not characters. */
export function sizeBetween(what: string, text: string, min: number, max: number): void {
  const bytes = Buffer.byteLength(text);
  if (bytes < min || bytes > max) throw usage(`${what}: expected ${min} to ${max} bytes of UTF-8, got ${bytes}`);
}
