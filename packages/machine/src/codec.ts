import { toFault } from './fault.ts';

/*
 * How keys and values look on disk and under the root. All of it is consensus: a change is an upgrade.
 * A codec may be both, so that an id is used in keys and in values under one name.
 */

export interface KeyCodec<K> {
  /** Number of parts between slashes. */
  readonly parts: number;
  /** ASCII. Codecs whose keys sort in the order of their values document it. */
  toKey(value: K): string;
  fromKey(key: string): K;
}

export interface ValueCodec<V> {
  /** Exact number of bytes that `write` fills. */
  size(value: V): number;
  write(target: Uint8Array, at: number, value: V): void;
  read(reader: ValueReader): V;
}

export type ValueOf<C> = C extends ValueCodec<infer V> ? V : never;

export function encodeValue<V>(codec: ValueCodec<V>, value: V): Uint8Array {
  const bytes = new Uint8Array(codec.size(value));
  codec.write(bytes, 0, value);
  return bytes;
}

/** @throws {NodeFault} on missing or left-over bytes and on bytes that no encoder writes: a store that holds such is damaged. */
export function decodeValue<V>(codec: ValueCodec<V>, bytes: Uint8Array): V {
  try {
    const reader = new ValueReader(bytes);
    const value = codec.read(reader);
    if (reader.remaining !== 0) throw new Error(`stored value has ${reader.remaining} bytes too many`);
    return value;
  } catch (cause) {
    throw toFault(cause);
  }
}

/** Reads a stored value front to back. */
export class ValueReader {
  readonly #bytes: Uint8Array;
  #at = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  get remaining(): number {
    return this.#bytes.length - this.#at;
  }

  /** A view, valid as long as the value it came from. */
  take(length: number): Uint8Array {
    if (length > this.remaining)
      throw new Error(`stored value ends early: ${length} bytes expected, ${this.remaining} left`);
    const from = this.#at;
    this.#at += length;
    return this.#bytes.subarray(from, this.#at);
  }

  u8(): number {
    if (this.remaining < 1) throw new Error('stored value ends early: 1 byte expected, 0 left');
    // The line above has checked that the byte is there.
    return this.#bytes[this.#at++] as number;
  }

  u32(): number {
    return ((this.u8() << 24) | (this.u8() << 16) | (this.u8() << 8) | this.u8()) >>> 0;
  }

  u64(): bigint {
    const high = this.u32();
    return (BigInt(high) << 32n) | BigInt(this.u32());
  }
}
