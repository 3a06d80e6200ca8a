import {
  type AccountId,
  type AssetId,
  accountIdFromBytes,
  assetIdFromBytes,
  formatAddress,
  fromHex,
  ibcForm,
  parseAddress,
  parseDenom,
  toHex,
  U128_MAX,
  type Writer,
} from '@switchyard/protocol';
import { integer, parser, type Schema, schema, text as textSchema, withFacts } from '@switchyard/service/input';
import { Mismatch, type Type, unfit } from './type.ts';

/* Types of single values. Nothing is rounded and nothing has two forms: there are no floats. */

const U32_MAX = 0xffff_ffff;
const U64_MAX = (1n << 64n) - 1n;
/** Most bytes of a text or of bytes: more than any transaction has. */
const MOST_BYTES = 1_048_576;

type Members<T> = Pick<Type<T>, 'description' | 'maxBytes' | 'write' | 'read' | 'json' | 'openJson'> &
  Partial<Pick<Type<T>, 'toJson' | 'problem'>>;

export const common = { help: '', number: undefined, problem: undefined, maxItems: 1 };

/** A field that is not written while it has this value. */
export function withDefault<T>(value: T, members: Members<T>, isAbsent = (given: T) => given === value): Type<T> {
  return { ...common, presence: 'default', absent: () => value, isAbsent, toJson: (given) => given, ...members };
}

export function required<T>(members: Members<T>): Type<T> {
  return {
    ...common,
    presence: 'required',
    absent: () => undefined,
    isAbsent: () => false,
    toJson: (given) => given,
    ...members,
  };
}

/** A whole number from 0 to 2^32 - 1, of at most 5 bytes. See the example of {@link u64}. */
export const u32: Type<number> = withDefault(0, {
  description: { type: 'u32' },
  maxBytes: 5,
  write(writer, number, value) {
    if (!Number.isInteger(value) || value < 0 || value > U32_MAX)
      throw unfit('a whole number from 0 to 2^32 - 1', value);
    writer.uint32Always(number, value);
  },
  read: (reader) => reader.uint32(),
  json: integer({ max: U32_MAX }),
});

function checked(value: bigint, bits: bigint): bigint {
  if (typeof value !== 'bigint' || value < 0n || value >> bits !== 0n)
    throw unfit(`a bigint from 0 to 2^${bits} - 1`, value);
  return value;
}

/** In JSON a number or its digits, and in answers the digits: not every program reads large numbers exactly. */
export function digitsSchema(lowest: bigint, highest: bigint, expects: string): Schema<bigint> {
  const pattern = `^${lowest < 0n ? '-?' : ''}[0-9]{1,${String(highest).length}}$`;
  return schema((input) => input.big(lowest, highest), { expects, example: '0', json: { type: 'string', pattern } });
}

/**
 * A whole number from 0 to 2^64 - 1, of at most 10 bytes; in JSON as text, and exact numbers are read too.
 * @example
 * ```ts
 * const order = record({ id: u32, price: u64, volume: u128, side: oneOf('buy', 'sell'), isOpen: bool });
 * const change = record({ steps: i32, price: i64, volume: i128 });
 * ```
 */
export const u64: Type<bigint> = withDefault<bigint>(0n, {
  description: { type: 'u64' },
  maxBytes: 10,
  write: (writer, number, value) => void writer.uint64Always(number, checked(value, 64n)),
  read: (reader) => reader.uint64(),
  json: digitsSchema(0n, U64_MAX, 'a whole number from 0 to 2^64 - 1'),
  toJson: String,
});

/**
 * A whole number from 0 to 2^128 - 1; in JSON as text. Its bytes are the message `Uint128` of the sequencer: the lower half is field 1,
 * the upper half field 2. See the example of {@link u64}.
 */
export const u128: Type<bigint> = withDefault<bigint>(0n, {
  description: { type: 'u128' },
  maxBytes: 24,
  write(writer, number, value) {
    checked(value, 128n);
    writer.message(number, (halves) => halves.uint64(1, value & U64_MAX).uint64(2, value >> 64n));
  },
  read(reader) {
    const halves = reader.message('Uint128');
    let isThere = halves.next();
    let value = 0n;
    for (const shift of [0n, 64n]) {
      if (!isThere || halves.field !== (shift === 0n ? 1 : 2)) continue;
      const half = halves.uint64();
      if (half === 0n) throw new Mismatch('its one encoding', 'a half that is zero and written');
      value |= half << shift;
      isThere = halves.next();
    }
    if (isThere) throw new Mismatch('its one encoding', `field ${halves.field} after it`);
    return value;
  },
  json: digitsSchema(0n, U128_MAX, 'a whole number from 0 to 2^128 - 1'),
  toJson: String,
});

const WORDS: ReadonlyMap<unknown, boolean> = new Map<unknown, boolean>([
  ...[true, 'true'].map((word) => [word, true] as const),
  ...[false, 'false'].map((word) => [word, false] as const),
]);

/** True or false; false is the default, which is not written. See the example of {@link u64}. */
export const bool: Type<boolean> = withDefault(false, {
  description: { type: 'bool' },
  maxBytes: 1,
  write(writer, number, value) {
    if (typeof value !== 'boolean') throw unfit('true or false', value);
    writer.uint32Always(number, value ? 1 : 0);
  },
  read: (reader) => reader.bool(),
  json: schema((input) => WORDS.get(input.value) ?? input.fail('true or false'), {
    expects: 'true or false',
    example: 'true',
    json: { type: 'boolean' },
  }),
});

const utf8 = new TextEncoder();
const NO_BYTES = new Uint8Array();

/** Text of UTF-8 that takes at most this many bytes, up to 1 MiB. See the example of {@link record}. */
export function text({ maxBytes }: { readonly maxBytes: number }): Type<string> {
  const expected = `text of at most ${maxBytes} bytes`;
  /** Each unit of UTF-16 takes one to three bytes. */
  const fits = (value: string) =>
    value.length <= maxBytes && (value.length * 3 <= maxBytes || utf8.encode(value).length <= maxBytes);
  const got = (value: string) => `${utf8.encode(value).length} bytes`;
  return withDefault('', {
    description: { type: 'text', maxBytes },
    problem: boundProblem('maxBytes', maxBytes, MOST_BYTES),
    maxBytes,
    write(writer, number, value) {
      if (typeof value !== 'string') throw unfit(expected, value);
      if (!value.isWellFormed()) throw new Mismatch(expected, 'half of a surrogate pair');
      if (!fits(value)) throw new Mismatch(expected, got(value));
      if (value === '') writer.bytesAlways(number, NO_BYTES);
      else writer.string(number, value);
    },
    read(reader) {
      const value = reader.string();
      if (!fits(value)) throw new Mismatch(expected, got(value));
      return value;
    },
    json: withFacts(
      schema((input) => {
        const value = input.text();
        return value.isWellFormed() && fits(value) ? value : input.fail(expected);
      }),
      { ...textSchema, expects: expected, json: { type: 'string', maxLength: maxBytes } },
    ),
  });
}

/** At most `maxBytes` bytes, up to 1 MiB, or `length` bytes, which are always there. JSON has hex. See the example of {@link record}. */
export function bytes(
  bounds:
    | { readonly maxBytes: number; readonly length?: never }
    | { readonly length: number; readonly maxBytes?: never },
): Type<Uint8Array> {
  const { maxBytes, length } = bounds;
  const most = length ?? maxBytes;
  const expected = length === undefined ? `at most ${maxBytes} bytes` : `${length} bytes`;
  const mustFit = (value: Uint8Array): Uint8Array => {
    if (!(value instanceof Uint8Array)) throw unfit(expected, value);
    if (length === undefined ? value.length > most : value.length !== length)
      throw new Mismatch(expected, `${value.length} bytes`);
    return value;
  };
  const digits = length === undefined ? `^([0-9a-fA-F]{2}){0,${most}}$` : `^[0-9a-fA-F]{${2 * most}}$`;
  const members: Members<Uint8Array> = {
    description: length === undefined ? { type: 'bytes', maxBytes } : { type: 'bytes', length },
    problem:
      maxBytes !== undefined && length !== undefined
        ? 'expected maxBytes or length, got both'
        : boundProblem(length === undefined ? 'maxBytes' : 'length', most, MOST_BYTES),
    maxBytes: most,
    write: (writer, number, value) => void writer.bytesAlways(number, mustFit(value)),
    read: (reader) => mustFit(reader.bytes()),
    json: parser(`${expected} as hex`, '00', (value) => toHexText(value, most, length), { pattern: digits }),
    toJson: toHex,
  };
  return length === undefined
    ? withDefault(new Uint8Array(), members, (value) => value.length === 0)
    : required(members);
}

function toHexText(value: string, most: number, length: number | undefined): Uint8Array | undefined {
  const isLong = length === undefined ? value.length > 2 * most : value.length !== 2 * length;
  return isLong || !/^([0-9a-f]{2})*$/i.test(value) ? undefined : fromHex(value);
}

const EXAMPLE_ADDRESS = 'astria1rsxyjrcm255ds9euthjx6yc3vrjt9sxrm9cfgm';

export function addressJson<T>(parse: (text: string) => T): Schema<T> {
  return parser<T>('a bech32m address of 20 bytes', EXAMPLE_ADDRESS, (value) => parse(value), {
    pattern: '^[a-z0-9]+1[02-9ac-hj-np-z]{38}$',
    examples: [EXAMPLE_ADDRESS],
  });
}

/** An account: 20 bytes; in JSON bech32m, of any prefix. See the example of {@link record}. */
export const address: Type<AccountId> = required({
  description: { type: 'address' },
  maxBytes: 20,
  write: (writer, number, value) => writeId(writer, number, value, 20),
  read: (reader) => accountIdFromBytes(ofLength(reader.bytes(), 20)),
  json: addressJson<AccountId>(parseAddress),
  toJson: (account) => formatAddress(account),
});

/** An asset: 32 bytes. In JSON its name, or `ibc/` and its id; in answers the name, if known. See the example of {@link record}. */
export const asset: Type<AssetId> = required({
  description: { type: 'asset' },
  maxBytes: 32,
  write: (writer, number, value) => writeId(writer, number, value, 32),
  read: (reader) => assetIdFromBytes(ofLength(reader.bytes(), 32)),
  json: parser<AssetId>('the name of an asset', 'nria', (value) => parseDenom(value).id, { examples: ['nria'] }),
  toJson: (id, nameOf = ibcForm) => nameOf(id),
});

function writeId(writer: Writer, number: number, value: string, length: number): void {
  if (typeof value !== 'string' || value.length !== 2 * length || !/^[0-9a-f]+$/.test(value))
    throw unfit(`${length} bytes as lower-case hex`, value);
  writer.bytesAlways(number, fromHex(value));
}

function ofLength(value: Uint8Array, length: number): Uint8Array {
  if (value.length !== length) throw new Mismatch(`${length} bytes`, `${value.length} bytes`);
  return value;
}

export function boundProblem(name: string, value: unknown, most: number): string | undefined {
  if (typeof value === 'number' && Number.isInteger(value) && value >= 1 && value <= most) return undefined;
  return `expected ${name} from 1 to ${most}, got ${value === undefined ? 'nothing' : String(value)}`;
}
