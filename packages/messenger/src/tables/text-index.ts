import { ACCOUNT_LENGTH, type AccountId } from '@switchyard/protocol';
import { getWords, hexTermHash, pushWordHashes, TermIndex } from '@switchyard/rollup/node';
import { type StoredText, storedTexts } from './text-rows.ts';
import { type Text, textChunk, textCount } from './texts.ts';

/** Which messages have a word, and which are an account's. */
export function textIndex(keep: bigint | undefined): TermIndex {
  const chunk = (...at: Parameters<typeof textChunk>) => {
    const row = textChunk(...at);
    return row === undefined ? [] : storedTexts(row).map(getTermHashes);
  };
  return new TermIndex('index/text-terms/', { count: textCount, chunk }, keep);
}

/** No word begins with this. */
const SENDER = '@';

export const senderTerm = (account: AccountId): string => `${SENDER}${account}`;

/** Words of the name and of the text, and who signed. */
export function getTerms({ name, text, sender }: Text): Set<string> {
  const terms = getWords(`${name} ${text}`);
  if (sender !== undefined) terms.add(senderTerm(sender));
  return terms;
}

/** The hashes of `getTerms`, of the stored text: indexing is a part of the cost of every message. */
export function getTermHashes({ row, name, text, end, sender }: StoredText): number[] {
  const hashes: number[] = [];
  pushWordHashes(hashes, row, name, text);
  pushWordHashes(hashes, row, text, end);
  if (sender !== undefined) hashes.push(hexTermHash(SENDER, row, sender, sender + ACCOUNT_LENGTH));
  return hashes;
}
