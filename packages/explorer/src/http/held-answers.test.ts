import { expect, test } from 'vitest';
import { HeldAnswers } from './held-answers.ts';

function counting() {
  const made: string[] = [];
  const answers = new HeldAnswers<string>(2);
  const get = (question: string, state: string) =>
    answers.get(question, state, async () => {
      made.push(`${question} ${state}`);
      if (state === 'broken') throw new Error('broken');
      return `${question} ${state}`;
    });
  return { made, get };
}

test('an answer is made once for all who ask, until what it was made of changes', async () => {
  const { made, get } = counting();
  expect(await Promise.all([get('a', '1'), get('a', '1'), get('b', '1')])).toEqual(['a 1', 'a 1', 'b 1']);
  expect(await get('a', '2')).toBe('a 2');
  expect(await get('a', '2')).toBe('a 2');
  expect(made).toEqual(['a 1', 'b 1', 'a 2']);
});

test('so many are held; those that were asked first go', async () => {
  const { made, get } = counting();
  for (const question of ['a', 'b', 'c', 'c', 'b', 'a']) await get(question, '1');
  expect(made).toEqual(['a 1', 'b 1', 'c 1', 'a 1']);
});

test('what has failed is made again', async () => {
  const { made, get } = counting();
  await expect(get('a', 'broken')).rejects.toThrow('broken');
  await expect(get('a', 'broken')).rejects.toThrow('broken');
  expect(made).toHaveLength(2);
});
