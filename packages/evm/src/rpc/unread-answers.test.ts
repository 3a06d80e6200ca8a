import { EventEmitter } from 'node:events';
import { expect, test } from 'vitest';
import { UnreadAnswers } from './unread-answers.ts';

function world(limit: number) {
  const cut: EventEmitter[] = [];
  const unread = new UnreadAnswers<EventEmitter>((connection) => cut.push(connection), limit);
  const connection = () => new EventEmitter();
  return { cut, unread, connection };
}

test('what has been read is owed no longer', () => {
  const { cut, unread, connection } = world(100);
  const client = connection();
  for (let answers = 0; answers < 10; answers += 1) unread.add(client, 60)();
  expect(cut).toEqual([]);
});

test('over the limit, the one that owes most is cut off, whoever asked last', () => {
  const { cut, unread, connection } = world(100);
  const [greedy, other] = [connection(), connection()];
  const isRead = unread.add(greedy, 90);
  unread.add(other, 20);
  expect(cut).toEqual([greedy]);
  isRead();
  unread.add(other, 80);
  expect(cut).toHaveLength(1);
  unread.add(other, 1);
  expect(cut).toEqual([greedy, other]);
});

test('a connection that closes owes nothing', () => {
  const { cut, unread, connection } = world(100);
  const [gone, other] = [connection(), connection()];
  unread.add(gone, 90);
  gone.emit('close');
  unread.add(other, 90);
  expect(cut).toEqual([]);
});
