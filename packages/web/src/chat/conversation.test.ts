import { type TextEntry, textOf } from '@switchyard/messenger/client';
import { parseAddress } from '@switchyard/protocol';
import { expect, test } from 'vitest';
import {
  type Conversation,
  type ConversationEvent,
  hasOlder,
  type Message,
  openConversation,
  reduceConversation,
} from './conversation.ts';

const ALICE = 'astria1rsxyjrcm255ds9euthjx6yc3vrjt9sxrm9cfgm';
const BOB = 'astria1yf56efahcq786pe5t7paknat40g6q4tsvqtql2';

const entry = (id: number | bigint, from = ALICE, words = `text ${id}`): TextEntry => ({
  id: BigInt(id),
  transaction: new TextEncoder().encode(words.padEnd(32).slice(0, 32)),
  sender: parseAddress(from),
  name: 'alice',
  text: words,
  block: BigInt(id),
  time: { seconds: 1_767_225_600n, nanos: 0 },
});
const range = <T>(first: number, last: number, make: (id: number) => T): T[] =>
  Array.from({ length: last - first + 1 }, (_, at) => make(first + at));
const texts = (first: number, last: number): Message[] => range(first, last, (id) => textOf(entry(id)));
const newest = (entries: readonly TextEntry[], reader?: string): ConversationEvent => ({
  kind: 'newest',
  entries,
  reader,
});
const upTo = (first: number, last: number) => newest(range(first, last, (id) => entry(id)));
const reading = (isReading: boolean): ConversationEvent => ({ kind: 'reading', isReading });
const after = (kept: readonly Message[], ...events: ConversationEvent[]) =>
  events.reduce(reduceConversation, openConversation(kept));
const ids = ({ messages }: Conversation) => messages.map(({ id }) => Number(id));

test('messages that come again are shown once, as the same objects', () => {
  const before = after([], upTo(5, 7));
  const now = reduceConversation(before, upTo(5, 8));
  expect(ids(now)).toEqual([5, 6, 7, 8]);
  expect(now.messages[2]).toBe(before.messages[2]);
});

test('older messages are put before the first one, if they end there, and stay when newer ones come', () => {
  const state = after([], upTo(10, 12));
  const older = (first: number, last: number): ConversationEvent => ({ kind: 'older', messages: texts(first, last) });
  expect(hasOlder(state)).toBe(true);
  const whole = reduceConversation(state, older(8, 9));
  expect(ids(whole)).toEqual([8, 9, 10, 11, 12]);
  expect(ids(reduceConversation(whole, upTo(11, 13)))).toEqual([8, 9, 10, 11, 12, 13]);
  expect(ids(reduceConversation(state, older(3, 5)))).toEqual([10, 11, 12]);
  expect(hasOlder(after([], upTo(0, 1)))).toBe(false);
});

test('a chain that was started again takes the place of the old one, whether shorter or longer', () => {
  expect(ids(after(texts(0, 4), upTo(0, 1)))).toEqual([0, 1]);
  const longer = after(texts(0, 4), newest([entry(4, ALICE, 'other'), entry(5)]));
  expect(ids(longer)).toEqual([4, 5]);
  expect(longer.messages[0]?.message).toBe('other');
});

test('after a long absence the newest are shown, not all between', () => {
  expect(ids(after(texts(0, 4), upTo(6, 7)))).toEqual([6, 7]);
  expect(ids(after(texts(0, 4), upTo(5, 7)))).toEqual([0, 1, 2, 3, 4, 5, 6, 7]);
});

test('counts what others write while the reader is elsewhere, and marks the first of it', () => {
  const away = after([], upTo(0, 2), reading(false));
  const mine = [...range(0, 2, (id) => entry(id)), entry(3, BOB), entry(4)];
  const state = [newest(mine, BOB), newest([...mine, entry(5)], BOB)].reduce(reduceConversation, away);
  expect(state).toMatchObject({ unread: 2, firstNew: 4n });
  expect(reduceConversation(state, reading(true))).toMatchObject({ unread: 0, firstNew: 4n });
});

test('marks what came since the page was last open, which counts as read', () => {
  expect(after(texts(0, 4), upTo(4, 6))).toMatchObject({ unread: 0, firstNew: 5n });
  expect(after(texts(0, 4), upTo(4, 4)).firstNew).toBeUndefined();
  expect(after(texts(0, 4), upTo(4, 4), upTo(4, 6)).firstNew).toBeUndefined();
});

test('keeps the newest 10,000 messages, and older ones under the eyes of their reader', () => {
  const full = texts(0, 9_999);
  expect(ids(after(full, upTo(9_999, 10_000)))[0]).toBe(1);
  expect(ids(after(full, reading(false), upTo(9_999, 10_000)))[0]).toBe(0);
});

test('ids beyond 2^53 keep their digits', () => {
  const id = 2n ** 53n + 1n;
  const next = after([], newest([entry(id)]), newest([entry(id), entry(id + 1n)]));
  expect(next.messages.map((each) => each.id)).toEqual([id, id + 1n]);
});
