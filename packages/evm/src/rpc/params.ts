import type { Address, Data, Hash } from '../types.ts';
import { invalidArgument, invalidParams } from './errors.ts';

/** What is wrong with one value, without saying where it stands. */
export class Malformed extends Error {
  override readonly name = 'Malformed';
}

/** Turns one value as JSON has it into what it means. @throws {Malformed} */
export type Parse<T> = (value: unknown) => T;

type Parsed<P extends readonly Parse<unknown>[]> = { [I in keyof P]: P[I] extends Parse<infer T> ? T : never };
type Maybe<P extends readonly Parse<unknown>[]> = {
  [I in keyof P]: P[I] extends Parse<infer T> ? T | undefined : never;
};

/**
 * Reads positional parameters. Null counts as absent, as Go's decoder has it.
 *
 * @example const [address, block = 'latest'] = readParams(params, [address], [blockReference]);
 * @throws {JsonRpcError} -32602 that names the position, counted from 0.
 */
export function readParams<const R extends readonly Parse<unknown>[], const O extends readonly Parse<unknown>[] = []>(
  params: unknown,
  required: R,
  optional?: O,
): [...Parsed<R>, ...Maybe<O>] {
  const values = params ?? [];
  if (!Array.isArray(values)) throw invalidParams('non-array args');
  const parsers = [...required, ...(optional ?? [])];
  if (values.length > parsers.length) throw invalidParams(`too many arguments, want at most ${parsers.length}`);
  const parsed = parsers.map((parse, position) => {
    const value: unknown = values[position];
    if (value === undefined || value === null) {
      if (position < required.length) throw invalidParams(`missing value for required argument ${position}`);
      return undefined;
    }
    try {
      return parse(value);
    } catch (error) {
      if (error instanceof Malformed) throw invalidArgument(position, error.message);
      throw error;
    }
  });
  // The parsers were run in order, so their results have the types of the signature.
  return parsed as [...Parsed<R>, ...Maybe<O>];
}

/** 20 bytes, in any mixture of cases; a checksum in them is not looked at, as in every node. */
export const address: Parse<Address> = fixedHex(20, 'an address of 20 bytes');

/** 32 bytes. */
export const hash: Parse<Hash> = fixedHex(32, 'a hash of 32 bytes');

/** Any whole number of bytes. */
export const data: Parse<Data> = (value) => {
  if (typeof value === 'string' && value.length % 2 === 0 && HEX.test(value)) return lower(value);
  throw new Malformed(`expected bytes in hex with 0x, got ${shown(value)}`);
};

/**
 * A storage slot: at most 32 bytes in hex, also without `0x` or its leading zeros.
 *
 * @throws {JsonRpcError} with go-ethereum's words, which do not say where the value stands.
 */
export const slot: Parse<Hash> = (value) => {
  if (typeof value !== 'string') throw new Malformed(`expected a storage key in hex, got ${shown(value)}`);
  const digits = /^0x/i.test(value) ? value.slice(2) : value;
  if (digits.length > 64)
    throw invalidParams(`storage key too long (want at most 32 bytes): ${JSON.stringify(value.slice(0, 200))}`);
  if (!/^[0-9a-f]*$/i.test(digits)) throw invalidParams(`invalid hex in storage key: ${JSON.stringify(value)}`);
  return `0x${digits.toLowerCase().padStart(64, '0')}`;
};

/** Up to 256 bits: hex without leading zeros, or a JSON number that is a whole one and exact. */
export const quantity: Parse<bigint> = (value) => {
  if (typeof value === 'number' && Number.isSafeInteger(value) && value >= 0) return BigInt(value);
  // Of a text that is too long in any case, only what fits is looked at.
  if (typeof value !== 'string' || !HEX.test(value.slice(0, LONGEST_QUANTITY + 1)) || value.length === 2)
    throw new Malformed(`expected a number in hex with 0x, got ${shown(value)}`);
  if (value.length > 3 && value[2] === '0') throw new Malformed(`hex number with leading zero digits: ${shown(value)}`);
  if (value.length > LONGEST_QUANTITY) throw new Malformed(`hex number > 256 bits: ${shown(value)}`);
  return BigInt(value);
};

/** `0x` and 256 bits. */
const LONGEST_QUANTITY = 66;

/** As `quantity`, up to 64 bits. */
export const quantity64: Parse<bigint> = (value) => {
  const number = quantity(value);
  if (number >= 1n << 64n) throw new Malformed(`hex number > 64 bits: ${shown(value)}`);
  return number;
};

/** A position in a list; numbers beyond any list are cut, so that they are found nowhere. */
export const index: Parse<number> = (value) => {
  const number = quantity(value);
  return number > 0xffff_ffffn ? 0xffff_ffff : Number(number);
};

export const flag: Parse<boolean> = (value) => {
  if (typeof value === 'boolean') return value;
  throw new Malformed(`expected true or false, got ${shown(value)}`);
};

/** Text of any content, up to `most` characters. */
export function text(most: number): Parse<string> {
  return (value) => {
    if (typeof value !== 'string') throw new Malformed(`expected text, got ${shown(value)}`);
    if (value.length > most) throw new Malformed(`expected at most ${most} characters, got ${value.length}`);
    return value;
  };
}

/** A list of at most `most` values. */
export function listOf<T>(parse: Parse<T>, most: number): Parse<readonly T[]> {
  return (value) => {
    if (!Array.isArray(value)) throw new Malformed(`expected a list, got ${shown(value)}`);
    if (value.length > most) throw new Malformed(`expected at most ${most} values, got ${value.length}`);
    return value.map((each: unknown, position) => within(`at index ${position}`, () => parse(each)));
  };
}

/** Members that are absent or null are absent from the result; others that the table does not name are ignored. */
export function objectOf<M extends Readonly<Record<string, Parse<unknown>>>>(
  members: M,
): Parse<{ readonly [K in keyof M]?: M[K] extends Parse<infer T> ? T : never }> {
  const entries = Object.entries(members);
  return (value) => {
    const object = record(value);
    const parsed: Record<string, unknown> = {};
    for (const [name, parse] of entries) {
      const member = Object.hasOwn(object, name) ? object[name] : undefined;
      if (member !== undefined && member !== null) parsed[name] = within(name, () => parse(member));
    }
    // Each member was parsed by the parser of its name.
    return parsed as { readonly [K in keyof M]?: M[K] extends Parse<infer T> ? T : never };
  };
}

/** An object whose keys mean something, with at most `most` of them. */
export function mapOf<K, V>(key: Parse<K>, parse: Parse<V>, most: number): Parse<ReadonlyMap<K, V>> {
  return (value) => {
    const entries = Object.entries(record(value));
    if (entries.length > most) throw new Malformed(`expected at most ${most} members, got ${entries.length}`);
    return new Map(entries.map(([name, each]) => within(shown(name), (): [K, V] => [key(name), parse(each)])));
  };
}

export type BlockTag = 'latest' | 'safe' | 'finalized' | 'earliest' | 'pending';

/** Which block a caller means; `resolve.ts` finds it. */
export type BlockParameter = BlockTag | bigint | { readonly hash: Hash; readonly requireCanonical: boolean };

const TAGS: ReadonlyMap<unknown, BlockTag> = new Map(
  (['latest', 'safe', 'finalized', 'earliest', 'pending'] as const).map((tag) => [tag, tag]),
);

/** A number or a tag, where a hash would make no sense. */
export const blockNumber: Parse<bigint | BlockTag> = (value) => {
  const tag = TAGS.get(value);
  if (tag !== undefined) return tag;
  return within('block', () => quantity64(value));
};

/** A number, a tag, a hash, or EIP-1898's object. */
export const blockReference: Parse<BlockParameter> = (value) => {
  if (typeof value === 'string' && value.length === 66) return { hash: hash(value), requireCanonical: false };
  if (typeof value !== 'object' || value === null) return blockNumber(value);
  const { blockHash, blockNumber: number, requireCanonical = false } = eip1898(value);
  if (blockHash !== undefined && number !== undefined)
    throw new Malformed('cannot specify both BlockHash and BlockNumber, choose one or the other');
  if (blockHash !== undefined) return { hash: blockHash, requireCanonical };
  if (number === undefined) throw new Malformed('must specify either BlockHash or BlockNumber');
  return number;
};

const eip1898 = objectOf({ blockHash: hash, blockNumber, requireCanonical: flag });

const HEX = /^0x[0-9a-fA-F]*$/;

function fixedHex(bytes: number, what: string): Parse<Data> {
  const length = 2 + 2 * bytes;
  return (value) => {
    if (typeof value === 'string' && value.length === length && HEX.test(value)) return lower(value);
    throw new Malformed(`expected ${what} in hex with 0x, got ${shown(value)}`);
  };
}

function lower(text: string): Data {
  return `0x${text.slice(2).toLowerCase()}`;
}

function record(value: unknown): Readonly<Record<string, unknown>> {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new Malformed(`expected an object, got ${shown(value)}`);
  // Any object can be read by name; what stands there is unknown.
  return value as Readonly<Record<string, unknown>>;
}

/** Puts `where` in front of what is wrong inside. */
function within<T>(where: string, parse: () => T): T {
  try {
    return parse();
  } catch (error) {
    if (error instanceof Malformed) throw new Malformed(`${where}: ${error.message}`);
    throw error;
  }
}

/** A value as an error may repeat it: short, and nothing that breaks a line. */
export function shown(value: unknown): string {
  if (typeof value === 'string') {
    return value.length <= 66
      ? JSON.stringify(value)
      : `${JSON.stringify(value.slice(0, 40))}… of ${value.length} characters`;
  }
  if (Array.isArray(value)) return `a list of ${value.length}`;
  if (typeof value === 'object' && value !== null) return 'an object';
  return String(value);
}
