/** Scripts that put no spaces between words: each character counts as one. */
const UNSPACED = String.raw`\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}`;
const WORD = new RegExp(String.raw`[${UNSPACED}]|(?:(?![${UNSPACED}])[\p{L}\p{N}\p{M}])+`, 'gu');
export const MAX_WORD_LENGTH = 40;

/** The words of a text as a search compares them: each once, without case, in one form of Unicode. */
export function getWords(text: string, maxWords = 256): Set<string> {
  const words = new Set<string>();
  for (const [word] of text.normalize('NFKC').toLowerCase().matchAll(WORD)) {
    if (words.size === maxWords) break;
    words.add(word.slice(0, MAX_WORD_LENGTH));
  }
  return words;
}
