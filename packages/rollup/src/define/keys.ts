import { accountId, assetId, MAX_KEY_LENGTH, text, u32Key, u64Key } from '@switchyard/machine/browser';
import { fromHex, toHex } from '@switchyard/protocol';
import type { Type, ValueOf } from '../schema/type.ts';

/** Types of the parts of a key. Keys sort by their parts; of numbers by value, of text by its percent-encoding. */
export type KeyTypes = readonly Type<unknown>[];
export type KeyOf<K> = K extends Type<infer V> ? V : { readonly [I in keyof K]: ValueOf<K[I]> };

/** One part of a key as ASCII without slashes. */
interface Part {
  readonly toKey: (value: never) => string;
  readonly fromKey: (key: string) => unknown;
  readonly maxLength: number;
}

/** Sixteen bytes as 32 hex digits. */
const u128Key = {
  toKey(value: bigint) {
    if (value < 0n || value >> 128n !== 0n) throw new RangeError(`not a u128: ${value}`);
    return value.toString(16).padStart(32, '0');
  },
  fromKey: (key: string) => BigInt(`0x${key}`),
};

function partOf({ description }: Type<unknown>): Part | undefined {
  switch (description.type) {
    case 'u32':
      return { ...u32Key, maxLength: 8 };
    case 'u64':
      return { ...u64Key, maxLength: 16 };
    case 'u128':
      return { ...u128Key, maxLength: 32 };
    case 'address':
      return { ...accountId, maxLength: 40 };
    case 'asset':
      return { ...assetId, maxLength: 64 };
    case 'text':
      return { ...text, maxLength: 3 * Number(description.maxBytes) };
    case 'bytes':
      return description.length === undefined
        ? undefined
        : { toKey: (value: Uint8Array) => toHex(value), fromKey: fromHex, maxLength: 2 * Number(description.length) };
    default:
      return undefined;
  }
}

/** A key of several parts, between slashes. */
export interface Keys {
  toKey(values: readonly unknown[]): string;
  fromKey(key: string): unknown[];
  readonly maxLength: number;
  readonly parts: number;
}

/** @throws {Error} for a type that has no ordered key. */
export function keysOf(types: KeyTypes): Keys {
  const parts = types.map((type) => {
    const part = type.problem === undefined ? partOf(type) : undefined;
    if (part !== undefined) return part;
    const found = type.problem ?? `got ${type.description.type}`;
    throw new Error(`expected a key of u32, u64, u128, address, asset, text or bytes of one length, ${found}`);
  });
  return {
    parts: parts.length,
    toKey(values) {
      if (values.length > parts.length) throw new Error(`a key has ${parts.length} parts, got ${values.length}`);
      // The parts stand at the places of the values that their types have.
      return values.map((value, at) => (parts[at] as Part).toKey(value as never)).join('/');
    },
    fromKey(key) {
      const found = key.split('/');
      if (found.length !== Math.max(1, parts.length)) throw new Error(`stored key has ${found.length} parts: ${key}`);
      return parts.map((part, at) => part.fromKey(found[at] ?? ''));
    },
    maxLength: parts.reduce((sum, { maxLength }) => sum + 1 + maxLength, 0),
  };
}

/** @throws {Error} for keys that could be longer than the store allows. */
export function mustBeShort(prefix: string, ...keys: readonly Keys[]): void {
  const most = prefix.length + keys.reduce((sum, { maxLength }) => sum + maxLength, 0);
  if (most > MAX_KEY_LENGTH)
    throw new Error(`its keys take up to ${most} characters, at most ${MAX_KEY_LENGTH} are possible: bound its texts`);
}
