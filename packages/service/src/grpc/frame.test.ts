import { Code, ConnectError } from '@connectrpc/connect';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { encodeFrame, FrameCollector } from './frame.ts';

const MAX = 300;

function collect(pieces: readonly Uint8Array[]): Uint8Array | undefined {
  const collector = new FrameCollector(MAX);
  for (const piece of pieces) collector.push(piece);
  return collector.finish();
}

function findCode(work: () => unknown): Code | undefined {
  try {
    work();
    return undefined;
  } catch (error) {
    return error instanceof ConnectError ? error.code : undefined;
  }
}

test('prefixes a message with its length', () => {
  expect([...encodeFrame(new Uint8Array(258).fill(7), MAX).subarray(0, 6)]).toEqual([0, 0, 0, 1, 2, 7]);
});

test('finds the message again, however it is cut', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: MAX }), fc.array(fc.nat({ max: 40 })), (message, cuts) => {
      const frame = encodeFrame(message, MAX);
      const pieces: Uint8Array[] = [];
      let at = 0;
      for (const cut of cuts) {
        pieces.push(frame.subarray(at, at + cut));
        at += cut;
      }
      pieces.push(frame.subarray(at));
      expect(collect(pieces)).toEqual(message);
    }),
  );
});

test('keeps nothing of the pieces alive', () => {
  const slab = new Uint8Array(65_536);
  slab.set(encodeFrame(Uint8Array.of(1, 2), MAX));
  expect(collect([slab.subarray(0, 7)])?.buffer.byteLength).toBe(7);
});

test.each([
  ['less than a prefix', [0, 0, 0], Code.InvalidArgument],
  ['less than it states', [0, 0, 0, 0, 2, 1], Code.InvalidArgument],
  ['more than it states', [0, 0, 0, 0, 0, 1], Code.InvalidArgument],
  ['a compressed message', [1, 0, 0, 0, 1, 1], Code.InvalidArgument],
  ['a message whose stated length is too long', [0, 1, 0, 0, 0, 1], Code.ResourceExhausted],
])('refuses %s', (_, bytes, code) => {
  expect(findCode(() => collect([Uint8Array.from(bytes)]))).toBe(code);
});

test('refuses a message that is too long before it is complete, and before it is sent', () => {
  const collector = new FrameCollector(MAX);
  expect(findCode(() => collector.push(new Uint8Array(MAX + 6)))).toBe(Code.ResourceExhausted);
  expect(findCode(() => encodeFrame(new Uint8Array(MAX + 1), MAX))).toBe(Code.ResourceExhausted);
});

test('no message is not an empty one', () => {
  expect(collect([])).toBeUndefined();
  expect(collect([encodeFrame(new Uint8Array(0), MAX)])).toEqual(new Uint8Array(0));
});
