import type { Address, Data, Hash } from '@switchyard/evm-machine/types';
import { bool, hexData, Input, InvalidData, problemText, type Read, readEach, shown } from '@switchyard/service/input';
import { invalidArgument, invalidParams } from './errors.ts';

type ReadAll<P extends readonly Read<unknown>[]> = { [I in keyof P]: P[I] extends Read<infer T> ? T : never };
type Maybe<P extends readonly Read<unknown>[]> = { [I in keyof P]: P[I] extends Read<infer T> ? T | undefined : never };

/**
 * Reads positional parameters. Null counts as absent, as Go's decoder has it.
 *
 * @example const [address, block = 'latest'] = readParams(params, [address], [blockReference]);
 * @throws {JsonRpcError} -32602 that names the position, counted from 0.
 */
export function readParams<const R extends readonly Read<unknown>[], const O extends readonly Read<unknown>[] = []>(
  params: unknown,
  required: R,
  optional?: O,
): [...ReadAll<R>, ...Maybe<O>] {
  const values = params ?? [];
  if (!Array.isArray(values)) throw invalidParams('non-array args');
  const readers = [...required, ...(optional ?? [])];
  if (values.length > readers.length) throw invalidParams(`too many arguments, want at most ${readers.length}`);
  const results = readers.map((read, position) => {
    const result = readArgument(values, position, read);
    if (result === undefined && position < required.length) throw missingArgument(position);
    return result;
  });
  // The readers were run in order, so their results have the types of the signature.
  return results as [...ReadAll<R>, ...Maybe<O>];
}

/** One of the parameters; undefined if it is absent or null. */
export function readArgument<T>(values: readonly unknown[], position: number, read: Read<T>): T | undefined {
  try {
    return new Input(values[position], '').optional(read);
  } catch (error) {
    const [problem] = error instanceof InvalidData ? error.problems : [];
    throw problem === undefined ? error : invalidArgument(position, problemText(problem));
  }
}

export function missingArgument(position: number): Error {
  return invalidParams(`missing value for required argument ${position}`);
}

/** 20 bytes, in any mixture of cases; a checksum in them is not looked at, as in every node. */
export const address: Read<Address> = hexData(20, 'an address of 20 bytes');

/** 32 bytes. */
export const hash: Read<Hash> = hexData(32, 'a hash of 32 bytes');

/** Any whole number of bytes. */
export const data: Read<Data> = hexData();

/**
 * A storage slot: at most 32 bytes in hex, also without `0x` or its leading zeros.
 *
 * @throws {JsonRpcError} in go-ethereum's wording, which leaves out where the value stands.
 */
export const slot: Read<Hash> = (input) => {
  const { value } = input;
  if (typeof value !== 'string') return input.fail('a storage key in hex');
  const digits = /^0x/i.test(value) ? value.slice(2) : value;
  if (digits.length > 64)
    throw invalidParams(`storage key too long (want at most 32 bytes): ${JSON.stringify(value.slice(0, 200))}`);
  if (!/^[0-9a-f]*$/i.test(digits)) throw invalidParams(`invalid hex in storage key: ${JSON.stringify(value)}`);
  return `0x${digits.toLowerCase().padStart(64, '0')}`;
};

/** Up to 256 bits: hex without leading zeros, or a JSON number that is a whole one. */
export const quantity: Read<bigint> = (input) => {
  const { value } = input;
  if (typeof value === 'number' && Number.isSafeInteger(value) && value >= 0) return BigInt(value);
  if (typeof value === 'bigint' && value >= 0n)
    return value < 1n << 256n ? value : input.refuse(`number > 256 bits: ${shown(value)}`);
  // Only as much of a text as could be valid is looked at: a longer one is rejected in any case.
  if (typeof value !== 'string' || !HEX.test(value.slice(0, LONGEST_QUANTITY + 1)) || value.length === 2)
    return input.fail('a number in hex with 0x');
  if (value.length > 3 && value[2] === '0') input.refuse(`hex number with leading zero digits: ${shown(value)}`);
  if (value.length > LONGEST_QUANTITY) input.refuse(`hex number > 256 bits: ${shown(value)}`);
  return BigInt(value);
};

/** `0x` and 256 bits. */
const LONGEST_QUANTITY = 66;

/** Like `quantity`, up to 64 bits. */
export const quantity64: Read<bigint> = (input) => {
  const number = quantity(input);
  return number < 1n << 64n ? number : input.refuse(`hex number > 64 bits: ${shown(input.value)}`);
};

/** A position in a list; numbers beyond any list are cut, so that they are found nowhere. */
export const index: Read<number> = (input) => {
  const number = quantity(input);
  return number > 0xffff_ffffn ? 0xffff_ffff : Number(number);
};

/** Text of any content, up to `most` characters. */
export function text(most: number): Read<string> {
  return (input) => {
    const value = input.text();
    return value.length <= most ? value : input.fail(`at most ${most} characters`, String(value.length));
  };
}

/** Members that are absent or null are absent from the result; others that the table does not name are ignored. */
export function getObject<M extends Readonly<Record<string, Read<unknown>>>>(
  members: M,
): Read<{ readonly [K in keyof M]?: M[K] extends Read<infer T> ? T : never }> {
  const entries = Object.entries(members);
  return (input) => {
    input.object();
    const found: Record<string, unknown> = {};
    for (const [name, read] of entries) {
      const member = input.at(name);
      if (member.isPresent) found[name] = read(member);
    }
    // Each member was read by the reader of its name.
    return found as { readonly [K in keyof M]?: M[K] extends Read<infer T> ? T : never };
  };
}

/** An object whose keys mean something, with at most `most` of them. */
export function mapOf<K, V>(key: Read<K>, read: Read<V>, most: number): Read<ReadonlyMap<K, V>> {
  return (input) => {
    const pairs = readEach(input.members(most), ([name, member]): [K, V] => [
      key(new Input(name, name, input)),
      read(member),
    ]);
    return new Map(pairs);
  };
}

export type BlockTag = 'latest' | 'safe' | 'finalized' | 'earliest' | 'pending';

/** Which block a caller means; `resolve.ts` finds it. */
export type BlockParameter = BlockTag | bigint | { readonly hash: Hash; readonly requireCanonical: boolean };

const TAGS: ReadonlyMap<unknown, BlockTag> = new Map(
  (['latest', 'safe', 'finalized', 'earliest', 'pending'] as const).map((tag) => [tag, tag]),
);

/** A number or a tag, where a hash would make no sense. */
export const blockNumber: Read<bigint | BlockTag> = (input) => TAGS.get(input.value) ?? quantity64(input);

/** A hash alone. */
export const blockHash: Read<BlockParameter> = (input) => ({ hash: hash(input), requireCanonical: false });

/** A number, a tag, a hash, or EIP-1898's object. */
export const blockReference: Read<BlockParameter> = (input) => {
  const { value } = input;
  if (typeof value === 'string' && value.length === 66) return blockHash(input);
  if (typeof value !== 'object' || value === null) return blockNumber(input);
  const { blockHash: given, blockNumber: number, requireCanonical = false } = eip1898(input);
  if (given !== undefined && number !== undefined)
    input.refuse('cannot specify both BlockHash and BlockNumber, choose one or the other');
  if (given !== undefined) return { hash: given, requireCanonical };
  return number ?? input.refuse('must specify either BlockHash or BlockNumber');
};

const eip1898 = getObject({ blockHash: hash, blockNumber, requireCanonical: bool });

const HEX = /^0x[0-9a-fA-F]*$/;
