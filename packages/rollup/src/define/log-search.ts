import { toHex } from '@switchyard/protocol';
import { HttpError } from '@switchyard/service';
import type { PageQuery } from '../app/http/page.ts';
import type { RollupNode } from '../app/node.ts';
import { type Found, findItems, IndexBehind } from '../app/search/find-items.ts';
import { pushWordHashes, termHash } from '../app/search/term-hash.ts';
import { TermIndex } from '../app/search/term-index.ts';
import { getWords } from '../app/search/words.ts';
import type { Log, LogEntry } from './log.ts';
import type { AnyTable } from './table.ts';

/* Entries of logs by words and terms: the index of a log is in segments that are written with its blocks. */

// biome-ignore lint/suspicious/noExplicitAny: an index needs no more than the places of fields
export type AnyLog = Log<any>;

export const isLog = (table: object): table is AnyLog => 'append' in table;

/** @param keep Newest entries of each log that stay indexed; all, if undefined. */
export function termIndexes(tables: readonly AnyTable[], keep: bigint | undefined): ReadonlyMap<symbol, TermIndex> {
  const logs = tables.filter(isLog).filter(({ search, by }) => search.length + Object.keys(by).length > 0);
  return new Map(logs.map((log) => [log.id, termIndex(log, keep)]));
}

function termIndex({ prefix, search, by, count, termsAt }: AnyLog, keep: bigint | undefined): TermIndex {
  const fields = [...new Set(Object.values(by).flat())];
  const hashesOf = (entry: Readonly<Record<string, unknown>>): number[] => {
    const hashes = fields.map((field) => termHash(toTerm(entry[field])));
    for (const field of search) pushWordHashes(hashes, String(entry[field]));
    return hashes;
  };
  return new TermIndex(
    `${prefix}terms/`,
    { count, chunk: (state, first) => termsAt(state, first).map(hashesOf) },
    keep,
  );
}

/** No word begins so. */
const toTerm = (value: unknown): string => `@${value instanceof Uint8Array ? toHex(value) : String(value)}`;

/** All of these have to be there, and there is at least one. */
export interface Wanted extends PageQuery {
  readonly words?: readonly string[];
  /** Values of terms, by the names of these. */
  readonly by?: Readonly<Record<string, unknown>>;
}

/** Entries of a log newest first, or with `after` the first ones behind it. @throws {HttpError} 503 while the index is being made. */
export async function findEntries<V>(
  node: Pick<RollupNode, 'view' | 'indexes'>,
  log: Log<V>,
  { words = [], by = {}, ...page }: Wanted,
): Promise<Found<LogEntry<V>>> {
  const index = node.indexes.get(log.id);
  if (index === undefined) throw new Error(`table ${log.name} has no search and no terms`);
  const terms = Object.entries(by).map(([name, value]) => ({ fields: log.by[name] ?? [], term: toTerm(value) }));
  const fits = (entry: Readonly<Record<string, unknown>>): boolean => {
    const has = getWords(log.search.map((field) => entry[field]).join(' '));
    return (
      words.every((word) => has.has(word)) &&
      terms.every(({ fields, term }) => fields.some((field) => toTerm(entry[field]) === term))
    );
  };
  try {
    return await findItems(index, {
      ...page,
      terms: [...terms.map(({ term }) => term), ...words],
      snapshot: () => node.view.snapshot,
      read(snapshot, id) {
        const entry = log.get(snapshot, id);
        return entry !== undefined && fits(entry) ? entry : undefined;
      },
    });
  } catch (error) {
    if (error instanceof IndexBehind) throw new HttpError(503, 'index-behind', `${error.message}; try again later`);
    throw error;
  }
}
