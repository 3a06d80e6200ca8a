import { Input } from '@switchyard/client/http-api';
import type { Page } from '../api.ts';

/* Lists as files for spreadsheets (RFC 4180). */

/** Rows of one file: more would keep the explorer and the page busy for long. */
export const MAX_ROWS = 10_000;
const PAGE = 100;
const MAX_DEPTH = 4;

/** Reads a list page by page. @returns its first rows, and whether it has more. */
export async function firstRows(
  load: (cursor: string, limit: number) => Promise<Page<unknown>>,
  most = MAX_ROWS,
): Promise<{ readonly rows: readonly unknown[]; readonly isCut: boolean }> {
  const rows: unknown[] = [];
  for (let cursor = ''; ; ) {
    const { items, next } = await load(cursor, PAGE);
    rows.push(...items);
    if (next === null || rows.length >= most)
      return { rows: rows.slice(0, most), isCut: next !== null || rows.length > most };
    cursor = next;
  }
}

/**
 * A line of names, then one for each row. Members of members have names such as `sequencer.height`. Begins with a byte order mark,
 * without which spreadsheets do not read it as UTF-8.
 */
export function toCsv(rows: readonly unknown[]): string {
  const flat = rows.map((row) => new Map(getCells(row, '', 0)));
  const names = [...new Set(flat.flatMap((cells) => [...cells.keys()]))];
  const lines = [names, ...flat.map((cells) => names.map((name) => cells.get(name) ?? ''))];
  return `\ufeff${lines.map((line) => `${line.map(quoted).join(',')}\r\n`).join('')}`;
}

function getCells(value: unknown, name: string, depth: number): (readonly [name: string, text: string])[] {
  if (value instanceof Input) return getCells(value.value, name, depth);
  if (typeof value !== 'object' || value === null) return [[name, String(value ?? '')]];
  const isPlain = !Array.isArray(value) && depth < MAX_DEPTH;
  if (!isPlain) return [[name, Array.isArray(value) && value.every(isWord) ? value.join(' ') : toJson(value)]];
  return Object.entries(value).flatMap(([key, member]) =>
    getCells(member, name === '' ? key : `${name}.${key}`, depth + 1),
  );
}

const isWord = (value: unknown): boolean => typeof value === 'string' || typeof value === 'number';
const toJson = (value: unknown): string =>
  JSON.stringify(value, (_, each: unknown) => (typeof each === 'bigint' ? String(each) : each));

/**
 * Puts an apostrophe before text that a spreadsheet would take for a formula: at the start, and after each character that ends a
 * cell under the settings of some country.
 */
function quoted(text: string): string {
  const plain = text.replaceAll(/^(?=[=+\-@\t\r])|(?<=[;|\t\r\n])(?=[=+\-@])/g, "'");
  return /[",\r\n]/.test(plain) ? `"${plain.replaceAll('"', '""')}"` : plain;
}
