import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createLineCutter } from './lines.ts';

test('lines come out whole however the bytes were cut', () => {
  const line = fc.string({ unit: 'grapheme', maxLength: 20 }).filter((text) => !/[\r\n]/.test(text));
  fc.assert(
    fc.property(fc.array(line, { minLength: 1 }), fc.array(fc.nat(5)), (lines, cuts) => {
      const seen: string[] = [];
      const cutter = createLineCutter((text) => seen.push(text));
      let bytes = Buffer.from(lines.map((text) => `${text}\n`).join(''));
      for (const cut of cuts) {
        cutter.push(bytes.subarray(0, cut));
        bytes = bytes.subarray(cut);
      }
      cutter.push(bytes);
      cutter.end();
      expect(seen).toEqual(lines.map((text) => Buffer.from(text).toString()));
    }),
  );
});

test('a line without an end is handed over in pieces, and at the end', () => {
  const lengths: number[] = [];
  const cutter = createLineCutter((text) => lengths.push(text.length));
  cutter.push(Buffer.alloc(40_000, 'x'));
  expect(lengths).toEqual([16_384, 16_384]);
  cutter.end();
  expect(lengths).toEqual([16_384, 16_384, 7_232]);
});
