import type { ValueCodec, ValueOf } from './codec.ts';

function writeU32(target: Uint8Array, at: number, value: number): void {
  target[at] = value >>> 24;
  target[at + 1] = value >>> 16;
  target[at + 2] = value >>> 8;
  target[at + 3] = value;
}

function writeU64(target: Uint8Array, at: number, value: bigint): void {
  writeU32(target, at, Number(value >> 32n));
  writeU32(target, at + 4, Number(value & 0xffff_ffffn));
}

function checkedU32(value: number): number {
  if (!Number.isInteger(value) || value < 0 || value > 0xffff_ffff) throw new RangeError(`not a u32: ${value}`);
  return value;
}

function checkedUnsigned(value: bigint, bits: bigint): bigint {
  if (value < 0n || value >> bits !== 0n) throw new RangeError(`not a u${bits}: ${value}`);
  return value;
}

/** 4 bytes, big-endian. */
export const u32: ValueCodec<number> = {
  size: () => 4,
  write: (target, at, value) => writeU32(target, at, checkedU32(value)),
  read: (reader) => reader.u32(),
};

/** 8 bytes, big-endian. */
export const u64: ValueCodec<bigint> = {
  size: () => 8,
  write: (target, at, value) => writeU64(target, at, checkedUnsigned(value, 64n)),
  read: (reader) => reader.u64(),
};

/** 16 bytes, big-endian. */
export const u128: ValueCodec<bigint> = {
  size: () => 16,
  write(target, at, value) {
    writeU64(target, at, checkedUnsigned(value, 128n) >> 64n);
    writeU64(target, at + 8, value & 0xffff_ffff_ffff_ffffn);
  },
  read(reader) {
    const high = reader.u64();
    return (high << 64n) | reader.u64();
  },
};

/** One byte, 0 or 1. */
export const bool: ValueCodec<boolean> = {
  size: () => 1,
  write(target, at, value) {
    target[at] = value ? 1 : 0;
  },
  read(reader) {
    const byte = reader.u8();
    if (byte > 1) throw new Error(`stored boolean is ${byte}`);
    return byte === 1;
  },
};

/** One byte, always 1: a table of these is a set. */
export const unit: ValueCodec<true> = {
  size: () => 1,
  write(target, at) {
    target[at] = 1;
  },
  read(reader) {
    const byte = reader.u8();
    if (byte !== 1) throw new Error(`stored unit is ${byte}`);
    return true;
  },
};

/** A u32 length, then the bytes. Decoding copies nothing. */
export const bytes: ValueCodec<Uint8Array> = {
  size: (value) => 4 + value.length,
  write(target, at, value) {
    writeU32(target, at, value.length);
    target.set(value, at + 4);
  },
  read: (reader) => reader.take(reader.u32()),
};

/** All bytes that are left, without a length: a whole value, or the last field of one. Decoding copies nothing. */
export const raw: ValueCodec<Uint8Array> = {
  size: (value) => value.length,
  write: (target, at, value) => target.set(value, at),
  read: (reader) => reader.take(reader.remaining),
};

// Any codec will do here; `never` and `unknown` would reject the ones with a concrete value type.
// biome-ignore lint/suspicious/noExplicitAny: the value type of each field is recovered by ValueOf
type Fields = { readonly [name: string]: ValueCodec<any> };

type StructOf<F extends Fields> = { readonly [K in keyof F]: ValueOf<F[K]> };

/** The fields one after another, in the order written here, without names. */
export function struct<F extends Fields>(fields: F): ValueCodec<StructOf<F>> {
  const list = Object.entries(fields);
  return {
    size(value) {
      let size = 0;
      for (const [name, codec] of list) size += codec.size(value[name]);
      return size;
    },
    write(target, at, value) {
      for (const [name, codec] of list) {
        codec.write(target, at, value[name]);
        at += codec.size(value[name]);
      }
    },
    read(reader) {
      const value: Record<string, unknown> = {};
      for (const [name, codec] of list) value[name] = codec.read(reader);
      // Every field of F has just been read by its own codec.
      return value as StructOf<F>;
    },
  };
}

/** A u32 count, then the items. An item takes at least one byte. */
export function list<V>(item: ValueCodec<V>): ValueCodec<readonly V[]> {
  return {
    size: (values) => values.reduce((size, value) => size + item.size(value), 4),
    write(target, at, values) {
      writeU32(target, at, values.length);
      at += 4;
      for (const value of values) {
        item.write(target, at, value);
        at += item.size(value);
      }
    },
    read(reader) {
      const count = reader.u32();
      if (count > reader.remaining) throw new Error(`stored list of ${count} items in ${reader.remaining} bytes`);
      return Array.from({ length: count }, () => item.read(reader));
    },
  };
}

/** 0, or 1 and the value. */
export function optional<V>(inner: ValueCodec<V>): ValueCodec<V | undefined> {
  return {
    size: (value) => (value === undefined ? 1 : 1 + inner.size(value)),
    write(target, at, value) {
      target[at] = value === undefined ? 0 : 1;
      if (value !== undefined) inner.write(target, at + 1, value);
    },
    read: (reader) => (bool.read(reader) ? inner.read(reader) : undefined),
  };
}
