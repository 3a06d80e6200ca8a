import { JsonRpcError, RPC } from '@switchyard/service';
import {
  Input,
  InvalidData,
  optional,
  parseInput,
  type Read,
  type Schema,
  schema,
  shown,
} from '@switchyard/service/input';

export type ParamTable = Readonly<Record<string, Schema<unknown>>>;

export type ArgsOf<P extends ParamTable> = { readonly [K in keyof P]: P[K] extends Schema<infer T> ? T : never };

/** A parameter that may be absent, from JSON and from the text of a URL. Null is the same as absent. */
function param<T>(absent: T, json: Read<T>, uri: Read<T>): Schema<T> {
  return schema(optional(json, absent), { fromText: (text) => uri(new Input(text, '')) });
}

const INT64_MAX = (1n << 63n) - 1n;

/** A 64-bit number: digits in quotes, as CometBFT wants them, or a plain number. */
const int64: Read<bigint> = (input) => {
  const { value } = input;
  const isWhole = typeof value === 'bigint' || Number.isSafeInteger(value);
  const digits = isWhole ? String(value) : value;
  if (typeof digits !== 'string' || !/^[+-]?\d{1,19}$/.test(digits))
    return input.refuse(`invalid 64-bit integer encoding ${shown(value)}, expected string`);
  const number = BigInt(digits.replace('+', ''));
  return number <= INT64_MAX && number >= -INT64_MAX ? number : input.refuse(`${digits} is outside 64 bits`);
};

/** A small count; larger numbers are as good as the largest. */
const count: Read<number> = (input) => {
  const number = int64(input);
  return Number(number > 1_000_000_000n ? 1_000_000_000n : number);
};

/** Quotes around a number in a URL make no difference. */
const unquoted =
  <T>(read: Read<T>): Read<T> =>
  (input) =>
    read(new Input(/^"(.*)"$/s.exec(input.text())?.[1] ?? input.value, ''));

/** A height, or `undefined` for the latest. */
export const optionalHeight = param<bigint | undefined>(undefined, int64, unquoted(int64));
export const optionalCount = param<number | undefined>(undefined, count, unquoted(count));
/** A height that is 0 when it is absent. */
export const height = param(0n, int64, unquoted(int64));

export const flag = param(
  false,
  (input) => input.bool(),
  (input) => input.value === 'true' || (input.value === 'false' ? false : input.fail('true or false')),
);

export const words = param(
  '',
  (input) => (typeof input.value === 'string' ? input.value : input.fail('a string')),
  (input) => {
    if (isHex(input)) return Buffer.from(prefixedHex(input)).toString();
    // CometBFT insists on the quotes.
    return isQuoted(input) ? quotedText(input) : input.text();
  },
);

const NO_BYTES = new Uint8Array();

const base64: Read<Uint8Array> = (input) => {
  const { value } = input;
  if (typeof value !== 'string') return input.fail('bytes in base64');
  const decoded = Buffer.from(value, 'base64');
  const padding = value.endsWith('==') ? 2 : value.endsWith('=') ? 1 : 0;
  // The decoder skips other characters; then there are fewer bytes than the characters stand for.
  const isWhole = decoded.length === Math.floor(((value.length - padding) * 3) / 4);
  return isWhole ? decoded : input.refuse('illegal base64 data');
};

const hex: Read<Uint8Array> = (input) => {
  const { value } = input;
  if (typeof value !== 'string') return input.refuse(`invalid hex string: ${shown(value)}`);
  const decoded = Buffer.from(value, 'hex');
  return decoded.length * 2 === value.length
    ? decoded
    : input.refuse(`invalid hex string of ${value.length} characters`);
};

const isHex = ({ value }: Input) => typeof value === 'string' && /^0x/i.test(value);
const isQuoted = ({ value }: Input) => typeof value === 'string' && /^".*"$/s.test(value);
const prefixedHex: Read<Uint8Array> = (input) => hex(new Input(input.text().slice(2), ''));
const quotedText: Read<string> = (input) => parseInput(input.text(), '').text();

/** In a URL, `0x` starts hexadecimal digits, and quotes hold the bytes of a text. */
const uriBytes: Read<Uint8Array> = (input) => {
  if (isHex(input)) return prefixedHex(input);
  return isQuoted(input)
    ? Buffer.from(quotedText(input))
    : input.fail('0x and hexadecimal digits, or a text in quotes');
};

/** Bytes that JSON carries in base64. */
export const bytes = param(NO_BYTES, base64, uriBytes);

/** Bytes that JSON carries in hexadecimal, if null is a mistake. */
export const hexadecimal = schema((input) => (input.value === undefined ? NO_BYTES : hex(input)), bytes);

/**
 * A hash, which CometBFT takes in base64 from some methods and in hexadecimal from others. Its 64 digits cannot be
 * mistaken for the 44 characters of base64, so both are read everywhere.
 */
export const hash = param(
  NO_BYTES,
  (input) => (typeof input.value === 'string' && /^[0-9a-fA-F]{64}$/.test(input.value) ? hex : base64)(input),
  uriBytes,
);

/** @throws {JsonRpcError} */
export function argsFromJson<P extends ParamTable>(table: P, params: unknown): ArgsOf<P> {
  const input = new Input(params, '');
  if (!input.isPresent) return readArgs(table, 'json', () => undefined);
  if (Array.isArray(params)) {
    const names = Object.keys(table);
    if (params.length !== names.length)
      throw wrongParams('json', `expected ${names.length} parameters ([${names.join(' ')}]), got ${params.length}`);
    return readArgs(table, 'json', (_, index) => params[index]);
  }
  if (!input.isObject) throw wrongParams('json', 'unknown type for JSON params. Expected map or array');
  return readArgs(table, 'json', (name) => input.at(name).value);
}

/** @throws {JsonRpcError} */
export function argsFromUri<P extends ParamTable>(table: P, params: URLSearchParams): ArgsOf<P> {
  return readArgs(table, 'uri', (name) => params.get(name) || undefined);
}

function readArgs<P extends ParamTable>(
  table: P,
  source: 'json' | 'uri',
  look: (name: string, index: number) => unknown,
): ArgsOf<P> {
  try {
    const entries = Object.entries(table).map(([name, param], index) => {
      const value = look(name, index);
      const isText = source === 'uri' && typeof value === 'string';
      return [name, isText ? param.fromText(value) : param(new Input(value, ''))];
    });
    // Made name by name from the table that the type is computed from.
    return Object.fromEntries(entries) as ArgsOf<P>;
  } catch (error) {
    throw error instanceof InvalidData ? wrongParams(source, error.message) : error;
  }
}

function wrongParams(source: 'json' | 'uri', why: string): JsonRpcError {
  const from = source === 'json' ? 'json' : 'http';
  return new JsonRpcError(RPC.invalidParams, 'Invalid params', `error converting ${from} params to arguments: ${why}`);
}
