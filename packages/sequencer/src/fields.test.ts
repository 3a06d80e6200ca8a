import { toHex, Writer } from '@switchyard/protocol';
import { encodeSequencedData } from '@switchyard/protocol/testing';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { encodeEachField, encodeFields } from './fields.ts';

const contents = fc.array(
  fc.oneof(
    fc.uint8Array(),
    fc.nat(20_000).map((length) => new Uint8Array(length).fill(7)),
  ),
  {
    maxLength: 8,
  },
);

test('writes what the general writer writes', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 15 }), contents, (field, items) => {
      const writer = new Writer();
      for (const item of items) writer.bytesAlways(field, item);
      expect(toHex(encodeFields(field, items))).toBe(toHex(writer.finish()));
    }),
    { numRuns: 50 },
  );
});

test('field 1 by itself is an encoded submission, and all of them share one buffer', () => {
  fc.assert(
    fc.property(contents, (items) => {
      const each = encodeEachField(1, items);
      expect(each.map(toHex)).toEqual(items.map((item) => toHex(encodeSequencedData(item))));
      expect(new Set(each.map(({ buffer }) => buffer)).size).toBe(Math.min(1, items.length));
    }),
    { numRuns: 50 },
  );
});
