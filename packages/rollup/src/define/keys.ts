import { MAX_KEY_LENGTH } from '@switchyard/machine/browser';
import { fromHex, toHex, Writer } from '@switchyard/protocol';
import { InvalidData, unexpected } from '@switchyard/service/input';
import { atStep, invalid, type Type, type ValueOf } from '../schema/type.ts';

/** Types of the parts of a key. Keys sort by their parts; of numbers by value, of words by their place, of text by its percent-encoding. */
export type KeyTypes = readonly Type<unknown>[];
export type KeyOf<K> = K extends Type<infer V> ? V : PartsOf<K>;
export type PartsOf<K> = { readonly [I in keyof K]: ValueOf<K[I]> };

/** The first parts of a key, up to all of them. */
export type PrefixOf<K> = K extends readonly [infer First, ...infer Rest]
  ? readonly [] | readonly [First, ...PrefixOf<Rest>]
  : K extends readonly []
    ? readonly []
    : K extends readonly (infer Part)[]
      ? readonly Part[]
      : readonly [];

/** One part of a key as ASCII without slashes. */
interface Part {
  readonly toKey: (value: never) => string;
  readonly fromKey: (key: string) => unknown;
  readonly maxLength: number;
}

/** @throws {Error} for other text than lower-case hex digits of this length. */
function hexDigits(key: string, length: number): string {
  if (key.length === length && /^[0-9a-f]+$/.test(key)) return key;
  throw new Error(`stored key is not ${length} hex digits: ${key}`);
}

/** An id, which is lower-case hex. */
const idKey = (maxLength: number): Part => ({
  toKey: (id: string) => id,
  fromKey: (key) => hexDigits(key, maxLength),
  maxLength,
});

/** Hex digits of the distance from the lowest number. */
function numberKey(bits: number, lowest: bigint, convert: (value: bigint) => unknown = (value) => value): Part {
  const maxLength = bits / 4;
  return {
    toKey: (value: number | bigint) => (BigInt(value) - lowest).toString(16).padStart(maxLength, '0'),
    fromKey: (key) => convert(BigInt(`0x${hexDigits(key, maxLength)}`) + lowest),
    maxLength,
  };
}

function decodedText(key: string): string {
  const text = decodeURIComponent(key);
  if (encodeURIComponent(text) !== key) throw new Error(`stored key is not encoded text: ${key}`);
  return text;
}

/** Two hex digits of the place of a value among all that there are. */
function placeKey(values: readonly unknown[]): Part {
  return {
    toKey: (value: unknown) => values.indexOf(value).toString(16).padStart(2, '0'),
    fromKey: (key) => values[Number.parseInt(key, 16)],
    maxLength: 2,
  };
}

/** Parts of types that have no bounds of their own. */
const PARTS: Readonly<Record<string, Part>> = {
  u32: numberKey(32, 0n, Number),
  u64: numberKey(64, 0n),
  u128: numberKey(128, 0n),
  i32: numberKey(32, -(1n << 31n), Number),
  i64: numberKey(64, -(1n << 63n)),
  i128: numberKey(128, -(1n << 127n)),
  bool: placeKey([false, true]),
  address: idKey(40),
  asset: idKey(64),
};

function findPart({ description }: Type<unknown>): Part | undefined {
  switch (description.type) {
    case 'oneOf':
      // Made by `oneOf` alone.
      return placeKey(description.words as readonly string[]);
    case 'text':
      return { toKey: encodeURIComponent, fromKey: decodedText, maxLength: 3 * Number(description.maxBytes) };
    case 'bytes':
      return description.length === undefined
        ? undefined
        : { toKey: (value: Uint8Array) => toHex(value), fromKey: fromHex, maxLength: 2 * Number(description.length) };
    default:
      return PARTS[description.type];
  }
}

/** A key of several parts, between slashes. */
export interface Keys {
  /** @throws {InvalidData} for a value that its type does not have, and for another number of parts than `count`. */
  toKey(values: readonly unknown[], count?: number): string;
  fromKey(key: string): unknown[];
  readonly maxLength: number;
  readonly parts: number;
}

/** @throws {Error} for a type that has no ordered key. */
export function toKeys(types: KeyTypes): Keys {
  const parts = types.map((type) => {
    const part = type.problem === undefined ? findPart(type) : undefined;
    if (part !== undefined) return part;
    const found = type.problem ?? `got ${type.description.type}`;
    throw new Error(`expected a key of numbers, bool, oneOf, address, asset, text or bytes of one length, ${found}`);
  });
  return {
    parts: parts.length,
    toKey(values, count) {
      if (values.length > parts.length || values.length < (count ?? 0))
        throw new InvalidData([unexpected('key', `${parts.length} parts`, String(values.length))]);
      return values
        .map((value, at) => {
          // The parts stand at the places of the values that their types have.
          mustFit(types[at] as Type<unknown>, value, parts.length === 1 ? 'key' : `key[${at}]`);
          return (parts[at] as Part).toKey(value as never);
        })
        .join('/');
    },
    fromKey(key) {
      const found = key.split('/');
      if (found.length !== Math.max(1, parts.length)) throw new Error(`stored key has ${found.length} parts: ${key}`);
      return parts.map((part, at) => part.fromKey(found[at] ?? ''));
    },
    maxLength: parts.reduce((sum, { maxLength }) => sum + 1 + maxLength, 0),
  };
}

/** The bounds of a type are those of its encoding. */
function mustFit(type: Type<unknown>, value: unknown, place: string): void {
  try {
    type.write(new Writer(), 1, value);
  } catch (error) {
    throw invalid(atStep(error, place));
  }
}

/** @throws {Error} for keys that could be longer than the store allows. */
export function mustBeShort(prefix: string, ...keys: readonly Keys[]): void {
  const most = prefix.length + keys.reduce((sum, { maxLength }) => sum + maxLength, 0);
  if (most > MAX_KEY_LENGTH)
    throw new Error(`its keys take up to ${most} characters, at most ${MAX_KEY_LENGTH} are possible: bound its texts`);
}
