import { getWords, MAX_WORD_LENGTH } from './words.ts';

/* FNV-1a over UTF-16 code units. Readers check the items themselves, since terms may share a hash. */

const SEED = 0x811c9dc5;
const step = (hash: number, unit: number): number => Math.imul(hash ^ unit, 0x01000193);

export function termHash(term: string): number {
  let hash = SEED;
  for (let at = 0; at < term.length; at += 1) hash = step(hash, term.charCodeAt(at));
  return hash >>> 0;
}

/** In ASCII, the characters of a word, in lower case; 0 for everything else. */
const WORD_UNITS = Uint8Array.from({ length: 128 }, (_, unit) =>
  /[a-z0-9]/i.test(String.fromCharCode(unit)) ? String.fromCharCode(unit).toLowerCase().charCodeAt(0) : 0,
);

/** Appends the hashes of the words of a text, which may repeat: those of `getWords`, in one pass if the text is ASCII, as most is. */
export function pushWordHashes(hashes: number[], text: string): void {
  const before = hashes.length;
  let hash = SEED;
  let length = 0;
  for (let at = 0; at < text.length; at += 1) {
    const character = text.charCodeAt(at);
    if (character >= 0x80) {
      hashes.length = before;
      for (const word of getWords(text, Infinity)) hashes.push(termHash(word));
      return;
    }
    const unit = WORD_UNITS[character] ?? 0;
    if (unit !== 0) {
      if (length < MAX_WORD_LENGTH) hash = step(hash, unit);
      length += 1;
    } else if (length > 0) {
      hashes.push(hash >>> 0);
      hash = SEED;
      length = 0;
    }
  }
  if (length > 0) hashes.push(hash >>> 0);
}
