import fc from 'fast-check';
import { expect, test } from 'vitest';
import { toHex } from '../accounts/ids.ts';
import { anyTimestamp } from '../testing.ts';
import { Reader } from './reader.ts';
import {
  compareTimestamps,
  readTimestamp,
  timestampFromMillis,
  timestampToMillis,
  writeTimestamp,
} from './timestamp.ts';
import { Writer } from './writer.ts';

// messenger.md 11.
test.each([
  [{ seconds: 1_700_000_000n, nanos: 500_000_000 }, '0880e2cfaa061080cab5ee01'],
  [{ seconds: 1_700_000_000n, nanos: 0 }, '0880e2cfaa06'],
  [{ seconds: 0n, nanos: 0 }, ''],
])('%o has its published encoding', (timestamp, hex) => {
  const writer = new Writer();
  writeTimestamp(writer, timestamp);
  expect(toHex(writer.finish())).toBe(hex);
});

test('a timestamp comes back, before 1970 too', () => {
  fc.assert(
    fc.property(anyTimestamp, (timestamp) => {
      const writer = new Writer();
      writeTimestamp(writer, timestamp);
      expect(readTimestamp(new Reader(writer.finish(), 'Timestamp'))).toEqual(timestamp);
    }),
  );
});

test('milliseconds come back, before 1970 too', () => {
  fc.assert(
    fc.property(fc.integer(), (millis) => {
      expect(timestampToMillis(timestampFromMillis(millis))).toBe(millis);
    }),
  );
});

test('timestamps order as time does', () => {
  fc.assert(
    fc.property(fc.integer(), fc.integer(), (left, right) => {
      const order = compareTimestamps(timestampFromMillis(left), timestampFromMillis(right));
      expect(Math.sign(order)).toBe(Math.sign(left - right));
    }),
  );
});
