import type { EngineOptions } from '../store-engine.ts';
import type { StoreKey } from '../store-table.ts';

/** Keys as texts that are in the order that LMDB has them in. */
export interface KeyTexts<K extends StoreKey> {
  /** @throws {Error} for a key that LMDB does not take. */
  encode(key: K): string;
  decode(text: string): K;
}

const LONGEST = 1_978;

export function keyTexts<K extends StoreKey>(kind: EngineOptions['keys']): KeyTexts<K> {
  // The caller's type of key and the kind belong together.
  return KINDS[kind] as KeyTexts<StoreKey> as KeyTexts<K>;
}

const KINDS: {
  readonly text: KeyTexts<string>;
  readonly binary: KeyTexts<Uint8Array>;
  readonly uint32: KeyTexts<number>;
} = {
  text: { encode: checked, decode: (text) => text },
  binary: {
    encode(key) {
      if (key.length === 0) throw new Error('a key has no bytes');
      return checked(latin1(key));
    },
    decode: toBytes,
  },
  uint32: {
    encode: (key) => String.fromCharCode(key >>> 16, key & 0xffff),
    decode: (text) => text.charCodeAt(0) * 0x1_0000 + text.charCodeAt(1),
  },
};

function checked(key: string): string {
  if (key.length > LONGEST) throw new Error(`a key is too long: bytes=${key.length} limit=${LONGEST}`);
  return key;
}

function latin1(bytes: Uint8Array): string {
  return Buffer.prototype.latin1Slice.call(bytes);
}

/** A loop is quicker than `Buffer.from` here, whose bytes are a part of a pool. */
function toBytes(text: string): Uint8Array {
  const bytes = new Uint8Array(text.length);
  for (let at = 0; at < bytes.length; at += 1) bytes[at] = text.charCodeAt(at);
  return bytes;
}
