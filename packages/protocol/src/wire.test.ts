import { BinaryReader, BinaryWriter, WireType } from '@bufbuild/protobuf/wire';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { fromHex } from './accounts/ids.ts';
import { Reader } from './bytes/reader.ts';
import { Writer } from './bytes/writer.ts';
import { Rejected } from './errors.ts';
import { anyBytes, anyText, anyU32, anyU64 } from './testing.ts';

const anyI64 = anyU64.map((value) => BigInt.asIntN(64, value));
const anyI32 = anyU32.map((value) => value | 0);

test('what is written reads back, here and in the protobuf library', () => {
  fc.assert(
    fc.property(
      anyU32,
      anyU64,
      anyI64,
      anyI32,
      fc.boolean(),
      anyBytes(),
      anyText,
      (u32, u64, i64, i32, bool, bytes, text) => {
        const encoded = new Writer(1)
          .message(1, (inner) => inner.uint32(1, u32).uint64(2, u64).int64(3, i64).int32(4, i32).bool(5, bool))
          .bytesAlways(2, bytes)
          .string(3, text)
          .sfixed64(4, i64)
          .finish();
        const library = new BinaryWriter();
        library.tag(1, WireType.LengthDelimited).fork();
        if (u32 !== 0) library.tag(1, WireType.Varint).uint32(u32);
        if (u64 !== 0n) library.tag(2, WireType.Varint).uint64(u64);
        if (i64 !== 0n) library.tag(3, WireType.Varint).int64(i64);
        if (i32 !== 0) library.tag(4, WireType.Varint).int32(i32);
        if (bool) library.tag(5, WireType.Varint).bool(bool);
        library.join().tag(2, WireType.LengthDelimited).bytes(bytes);
        if (text !== '') library.tag(3, WireType.LengthDelimited).string(text);
        if (i64 !== 0n) library.tag(4, WireType.Bit64).sfixed64(i64);
        expect(encoded).toEqual(library.finish());

        const seen: unknown[] = [];
        const reader = new Reader(encoded, 'test');
        while (reader.next()) {
          if (reader.field === 1) {
            const inner = reader.message('inner');
            while (inner.next()) {
              if (inner.field === 1) seen.push(inner.uint32());
              else if (inner.field === 2) seen.push(inner.uint64());
              else if (inner.field === 3) seen.push(inner.int64());
              else if (inner.field === 4) seen.push(inner.int32());
              else seen.push(inner.bool());
            }
          } else if (reader.field === 2) seen.push(reader.bytes());
          else if (reader.field === 3) seen.push(reader.string());
          else reader.skip();
        }
        const written = [u32, u64, i64, i32, bool].filter((value) => value !== 0 && value !== 0n && value !== false);
        expect(seen).toEqual([...written, bytes, ...(text === '' ? [] : [text])]);
      },
    ),
  );
});

test.each([
  ['a number that stops in the middle', '0880'],
  ['a number of eleven bytes', '08ffffffffffffffffffff01'],
  ['a number of ten bytes over 64 bits', '08ffffffffffffffffff02'],
  ['bytes that stop in the middle', '0a05ff'],
  ['a length over all memory', '0affffffffffffffffff01'],
  ['field number zero', '0000'],
  ['a field number over 29 bits', '8880808080800100'],
  ['wire type six', '0e'],
  ['wire type seven', '0f'],
  ['a fixed number that stops in the middle', '09ffffff'],
  ['a group without an end', '0b0801'],
  ['a group that ends as another', '0b14'],
  ['an end without a group', '0c'],
  ['groups nested without end', '0b'.repeat(200)],
])('%s is malformed', (_, hex) => {
  const skipAll = () => {
    const reader = new Reader(fromHex(hex), 'test');
    while (reader.next()) reader.skip();
  };
  expect(skipAll).toThrow(Rejected);
  expect(skipAll).toThrow('malformed: message test');
});

test('groups, as old encoders write them, are passed over', () => {
  const reader = new Reader(fromHex('0b 0801 13 14 0c 1005'.replaceAll(' ', '')), 'test');
  expect(reader.next()).toBe(true);
  reader.skip();
  expect(reader.next()).toBe(true);
  expect([reader.field, reader.uint32()]).toEqual([2, 5]);
  expect(reader.next()).toBe(false);
});

test('a field of another wire type than asked for is malformed', () => {
  const at = (hex: string) => {
    const reader = new Reader(fromHex(hex), 'test');
    reader.next();
    return reader;
  };
  expect(() => at('0a00').uint32()).toThrow('problem wire type');
  expect(() => at('0a00').uint64()).toThrow('problem wire type');
  expect(() => at('0a00').bool()).toThrow('problem wire type');
  expect(() => at('0801').bytes()).toThrow('problem wire type');
  expect(() => at('0801').string()).toThrow('problem wire type');
  expect(() => at('0801').message('inner')).toThrow('problem wire type');
});

test('a message inside cannot reach past its end', () => {
  const reader = new Reader(fromHex('0a020aff0801'), 'test');
  reader.next();
  const inner = reader.message('inner');
  inner.next();
  expect(() => inner.bytes()).toThrow('message inner, problem truncated');
});

test('text is UTF-8 and keeps its byte order mark', () => {
  const text = (bytes: Uint8Array) => {
    const reader = new Reader(Uint8Array.of(0x0a, bytes.length, ...bytes), 'test');
    reader.next();
    return reader.string();
  };
  for (const sample of ['\ufeffabc', 'grüß', '漢'.repeat(20), 'a'.repeat(100)]) {
    expect(text(new TextEncoder().encode(sample))).toBe(sample);
  }
  for (const bytes of [[0xff], [0xc3], [0xed, 0xa0, 0x80], [0x61, 0xf5]]) {
    expect(() => text(Uint8Array.from(bytes))).toThrow('text that is not UTF-8');
  }
});

test('random bytes are read as the protobuf library reads them, or refused', () => {
  fc.assert(
    fc.property(anyBytes(), (bytes) => {
      const own: unknown[] = [];
      try {
        const reader = new Reader(bytes, 'test');
        while (reader.next()) {
          own.push(reader.field, reader.type === 0 ? reader.uint64() : reader.skip());
        }
      } catch (error) {
        if (!(error instanceof Rejected)) throw error;
        return;
      }
      const theirs: unknown[] = [];
      const library = new BinaryReader(bytes);
      while (library.pos < library.len) {
        const [field, type] = library.tag();
        theirs.push(field, type === WireType.Varint ? library.uint64() : void library.skip(type, field));
      }
      expect(own).toEqual(theirs);
    }),
    { numRuns: 1000 },
  );
});
