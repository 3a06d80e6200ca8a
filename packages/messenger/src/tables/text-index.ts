import type { AccountId } from '@switchyard/protocol';
import { TermIndex, wordsOf } from '@switchyard/rollup';
import { type Text, textChunk, textCount } from './texts.ts';

/** Which messages have a word, and which are an account's. */
export function textIndex(keep: bigint | undefined): TermIndex {
  const chunk = (...at: Parameters<typeof textChunk>) => textChunk(...at).map(termsOf);
  return new TermIndex('index/text-terms/', { count: textCount, chunk }, keep);
}

/** No word begins with this. */
export const senderTerm = (account: AccountId): string => `@${account}`;

/** Words of the name and of the text, and who signed. */
export function termsOf({ name, text, sender }: Text): Set<string> {
  const terms = wordsOf(`${name} ${text}`);
  if (sender !== undefined) terms.add(senderTerm(sender));
  return terms;
}
