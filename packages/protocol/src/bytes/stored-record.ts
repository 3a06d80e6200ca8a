/** Encodings of records that only their own process reads: protobuf's wire format, from a table of members and their numbers. */
import { Reader } from './reader.ts';
import { Writer } from './writer.ts';

/** How a member is written under its number, and read again. */
export interface Stored<T> {
  write(writer: Writer, field: number, value: T): void;
  /** @param before Value of the same member so far, if it occurs several times. */
  read(reader: Reader, before: T | undefined): T;
  /** Value if the bytes have none. */
  absent(): T;
}

type Members = Readonly<Record<string, readonly [field: number, kind: Stored<unknown>]>>;

export type RecordOf<M extends Members> = {
  readonly [K in keyof M]: M[K] extends readonly [number, Stored<infer T>] ? T : never;
};

function mapped<A, B>(item: Stored<A>, from: (stored: A) => B, to: (value: B) => A): Stored<B> {
  return {
    write: (writer, field, value) => item.write(writer, field, to(value)),
    read: (reader) => from(item.read(reader, undefined)),
    absent: () => from(item.absent()),
  };
}

const u64: Stored<bigint> = {
  write: (writer, field, value) => void writer.uint64(field, value),
  read: (reader) => reader.uint64(),
  absent: () => 0n,
};

/** Kinds of members. Zero, empty text and no bytes are not written. */
export const stored = {
  u64,
  /** A number of up to 53 bits. */
  whole: mapped(u64, Number, BigInt) as Stored<number>,
  u32: {
    write: (writer, field, value) => void writer.uint32(field, value),
    read: (reader) => reader.uint32(),
    absent: () => 0,
  } as Stored<number>,
  text: {
    write: (writer, field, value) => void writer.string(field, value),
    read: (reader) => reader.string(),
    absent: () => '',
  } as Stored<string>,
  bytes: {
    write: (writer, field, value) => void writer.bytes(field, value),
    read: (reader) => reader.bytes(),
    absent: () => new Uint8Array(),
  } as Stored<Uint8Array>,
  mapped,
  optional: <T>(item: Stored<T>): Stored<T | undefined> => ({
    write: (writer, field, value) => value !== undefined && item.write(writer, field, value),
    read: (reader) => item.read(reader, undefined),
    absent: () => undefined,
  }),
  list: <T>(item: Stored<T>): Stored<readonly T[]> => ({
    write(writer, field, values) {
      for (const value of values) item.write(writer, field, value);
    },
    read(reader, before) {
      // It was made here, and is not given out before its end.
      const list = (before ?? []) as T[];
      list.push(item.read(reader, undefined));
      return list;
    },
    absent: () => [],
  }),
};

/** A record, on its own or as a member of another one. Its members are written in the order of the table. */
export function storedRecord<const M extends Members>(name: string, members: M) {
  type Value = RecordOf<M>;
  const rows = Object.entries(members).map(([key, [field, kind]]) => ({ key: key as keyof M & string, field, kind }));

  function written(writer: Writer, record: Value): Writer {
    for (const { key, field, kind } of rows) kind.write(writer, field, record[key]);
    return writer;
  }

  function read(reader: Reader): Value {
    const found = new Map<string, unknown>();
    while (reader.next()) {
      const row = rows.find(({ field }) => field === reader.field);
      if (row === undefined) reader.skip();
      else found.set(row.key, row.kind.read(reader, found.get(row.key)));
    }
    // Made name by name from the table that the type is computed from.
    return Object.fromEntries(
      rows.map(({ key, kind }) => [key, found.has(key) ? found.get(key) : kind.absent()]),
    ) as Value;
  }

  const kind: Stored<Value> = {
    write: (writer, field, record) => void writer.message(field, (inner) => written(inner, record)),
    read: (reader) => read(reader.message(name)),
    absent: () => read(new Reader(new Uint8Array(), name)),
  };
  return {
    ...kind,
    encode: (record: Value): Uint8Array => written(new Writer(), record).finish(),
    /** @throws {Rejected} `malformed` */
    decode: (bytes: Uint8Array): Value => read(new Reader(bytes, name)),
  };
}
