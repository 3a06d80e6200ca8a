import { expect, test } from 'vitest';
import { UnreadAnswers } from './unread-answers.ts';

const KB = 1_024;

/** Readers that are handed answers, and the order in which they are cut off. */
function world(limit: number) {
  const cut: unknown[] = [];
  const unread = new UnreadAnswers(limit, () => undefined);
  const reader = () => {
    const each = { unreadBytes: 0, cutOff: () => void cut.push(each) };
    unread.add(each);
    return each;
  };
  const hand = (to: ReturnType<typeof reader>, bytes: number) => {
    to.unreadBytes += bytes;
    unread.bound(to);
  };
  return { cut, unread, reader, hand };
}

test('what has been read counts no longer', () => {
  const { cut, reader, hand } = world(1_000 * KB);
  const client = reader();
  for (let answers = 0; answers < 10; answers += 1) {
    hand(client, 600 * KB);
    client.unreadBytes = 0;
  }
  expect(cut).toEqual([]);
});

test('over the limit, the one that has most to read is cut off, whoever asked last', () => {
  const { cut, reader, hand } = world(1_000 * KB);
  const [greedy, other] = [reader(), reader()];
  hand(greedy, 900 * KB);
  hand(other, 200 * KB);
  expect(cut).toEqual([greedy]);
  hand(other, 800 * KB);
  expect(cut).toHaveLength(1);
  hand(other, 1);
  expect(cut).toEqual([greedy, other]);
});

test('many answers that are short count together', () => {
  const { cut, reader, hand } = world(1_000 * KB);
  const [greedy, other] = [reader(), reader()];
  for (let answers = 0; answers < 900; answers += 1) hand(greedy, KB);
  for (let answers = 0; answers < 101; answers += 1) hand(other, KB);
  expect(cut).toEqual([greedy]);
});

test('a reader that has gone holds nothing', () => {
  const { cut, unread, reader, hand } = world(1_000 * KB);
  const [gone, other] = [reader(), reader()];
  hand(gone, 900 * KB);
  unread.remove(gone);
  hand(other, 900 * KB);
  expect(cut).toEqual([]);
});

// Defect: More answers made for an address that had left much unread
test('an address that has left much unread loses what it reads least before more is made for it', () => {
  const cut: string[] = [];
  const unread = new UnreadAnswers(1_000 * KB, () => undefined);
  const ask = (peer: string, name: string, bytes: number) => {
    const reader = { peer, unreadBytes: 0, cutOff: () => void cut.push(name) };
    unread.add(reader);
    reader.unreadBytes = bytes;
    unread.bound(reader);
  };
  ask('greedy', 'first', 150 * KB);
  ask('other', 'honest', 200 * KB);
  ask('greedy', 'second', 160 * KB);
  expect(cut).toEqual([]);
  ask('greedy', 'third', 0);
  expect(cut).toEqual(['second']);
  ask('other', 'again', 0);
  expect(cut).toEqual(['second']);
});
