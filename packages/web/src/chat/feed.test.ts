import { expect, test } from 'vitest';
import { textOfEvent } from './api.ts';
import { merge } from './feed.ts';

const text = (id: number, message = `text ${id}`) =>
  textOfEvent(
    JSON.stringify({
      id,
      sender: 'alice',
      message,
      address: 'astria1',
      block: id,
      time: '2026-01-01T00:00:00Z',
      hash: null,
    }),
  );

test('texts stand in order of id, each once, whatever order they come in', () => {
  const merged = merge([text(2), text(10)], [text(9), text(2), text(11)]);
  expect(merged.map(({ id }) => id)).toEqual([2n, 9n, 10n, 11n]);
});

test('only the newest are kept', () => {
  const many = Array.from({ length: 700 }, (_, id) => text(id));
  const merged = merge(many, [text(700)]);
  expect(merged).toHaveLength(500);
  expect(merged.at(-1)?.id).toBe(700n);
});

test('ids beyond 2^53 keep their digits', () => {
  const event = JSON.stringify({ id: '18446744073709551615', sender: 'a', message: 'b' });
  expect(textOfEvent(event).id).toBe(18446744073709551615n);
});

test('an event that is no object is an error', () => {
  expect(() => textOfEvent('"nothing"')).toThrow('event: expected an object');
});
