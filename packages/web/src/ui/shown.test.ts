import { expect, test } from 'vitest';
import { shown } from './shown.ts';

test.each([
  ['plain text, ünïcödé, 日本語, 😀', 'plain text, ünïcödé, 日本語, 😀'],
  ['a\u202eb', 'a\\u{202e}b'],
  ['zero\u200bwidth', 'zero\\u{200b}width'],
  ['two\nlines\u2028', 'two\\u{a}lines\\u{2028}'],
  ['filler\u3164', 'filler\\u{3164}'],
  ['<b>', '<b>'],
])('%j is shown as %j', (text, expected) => {
  expect(shown(text)).toBe(expected);
});
