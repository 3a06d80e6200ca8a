import type { Text } from '@switchyard/messenger/client';
import { expect, test } from 'vitest';
import {
  type Conversation,
  type ConversationEvent,
  emptyConversation,
  hasOlder,
  isBehind,
  reduceConversation,
} from './conversation.ts';

const text = (id: number | bigint, message = `text ${id}`): Text => ({
  id: BigInt(id),
  sender: 'alice',
  message,
  address: 'astria1',
  block: BigInt(id),
  time: '2026-01-01T00:00:00Z',
  hash: `hash of ${message}`,
});
const texts = (first: number, last: number) => Array.from({ length: last - first + 1 }, (_, at) => text(first + at));
const page = (first: number, last: number, total = last + 1) => ({
  messages: texts(first, last),
  total: BigInt(total),
});
const arrived = (id: number, isMine = false): ConversationEvent => ({ kind: 'arrived', message: text(id), isMine });
const after = (...events: ConversationEvent[]) => events.reduce(reduceConversation, emptyConversation);
const ids = ({ messages }: Conversation) => messages.map(({ id }) => Number(id));

test('messages that arrive twice are shown once', () => {
  const state = after({ kind: 'newest', page: page(5, 7) }, arrived(8), arrived(8), arrived(6));
  expect(ids(state)).toEqual([5, 6, 7, 8]);
});

test('a message after a gap is not shown before those between, which are read', () => {
  const behind = after({ kind: 'newest', page: page(0, 2) }, arrived(5));
  expect([ids(behind), isBehind(behind)]).toEqual([[0, 1, 2], true]);
  const whole = reduceConversation(behind, { kind: 'newer', page: page(2, 5) });
  expect([ids(whole), isBehind(whole)]).toEqual([[0, 1, 2, 3, 4, 5], false]);
});

test('what arrives while a page is read is neither lost nor doubled', () => {
  const state = after(
    { kind: 'newest', page: page(0, 2) },
    arrived(3),
    { kind: 'newer', page: page(2, 4) },
    arrived(4),
  );
  expect(ids(state)).toEqual([0, 1, 2, 3, 4]);
});

test('older messages are put before the first one, if they end there', () => {
  const newest: ConversationEvent = { kind: 'newest', page: page(10, 12) };
  expect(hasOlder(after(newest))).toBe(true);
  expect(ids(after(newest, { kind: 'older', page: page(8, 9) }))).toEqual([8, 9, 10, 11, 12]);
  expect(ids(after(newest, { kind: 'older', page: page(3, 5) }))).toEqual([10, 11, 12]);
  expect(hasOlder(after({ kind: 'newest', page: page(0, 1) }))).toBe(false);
});

test('a chain that was started anew takes the place of the old one, whether shorter or longer', () => {
  const restored: ConversationEvent = { kind: 'restored', messages: texts(0, 4) };
  const shorter = after(restored, { kind: 'newer', page: { messages: [], total: 2n } });
  expect([ids(shorter), isBehind(shorter)]).toEqual([[], true]);
  const others = [text(4, 'other'), text(5, 'more')];
  const longer = after(restored, { kind: 'newer', page: { messages: others, total: 6n } });
  expect([ids(longer), isBehind(longer)]).toEqual([[], true]);
});

test('after a long absence the newest are read, not all between', () => {
  const state = after({ kind: 'restored', messages: texts(0, 4) }, { kind: 'newer', page: page(4, 203, 5_000) });
  expect([ids(state), isBehind(state)]).toEqual([[], true]);
});

test('counts what arrives while the reader is elsewhere, and marks the first of them', () => {
  const away = after({ kind: 'newest', page: page(0, 2) }, { kind: 'reading', isReading: false });
  const state = [arrived(3, true), arrived(4), arrived(5)].reduce(reduceConversation, away);
  expect(state).toMatchObject({ unread: 2, firstNew: 4n });
  const back = reduceConversation(state, { kind: 'reading', isReading: true });
  expect(back).toMatchObject({ unread: 0, firstNew: 4n });
  expect(reduceConversation(away, { kind: 'newer', page: page(2, 4) })).toMatchObject({ unread: 2, firstNew: 3n });
});

test('marks what came since the page was last open, which counts as read', () => {
  const restored: ConversationEvent = { kind: 'restored', messages: texts(0, 4) };
  expect(after(restored, { kind: 'newer', page: page(4, 6) })).toMatchObject({ unread: 0, firstNew: 5n });
  expect(after(restored, { kind: 'newer', page: page(4, 4) }).firstNew).toBeUndefined();
  const later = after(restored, { kind: 'newer', page: page(4, 4) }, { kind: 'newer', page: page(4, 6) });
  expect(later.firstNew).toBeUndefined();
});

test('keeps the newest 10,000 messages, and older ones under the eyes of their reader', () => {
  const full: ConversationEvent = { kind: 'newest', page: page(0, 9_999) };
  expect(ids(after(full, arrived(10_000)))[0]).toBe(1);
  expect(ids(after(full, { kind: 'reading', isReading: false }, arrived(10_000)))[0]).toBe(0);
});

test('ids beyond 2^53 keep their digits', () => {
  const id = 2n ** 53n + 1n;
  const state = after({ kind: 'newest', page: { messages: [text(id)], total: id + 1n } });
  const next = reduceConversation(state, { kind: 'arrived', message: text(id + 1n), isMine: false });
  expect(next.messages.map((each) => each.id)).toEqual([id, id + 1n]);
});
