import { Failure, tried } from '@switchyard/service/failure';
import { parse, TomlError } from 'smol-toml';
import { readText } from './files.ts';

export type TomlTable = { readonly [key: string]: unknown };

export function isTable(value: unknown): value is TomlTable {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Date);
}

/** A key or table that stands twice has its last value, since tutorials append to files. @throws {Failure} naming file, line and column. */
export function parseToml(text: string, path: string): TomlTable {
  try {
    return parse(
      isToml(text)
        ? text
        : linesKept(text)
            .map((line) => line ?? '')
            .join('\n'),
    );
  } catch (error) {
    if (!(error instanceof TomlError)) throw error;
    const reason = (error.message.split('\n')[0] ?? '').replace('Invalid TOML document: ', '');
    throw new Failure(`${path}:${error.line}:${error.column}: not valid TOML: ${reason}`, error);
  }
}

/** Valid TOML unchanged; other text without the parts repeated below. */
export function effectiveText(text: string): string {
  return isToml(text)
    ? text
    : linesKept(text)
        .filter((line) => line !== undefined)
        .join('\n');
}

const isToml = (text: string) => tried(TomlError, false, () => parse(text) !== undefined);

/** The lines; undefined for keys that their table has again below, and for the keys of tables that the file has again below. */
function linesKept(text: string): (string | undefined)[] {
  const last = new Map<string, number>();
  let table = '';
  const lines = text.split('\n').map((line, index) => {
    const [, header, key] = ENTRY.exec(line) ?? [];
    // Tables of an array stand several times.
    if (header !== undefined) table = line.trimStart().startsWith('[[') ? `${index}` : namesIn(header).join('.');
    const entry = key === undefined ? header && table : `${table}\n${namesIn(key).join('.')}`;
    if (entry !== undefined) last.set(entry, index);
    return { line, entry, isTable: header !== undefined };
  });
  let [inTable, inKey] = [false, false];
  return lines.map(({ line, entry, isTable }, index) => {
    const isRepeated = entry !== undefined && last.get(entry) !== index;
    if (isTable) inTable = isRepeated;
    const isComment = /^\s*(#|$)/.test(line);
    if (entry !== undefined || isComment) inKey = isRepeated;
    return isComment || !(inTable || inKey) ? line : undefined;
  });
}

/** @throws {Failure} when the file is absent, unreadable or broken. */
export function readToml(path: string): TomlTable {
  return parseToml(readText(path), path);
}

/**
 * Returns the tables with keys in lower case, as read.
 *
 * @param keep Names of tables below which keys keep their case.
 * @throws {Failure} when two keys differ only in case.
 */
export function lowerKeys(table: TomlTable, path: string, keep: readonly string[] = []): TomlTable {
  const lowered: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(table)) {
    const name = key.toLowerCase();
    if (Object.hasOwn(lowered, name)) throw new Failure(`${path}: ${name}: given twice, in different letter case`);
    lowered[name] = isTable(value) && !keep.includes(name) ? lowerKeys(value, path, keep) : value;
  }
  return lowered;
}

/** A table or a key at the beginning of a line. */
const ENTRY = /^\s*(?:\[+([^\]]+)\]|("[^"]*"|'[^']*'|[\w.-]+)\s*=)/;

/** Value at `path`, compared without regard to letter case; `undefined` when there is nothing. */
export function valueAt(root: unknown, path: readonly string[]): unknown {
  let at = root;
  for (const key of path) at = isTable(at) ? at[actualKey(at, key)] : undefined;
  return at;
}

/** The key as the file spells it. */
export function actualKey(table: TomlTable, key: string): string {
  return Object.keys(table).find((candidate) => candidate.toLowerCase() === key.toLowerCase()) ?? key;
}

/** `FILE:LINE` of a key or table in a TOML file, for messages; the file alone if it is not found. @param path Joined by dots. */
export function placeIn(file: string, path: string): string {
  const line = tomlLine(readText(file), path);
  return line === undefined ? file : `${file}:${line}`;
}

/** The line of a key or table, from 1. Only for messages: it ignores text that looks like a key within a text of several lines. */
export function tomlLine(text: string, path: string): number | undefined {
  let table: string[] = [];
  const wanted = namesIn(path);
  const index = text.split('\n').findIndex((line) => {
    const [, header, key] = ENTRY.exec(line) ?? [];
    if (header !== undefined) table = namesIn(header);
    else if (key === undefined) return false;
    const names = key === undefined ? table : [...table, ...namesIn(key)];
    return wanted.every((name, at) => names[at] === name);
  });
  return index < 0 ? undefined : index + 1;
}

const namesIn = (path: string) =>
  (path.toLowerCase().match(/"[^"]*"|'[^']*'|[^.\s"']+/g) ?? []).map((name) => name.replace(/["']/g, ''));
