import { JsonRpcError, RPC } from '@switchyard/service';

/** One parameter of a method: how it is read from JSON, from a URL, and what it is when it is not given. */
export interface Param<T> {
  fromJson(value: unknown): T;
  fromUri(text: string): T;
  readonly absent: T;
}

export type ParamTable = Readonly<Record<string, Param<unknown>>>;

export type ArgsOf<P extends ParamTable> = { readonly [K in keyof P]: P[K] extends Param<infer T> ? T : never };

const INT64_MAX = (1n << 63n) - 1n;

/** A 64-bit number: digits in quotes, as CometBFT wants them, or a plain number. */
function int64(value: unknown): bigint {
  const digits = typeof value === 'number' && Number.isSafeInteger(value) ? String(value) : value;
  if (typeof digits !== 'string' || !/^[+-]?\d{1,19}$/.test(digits)) {
    throw new Error(`invalid 64-bit integer encoding ${shown(value)}, expected string`);
  }
  const number = BigInt(digits.replace('+', ''));
  if (number > INT64_MAX || number < -INT64_MAX) throw new Error(`${digits} is outside 64 bits`);
  return number;
}

/** Quotes around a number in a URL are as good as none. */
const unquoted = (text: string) => /^"(.*)"$/s.exec(text)?.[1] ?? text;

function given<T>(read: (value: unknown) => T): Param<T | undefined> {
  return {
    fromJson: (value) => (value === null ? undefined : read(value)),
    fromUri: (value) => read(unquoted(value)),
    absent: undefined,
  };
}

/** A height, or `undefined` for the latest. */
export const optionalHeight = given(int64);

/** A small count; larger numbers are as good as the largest. */
export const optionalCount = given((value) => {
  const number = int64(value);
  return Number(number > 1_000_000_000n ? 1_000_000_000n : number);
});

/** A height that is 0 when it is not given. */
export const height: Param<bigint> = {
  fromJson: (value) => (value === null ? 0n : int64(value)),
  fromUri: (value) => int64(unquoted(value)),
  absent: 0n,
};

export const flag: Param<boolean> = {
  fromJson: readFlag,
  fromUri: (value) => readFlag(value === 'true' ? true : value === 'false' ? false : value),
  absent: false,
};

function readFlag(value: unknown): boolean {
  if (value === null) return false;
  if (typeof value !== 'boolean') throw new Error(`expected true or false, got ${shown(value)}`);
  return value;
}

export const words: Param<string> = {
  fromJson(value) {
    if (value === null) return '';
    if (typeof value !== 'string') throw new Error(`expected a string, got ${shown(value)}`);
    return value;
  },
  fromUri(value) {
    if (/^0x/i.test(value)) return Buffer.from(hexBytes(value.slice(2))).toString();
    // CometBFT insists on the quotes.
    return /^".*"$/s.test(value) ? String(JSON.parse(value)) : value;
  },
  absent: '',
};

/** Bytes that JSON carries in base64. */
export const bytes: Param<Uint8Array> = {
  fromJson: base64,
  fromUri: uriBytes,
  absent: new Uint8Array(),
};

/** Bytes that JSON carries in hexadecimal. */
export const hexadecimal: Param<Uint8Array> = {
  fromJson(value) {
    if (typeof value !== 'string') throw new Error(`invalid hex string: ${shown(value)}`);
    return hexBytes(value);
  },
  fromUri: uriBytes,
  absent: new Uint8Array(),
};

/**
 * A hash, which CometBFT takes in base64 from some methods and in hexadecimal from others. Its 64 digits cannot be
 * mistaken for the 44 characters of base64, so both are read everywhere.
 */
export const hash: Param<Uint8Array> = {
  fromJson: (value) => (typeof value === 'string' && /^[0-9a-fA-F]{64}$/.test(value) ? hexBytes(value) : base64(value)),
  fromUri: uriBytes,
  absent: new Uint8Array(),
};

function base64(value: unknown): Uint8Array {
  if (value === null) return new Uint8Array();
  if (typeof value !== 'string') throw new Error(`expected bytes in base64, got ${shown(value)}`);
  const decoded = Buffer.from(value, 'base64');
  const padding = value.endsWith('==') ? 2 : value.endsWith('=') ? 1 : 0;
  // The decoder passes over what is not base64; then there are fewer bytes than characters promise.
  if (decoded.length !== Math.floor(((value.length - padding) * 3) / 4)) throw new Error('illegal base64 data');
  return decoded;
}

function hexBytes(digits: string): Uint8Array {
  const decoded = Buffer.from(digits, 'hex');
  if (decoded.length * 2 !== digits.length) throw new Error(`invalid hex string of ${digits.length} characters`);
  return decoded;
}

/** In a URL, `0x` starts hexadecimal digits, and quotes hold the bytes of a text. */
function uriBytes(text: string): Uint8Array {
  if (/^0x/i.test(text)) return hexBytes(text.slice(2));
  if (!/^".*"$/s.test(text))
    throw new Error(`expected 0x and hexadecimal digits, or a text in quotes, got ${shown(text)}`);
  return Buffer.from(String(JSON.parse(text)));
}

/** @throws {JsonRpcError} */
export function argsFromJson<P extends ParamTable>(table: P, params: unknown): ArgsOf<P> {
  const names = Object.keys(table);
  if (params === undefined || params === null) return readArgs(table, () => undefined, 'json');
  if (Array.isArray(params)) {
    if (params.length !== names.length) {
      throw wrongParams('json', `expected ${names.length} parameters ([${names.join(' ')}]), got ${params.length}`);
    }
    return readArgs(table, (_, index) => params[index], 'json');
  }
  if (typeof params !== 'object') throw wrongParams('json', 'unknown type for JSON params. Expected map or array');
  const members = new Map<string, unknown>(Object.entries(params));
  return readArgs(table, (name) => members.get(name), 'json');
}

/** @throws {JsonRpcError} */
export function argsFromUri<P extends ParamTable>(table: P, params: URLSearchParams): ArgsOf<P> {
  return readArgs(table, (name) => params.get(name) || undefined, 'http');
}

function readArgs<P extends ParamTable>(
  table: P,
  look: (name: string, index: number) => unknown,
  source: 'json' | 'http',
): ArgsOf<P> {
  try {
    const entries = Object.entries(table).map(([name, param], index) => {
      const value = look(name, index);
      if (value === undefined) return [name, param.absent];
      return [name, source === 'http' ? param.fromUri(String(value)) : param.fromJson(value)];
    });
    // Made name by name from the table that the type is computed from.
    return Object.fromEntries(entries) as ArgsOf<P>;
  } catch (error) {
    throw wrongParams(source, error instanceof Error ? error.message : String(error));
  }
}

function wrongParams(source: 'json' | 'http', why: string): JsonRpcError {
  return new JsonRpcError(
    RPC.invalidParams,
    'Invalid params',
    `error converting ${source} params to arguments: ${why}`,
  );
}

/** Nothing of lists and objects, which may be nested a hundred thousand levels deep. */
function shown(value: unknown): string {
  if (Array.isArray(value)) return 'a list';
  if (typeof value === 'object' && value !== null) return 'an object';
  const text = JSON.stringify(value) ?? String(value);
  return text.length > 60 ? `${text.slice(0, 60)}...` : text;
}
