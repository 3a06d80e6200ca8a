import { InvalidData } from '@switchyard/service/input';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { daLightHeadText, readDaLightHead } from './da-light-head.ts';

test('reads what the node prints, and shows how old it is', () => {
  const head = readDaLightHead('{"height":"123","time":"2026-11-23T15:03:13.456789012Z"}\n');
  expect(head).toEqual({ height: 123n, timeMs: Date.UTC(2026, 10, 23, 15, 3, 13, 456) });
  expect(daLightHeadText(head, Date.UTC(2026, 10, 23, 15, 3, 18))).toBe('head 123, 5 s old');
  // The clock of this machine may be behind.
  expect(daLightHeadText(head, Date.UTC(2026, 10, 23, 15, 3, 10))).toBe('head 123, 0 s old');
});

test.each([
  ['nothing', '', /^the head of the light node: expected JSON/],
  ['no height', '{"time":"2026-11-23T15:03:13Z"}', /height: expected/],
  ['height 0', '{"height":"0","time":"2026-11-23T15:03:13Z"}', /height: expected/],
  ['no time', '{"height":"1","time":"soon"}', /time: expected a time, got "soon"/],
])('refuses %s', (_, printed, message) => {
  expect(() => readDaLightHead(printed)).toThrow(message);
});

test('no text makes it fail in another way', () => {
  fc.assert(
    fc.property(fc.oneof(fc.string(), fc.json()), (printed) => {
      try {
        readDaLightHead(printed);
      } catch (error) {
        expect(error).toBeInstanceOf(InvalidData);
      }
    }),
  );
});
