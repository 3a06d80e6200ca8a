import { sha256Hex } from '@switchyard/protocol';
import { getWords } from '../app/search/words.ts';
import { u64 } from '../schema/scalars.ts';
import type { Fields, RecordType } from '../schema/shapes.ts';
import type { Type } from '../schema/type.ts';
import type { KeyTypes } from './keys.ts';

/* Search of the rows of a table: an index with an entry for each word of their texts. */

/** An index with any number of entries of a row. */
export interface Entries<V> {
  readonly key: KeyTypes;
  /** From these and the row alone its entries follow. */
  readonly facts: readonly unknown[];
  of(row: V): readonly (readonly unknown[])[];
}

/** Name of the index. */
export const SEARCH = 'search';
/** Different words of a row that are indexed: the first ones. */
const MOST_WORDS = 64;
const utf8 = new TextEncoder();

/** Keys of words, those of long ones first, since fewer rows have them. Digests are short in every language. */
export function wordKeys(words: Iterable<string>): readonly (readonly [bigint])[] {
  const longFirst = [...words].sort((one, other) => other.length - one.length);
  return longFirst.map((word) => [BigInt(`0x${sha256Hex(utf8.encode(word)).slice(0, 16)}`)] as const);
}

/** @throws {Error} for a field that is no text. */
export function mustBeTexts<V>(value: Type<V>, fields: readonly string[]): void {
  const known: RecordType<Fields>['fields'] = 'fields' in value ? (value as unknown as RecordType<Fields>).fields : [];
  const texts = known.filter(({ type: { description } }) => description.type === 'text').map(({ name }) => name);
  const wrong = fields.find((field) => !texts.includes(field));
  if (wrong !== undefined) throw new Error(`search: expected fields of type text, got "${wrong}"`);
}

/** @throws {Error} for a field that is no text. */
export function toSearch<V>(value: Type<V>, fields: readonly string[]): Entries<V> {
  mustBeTexts(value, fields);
  return {
    key: [u64],
    facts: [...fields, MOST_WORDS],
    // The fields are texts.
    of: (row) => wordKeys(getWords(fields.map((field) => row[field as keyof V]).join(' '), MOST_WORDS)),
  };
}
