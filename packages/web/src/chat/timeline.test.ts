import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Message } from './conversation.ts';
import { blockOf, getDrawn, getRows, startsDay, startsGroup } from './timeline.ts';

const at = (time: string, rest: Partial<Message> = {}): Message => ({
  id: 0n,
  sender: 'alice',
  message: 'text',
  address: 'astria1alice',
  block: 1n,
  time,
  hash: 'ab',
  ...rest,
});
const run = (first: number, last: number, message = 'text') =>
  Array.from({ length: last - first + 1 }, (_, n) =>
    at('2026-01-01T00:00:00Z', { id: BigInt(first + n), message: `${message} ${first + n}` }),
  );
const utcDay = (time: string) => time.slice(0, 10);

test('messages of one author in a row are a group, until a pause of more than five minutes', () => {
  const first = at('2026-01-01T10:00:00Z');
  expect(startsGroup(undefined, first)).toBe(true);
  expect(startsGroup(first, at('2026-01-01T10:05:00Z'))).toBe(false);
  expect(startsGroup(first, at('2026-01-01T10:05:01Z'))).toBe(true);
});

test('another account begins a group, and so does another name of the same one', () => {
  const first = at('2026-01-01T10:00:00Z');
  expect(startsGroup(first, at('2026-01-01T10:00:01Z', { address: 'astria1mallory' }))).toBe(true);
  expect(startsGroup(first, at('2026-01-01T10:00:01Z', { sender: 'alicia' }))).toBe(true);
});

test('a day begins with its first message, and the greeting of the chain, without a time, begins none', () => {
  const evening = at('2026-01-01T23:59:59Z');
  expect(startsDay(undefined, evening, utcDay)).toBe(true);
  expect(startsDay(evening, at('2026-01-01T23:59:59Z'), utcDay)).toBe(false);
  expect(startsDay(evening, at('2026-01-02T00:00:00Z'), utcDay)).toBe(true);
  const greeting = at('1970-01-01T00:00:00Z');
  expect(startsDay(undefined, greeting, utcDay)).toBe(false);
  expect(startsDay(greeting, evening, utcDay)).toBe(true);
});

test('rows have what they show, the first one by the message before it', () => {
  const messages = [
    at('2026-01-01T23:00:01Z', { id: 49n, message: '> #48\nyes' }),
    at('2026-01-01T23:00:02Z', { id: 50n }),
    at('2026-01-02T00:00:00Z', { id: 51n, sender: 'bob' }),
  ];
  const rows = getRows(messages, at('2026-01-01T23:00:00Z', { id: 48n }), utcDay);
  expect(rows.map(({ startsDay, startsGroup, replyTo }) => [startsDay, startsGroup, replyTo])).toEqual([
    [false, false, 48n],
    [false, false, undefined],
    [true, true, undefined],
  ]);
});

// Defect: Chat: all loaded messages were in the page, 113,487 elements for 10,000 of them
test('of 10,000 messages some blocks around the reader are drawn', () => {
  const messages = run(3_010, 13_009);
  const drawn = (place: bigint | undefined) => {
    const { from, to } = getDrawn(messages, place);
    return [messages[from]?.id, messages[to - 1]?.id];
  };
  expect(drawn(undefined)).toEqual([12_900n, 13_009n]);
  expect(drawn(blockOf(13_005n))).toEqual([12_950n, 13_009n]);
  expect(drawn(blockOf(8_049n))).toEqual([7_950n, 8_149n]);
  expect(drawn(blockOf(3_012n))).toEqual([3_010n, 3_149n]);
  expect(getDrawn([], undefined)).toEqual({ from: 0, to: 0 });
});

test('the first message in view has at least a block before it and two after it', () => {
  const messages = run(0, 9_999);
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 9_999 }), (id) => {
      const { from, to } = getDrawn(messages, blockOf(BigInt(id)));
      expect(from).toBeLessThanOrEqual(Math.max(0, id - 50));
      expect(to).toBeGreaterThanOrEqual(Math.min(10_000, id + 100));
      expect(to - from).toBeLessThanOrEqual(200);
    }),
  );
});
