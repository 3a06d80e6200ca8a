import { expect, test } from 'vitest';
import type { Message } from './conversation.ts';
import { getSheets, startsDay, startsGroup } from './timeline.ts';

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

test('rows have what they show, over the edges of sheets too', () => {
  const messages = [
    at('2026-01-01T23:00:00Z', { id: 48n }),
    at('2026-01-01T23:00:01Z', { id: 49n, message: '> #48\nyes' }),
    at('2026-01-01T23:00:02Z', { id: 50n }),
    at('2026-01-02T00:00:00Z', { id: 51n, sender: 'bob' }),
  ];
  const rows = getSheets(messages, utcDay).flatMap((sheet) => sheet.rows);
  expect(rows.map(({ startsDay, startsGroup, replyTo }) => [startsDay, startsGroup, replyTo])).toEqual([
    [true, true, undefined],
    [false, false, 48n],
    [false, false, undefined],
    [true, true, undefined],
  ]);
});

test('sheets hold all messages in order, cut by their ids', () => {
  const sheets = getSheets(run(30, 120), utcDay);
  expect(sheets.map(({ key, rows }) => [key, rows.length])).toEqual([
    ['0', 20],
    ['1', 50],
    ['2', 21],
  ]);
  expect(sheets.flatMap(({ rows }) => rows.map(({ message }) => Number(message.id)))).toEqual(
    run(30, 120).map(({ id }) => Number(id)),
  );
  expect(sheets.map(({ previous }) => previous?.id)).toEqual([undefined, 49n, 99n]);
});

test('a new message makes one sheet anew, and older ones leave those after them as they are', () => {
  const messages = run(50, 199);
  const before = getSheets(messages, utcDay);
  const [fourth] = run(200, 200);
  const longer = getSheets([...messages, ...(fourth === undefined ? [] : [fourth])], utcDay, before);
  expect(longer.map((sheet, n) => sheet === before[n])).toEqual([true, true, true, false]);
  const older = getSheets([...run(0, 49), ...messages], utcDay, before);
  // The first of the known ones has a message before it now.
  expect(older.map((sheet, n) => sheet === before[n - 1])).toEqual([false, false, true, true]);
});

test('a message that changed under the same id is shown', () => {
  const before = getSheets(run(0, 9), utcDay);
  const [sheet] = getSheets(run(0, 9, '> #3\nother @x.'), utcDay, before);
  expect(sheet).toMatchObject({ hasReplies: true, mentions: expect.arrayContaining(['x.', 'x']) });
  expect(sheet).not.toBe(before[0]);
});
