import { words as wordsSchema } from '@switchyard/service/input';
import { withDefault } from './scalars.ts';
import { Mismatch, type Type, unfit } from './type.ts';

const MOST_WORDS = 256;
const WORD = /^[a-zA-Z][a-zA-Z0-9_-]{0,63}$/;

/**
 * One of some words. Their numbers follow their order from 0 on, so that later words stand behind the others; the first one is the
 * value of an absent field. See the example of {@link u64}.
 */
export function oneOf<const W extends string>(...words: readonly [W, ...W[]]): Type<W> {
  const numbers = new Map<unknown, number>(words.map((word, number) => [word, number]));
  const expected = `one of ${words.join(', ')}`;
  return withDefault<W>(words[0], {
    description: { type: 'oneOf', words },
    problem: findProblem(words),
    maxBytes: 2,
    write(writer, number, value) {
      const found = numbers.get(value);
      if (found === undefined) throw unfit(expected, value);
      writer.uint32Always(number, found);
    },
    read(reader) {
      const number = reader.uint32();
      const word = words[number];
      if (word === undefined) throw new Mismatch(expected, `number ${number}`);
      return word;
    },
    json: wordsSchema(...words),
  });
}

function findProblem(words: readonly string[]): string | undefined {
  const wrong = words.find((word) => !WORD.test(word));
  if (wrong !== undefined) return `expected words of letters, digits, - and _, got ${JSON.stringify(wrong)}`;
  if (new Set(words).size < words.length) return 'expected each word once';
  return words.length < 1 || words.length > MOST_WORDS
    ? `expected 1 to ${MOST_WORDS} words, got ${words.length}`
    : undefined;
}
