import fc from 'fast-check';
import { expect, test } from 'vitest';
import { BadFrame, FrameReader, framePrefix } from './frames.ts';

const stream = (messages: readonly Uint8Array[]) =>
  Buffer.concat(messages.flatMap((message) => [framePrefix(message.length), message]));

test('messages come out as they went in, however the stream is cut', () => {
  const messages = fc.array(
    fc.oneof(
      fc.uint8Array(),
      fc.nat(40_000).map((length) => new Uint8Array(length).fill(7)),
    ),
  );
  fc.assert(
    fc.property(messages, fc.array(fc.integer({ min: 1, max: 5_000 })), (sent, cuts) => {
      const bytes = stream(sent);
      const reader = new FrameReader();
      const got: Uint8Array[] = [];
      let at = 0;
      for (const size of [...cuts, bytes.length]) {
        reader.push(bytes.subarray(at, at + size));
        at += size;
        for (let frame = reader.next(); frame !== undefined; frame = reader.next()) got.push(frame);
      }
      expect(got.length).toBe(sent.length);
      expect(Buffer.concat(got).equals(Buffer.concat(sent))).toBe(true);
    }),
    { numRuns: 50 },
  );
});

test.each([
  ['longer than the limit', framePrefix(1_001), 'message of 1001 bytes, expected at most 1000'],
  ['of a length without end', Uint8Array.from([255, 255, 255, 255, 255, 255]), 'more than 5 bytes'],
])('a message %s is refused before any of it is kept', (_, bytes, problem) => {
  const reader = new FrameReader(1_000);
  reader.push(bytes);
  expect(() => reader.next()).toThrow(BadFrame);
  expect(() => reader.next()).toThrow(problem);
});
