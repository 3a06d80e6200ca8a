import type { Snapshot } from '@switchyard/machine';
import { toJson } from '@switchyard/service';
import type { Input } from '@switchyard/service/input';
import type { NameOf } from '../../schema/type.ts';
import { getNames } from '../asset-names.ts';
import type { SoftView } from '../commits.ts';
import type { ChangesSince } from './changes.ts';
import type { Entries } from './entries-part.ts';
import type { Part, Place } from './part.ts';

/** A row in the store. */
export interface StoredRow {
  readonly storeKey: string;
  readonly stored: Uint8Array;
  /** Its place in the order of a selection, in ASCII. */
  readonly position: string;
}

/** Rows of a table, in the order of its keys or of an index. */
export interface Selection {
  /** Beginning of the keys by which it has its rows: their own, or those of an index. Equal for equal selections. */
  readonly start: string;
  /** Beginning of the keys of its rows in the store; other rows may have it too. */
  readonly within: string;
  /** The position of a row, if it is one of these. */
  find(storeKey: string, stored: Uint8Array): string | undefined;
  /** The row that it has by a key, or had, and its position. */
  rowOf(entry: string): Pick<StoredRow, 'storeKey' | 'position'> | undefined;
  /** Rows behind a position. */
  page(snapshot: Snapshot, after: string, limit: number): readonly StoredRow[];
  keyJson(storeKey: string, getName: NameOf): readonly unknown[];
  valueJson(stored: Uint8Array, getName: NameOf): unknown;
}

/** Tables that streams follow, by their names. @throws {HttpError} @throws {InvalidData} if there is no such thing. */
export interface Select {
  /** Rows of a table, of an index of it and their first parts. */
  rows(table: string, index: string | undefined, prefix: Input | undefined): Selection;
  /** Entries of a log. */
  entries(table: string): Entries;
}

/** Rows that are read in one go, of a page and as changes. */
const PAGE_ROWS = 500;
const MOST_CHANGED = 5_000;
const PAGE_BYTES = 262_144;
const MOST_BYTES = 524_288;
/** Rows of any size that are read before their bytes are counted. */
const ROWS_AT_ONCE = 4;

/** The rows of a selection, and then the changes of each block. @param limit A table with more rows is cut, and ends. */
export function rowsPart(selection: Selection, limit: number): Part {
  const begin = ({ soft: block }: SoftView): Place => ({ block, isOpen: true, after: '', count: 0 });
  const part: Part = {
    name: `${selection.start} ${limit}`,
    begin,
    read(view, place, changesBehind) {
      const found = changesBehind(place.block);
      const changed = found && findChanged(view.snapshot, selection, place, found);
      if (found === undefined || changed === undefined) {
        const again =
          found === undefined
            ? `the changes after block ${place.block} are not kept by this node`
            : `more changed after block ${place.block} than is sent as changes`;
        return part.read(view, { ...begin(view), again }, changesBehind);
      }
      const { rows, removed } = changed;
      const [isNewest, { after, again }] = [found.to === view.soft, place];
      const page =
        isNewest && after !== undefined ? getPage(view.snapshot, selection, after, limit - place.count) : undefined;
      if (page !== undefined) rows.push(...page.rows);
      const next: Place = {
        block: found.to,
        isOpen: !isNewest || (page !== undefined && page.after !== undefined),
        after: page === undefined ? after : page.after,
        count: place.count + (page?.rows.length ?? 0),
      };
      if (!place.isOpen && !next.isOpen && rows.length + removed.size === 0) return { next };
      const isCut = page?.isCut === true;
      const getName = getNames(view.snapshot);
      const members = {
        ...(again !== undefined && { again }),
        rows: rows.map(({ storeKey, stored }) => ({
          key: selection.keyJson(storeKey, getName),
          value: selection.valueJson(stored, getName),
        })),
        removed: Array.from(removed, (storeKey) => selection.keyJson(storeKey, getName)),
        isWhole: !next.isOpen,
        ...(isCut && { isCut }),
      };
      return { members: toJson(members).slice(1, -1), next: isCut ? undefined : next };
    },
  };
  return part;
}

/** Changes of rows that the client has or had. @returns undefined if they are too many. */
function findChanged(
  snapshot: Snapshot,
  { start, within, find, rowOf }: Selection,
  { after }: Place,
  { blocks }: ChangesSince,
) {
  const changedWithin = (beginning: string) => new Set(blocks.flatMap(({ keys }) => keysWithin(keys, beginning)));
  const changed = changedWithin(within);
  if (changed.size > MOST_CHANGED) return undefined;
  // Rows behind the pages so far come with a later one.
  const isSent = (position: string): boolean => after === undefined || position <= after;
  const rows: StoredRow[] = [];
  const kept = new Set<string>();
  let bytes = 0;
  for (const storeKey of changed) {
    const stored = snapshot.get(storeKey);
    bytes += storeKey.length + (stored?.length ?? 0);
    if (bytes > MOST_BYTES) return undefined;
    const position = stored && find(storeKey, stored);
    if (stored === undefined || position === undefined) continue;
    kept.add(storeKey);
    if (isSent(position)) rows.push({ storeKey, stored, position });
  }
  const removed = new Set<string>();
  for (const entry of start === within ? changed : changedWithin(start)) {
    const row = rowOf(entry);
    if (row !== undefined && !kept.has(row.storeKey) && isSent(row.position)) removed.add(row.storeKey);
  }
  return { rows, removed };
}

/** @param keys In their order. */
function keysWithin(keys: readonly string[], prefix: string): readonly string[] {
  let [low, high] = [0, keys.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((keys[middle] ?? '') < prefix) low = middle + 1;
    else high = middle;
  }
  let end = low;
  while (keys[end]?.startsWith(prefix) === true) end += 1;
  return keys.slice(low, end);
}

/** @param left Rows up to the limit. @returns with the position of the last row, if more follow. */
function getPage(snapshot: Snapshot, { page }: Selection, start: string, left: number) {
  const rows: StoredRow[] = [];
  let [after, bytes] = [start, 0];
  while (rows.length < PAGE_ROWS && bytes < PAGE_BYTES) {
    const most = Math.min(ROWS_AT_ONCE, left + 1 - rows.length);
    const found = page(snapshot, after, most);
    rows.push(...found);
    if (rows.length > left) return { rows: rows.slice(0, left), after: undefined, isCut: true };
    if (found.length < most) return { rows, after: undefined, isCut: false };
    after = rows.at(-1)?.position ?? after;
    bytes += found.reduce((sum, { stored }) => sum + stored.length, 0);
  }
  return { rows, after, isCut: false };
}
