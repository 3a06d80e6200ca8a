import type { AccountId, AssetId, BlockHash, RollupId, TxHash } from '@switchyard/protocol';
import type { KeyCodec, ValueCodec } from './codec.ts';
import { bytes } from './values.ts';

/** An id is lower-case hex in keys and its plain bytes in values. */
function hexId<Id extends string>(length: number): KeyCodec<Id> & ValueCodec<Id> {
  const pattern = new RegExp(`^[0-9a-f]{${length * 2}}$`);
  const checked = (hex: string): Id => {
    if (!pattern.test(hex)) throw new Error(`stored id is not ${length} bytes of lower-case hex: ${hex}`);
    // A branded id is exactly this: hex of the right length.
    return hex as Id;
  };
  return {
    parts: 1,
    toKey: (id) => id,
    fromKey: checked,
    size: () => length,
    write(target, at, id) {
      for (let i = 0; i < length; i++) target[at + i] = nibble(id, 2 * i) * 16 + nibble(id, 2 * i + 1);
    },
    read(reader) {
      let hex = '';
      for (const byte of reader.take(length)) hex += HEX[byte];
      // Two lower-case digits for each byte, as the brand requires.
      return hex as Id;
    },
  };
}

/** Value of a lower-case hex digit. */
function nibble(hex: string, at: number): number {
  const code = hex.charCodeAt(at);
  return code < 0x3a ? code - 0x30 : code - 0x57;
}

const HEX = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'));

export const accountId = hexId<AccountId>(20);
export const assetId = hexId<AssetId>(32);
export const rollupId = hexId<RollupId>(32);
export const txHash = hexId<TxHash>(32);
export const blockHash = hexId<BlockHash>(32);

/** Eight hex digits, so keys sort by number. */
export const u32Key: KeyCodec<number> = {
  parts: 1,
  toKey(value) {
    if (!Number.isInteger(value) || value < 0 || value > 0xffff_ffff) throw new RangeError(`not a u32: ${value}`);
    return value.toString(16).padStart(8, '0');
  },
  fromKey(key) {
    if (!/^[0-9a-f]{8}$/.test(key)) throw new Error(`stored key is not 8 hex digits: ${key}`);
    return Number.parseInt(key, 16);
  },
};

/** Sixteen hex digits, so keys sort by number. */
export const u64Key: KeyCodec<bigint> = {
  parts: 1,
  toKey(value) {
    if (value < 0n || value >> 64n !== 0n) throw new RangeError(`not a u64: ${value}`);
    return value.toString(16).padStart(16, '0');
  },
  fromKey(key) {
    if (!/^[0-9a-f]{16}$/.test(key)) throw new Error(`stored key is not 16 hex digits: ${key}`);
    return BigInt(`0x${key}`);
  },
};

const encoder = new TextEncoder();
const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/**
 * A value is a u32 length and UTF-8. A key is percent-encoded, up to three characters for each byte of
 * UTF-8, and not in the order of the texts.
 *
 * Text with a lone surrogate has no UTF-8 and throws.
 */
export const text: KeyCodec<string> & ValueCodec<string> = {
  parts: 1,
  toKey: (value) => encodeURIComponent(value),
  fromKey(key) {
    const value = decodeURIComponent(key);
    if (encodeURIComponent(value) !== key) throw new Error(`stored key is not encoded text: ${key}`);
    return value;
  },
  size: (value) => 4 + utf8Length(value),
  write: (target, at, value) => bytes.write(target, at, encoder.encode(value)),
  read: (reader) => decoder.decode(bytes.read(reader)),
};

function utf8Length(value: string): number {
  let length = 0;
  for (let i = 0; i < value.length; i++) {
    const code = value.charCodeAt(i);
    if (code < 0x80) length += 1;
    else if (code < 0x800) length += 2;
    else if (code < 0xd800 || code > 0xdfff) length += 3;
    else {
      const low = value.charCodeAt(++i);
      if (code > 0xdbff || !(low >= 0xdc00 && low <= 0xdfff)) throw new RangeError('text with a lone surrogate');
      length += 4;
    }
  }
  return length;
}

/** Both keys, with a slash between. A range over the first one alone is a range over its prefix. */
export function pair<A, B>(first: KeyCodec<A>, second: KeyCodec<B>): KeyCodec<readonly [A, B]> {
  return {
    parts: first.parts + second.parts,
    toKey: ([a, b]) => `${first.toKey(a)}/${second.toKey(b)}`,
    fromKey(key) {
      const parts = key.split('/');
      if (parts.length !== this.parts)
        throw new Error(`stored key has ${parts.length} parts, expected ${this.parts}: ${key}`);
      return [first.fromKey(parts.slice(0, first.parts).join('/')), second.fromKey(parts.slice(first.parts).join('/'))];
    },
  };
}
