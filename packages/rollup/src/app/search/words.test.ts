import { expect, test } from 'vitest';
import { getWords } from './words.ts';

test.each([
  ['Hello, hello WORLD!', ['hello', 'world']],
  ['naïve NAI\u0308VE', ['naïve']],
  ['ﬁne Ｆｕｌｌ', ['fine', 'full']],
  ["don't 3.5", ['don', 't', '3', '5']],
  ['你好world', ['你', '好', 'world']],
  ['привет\u200bмир', ['привет', 'мир']],
  ['', []],
  ['!?', []],
])('the words of %j are %j', (text, words) => {
  expect([...getWords(text)]).toEqual(words);
});

test('words and their number are bounded', () => {
  expect([...getWords('x'.repeat(5_000))].map((word) => word.length)).toEqual([40]);
  expect(getWords(Array.from({ length: 1_000 }, (_, index) => `w${index}`).join(' ')).size).toBe(256);
});
