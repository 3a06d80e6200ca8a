import { isDeepStrictEqual } from 'node:util';
import { parse } from 'smol-toml';
import { Failure } from '../../failure.ts';
import { actualKey, isTable, parseToml, type TomlTable, valueAt } from './toml.ts';

/**
 * Sets one string value in a TOML text and touches nothing else: comments, order and spacing stay.
 *
 * Works line by line on `[tables]` and `key = value`. The result is parsed and compared with the original, so a
 * file written in a way that this does not understand is refused and never damaged.
 *
 * @param path Keys from the root, compared without regard to letter case.
 * @returns The new text; the same text when the value is already there.
 * @throws {Failure} when the file is broken or has to be edited by hand.
 */
export function setTomlString(text: string, file: string, path: readonly string[], value: string): string {
  const before = parseToml(text, file);
  if (valueAt(before, path) === value) return text;
  const lines = text.split('\n');
  const place = find(lines, path);
  const entry = `${path.at(-1)} = ${JSON.stringify(value)}`;
  if (place.kind === 'value') lines[place.line] = replaceValue(lines[place.line] ?? '', value);
  else if (place.kind === 'insert') lines.splice(place.line, 0, entry);
  else lines.splice(lastLine(lines), 0, '', `[${path.slice(0, -1).map(keyText).join('.')}]`, entry);
  const edited = lines.join('\n');
  if (!onlyDiffers(before, tryParse(edited), path, value)) {
    throw new Failure(
      `${file}: ${path.join('.')} is written in a form that this tool does not edit: set it to ${JSON.stringify(value)} by hand`,
    );
  }
  return edited;
}

/**
 * Takes a table with all tables below it out of a text, and the lines of comments that stand directly above it.
 *
 * @throws {Failure} when the file is broken or has to be edited by hand.
 */
export function removeTomlTable(text: string, file: string, path: readonly string[]): string {
  const before = parseToml(text, file);
  const sections: { readonly table: readonly string[]; readonly lines: string[] }[] = [{ table: [], lines: [] }];
  for (const { line, header } of scan(text.split('\n'))) {
    const last = sections.at(-1)?.lines ?? [];
    if (header !== undefined) {
      const comments = last.length - last.findLastIndex((above) => !/^\s*#/.test(above)) - 1;
      sections.push({ table: header, lines: last.splice(last.length - comments) });
    }
    sections.at(-1)?.lines.push(line);
  }
  const edited = sections
    .filter(({ table }) => !samePath(table.slice(0, path.length), path))
    .flatMap(({ lines }) => lines)
    .join('\n');
  const after = tryParse(edited);
  if (valueAt(after, path) !== undefined || !sameBut(path, before, after)) {
    throw new Failure(
      `${file}: ${path.join('.')} is written in a form that this tool does not edit: remove it by hand`,
    );
  }
  return edited;
}

const same = (a: string, b: string) => a.toLowerCase() === b.toLowerCase();
const samePath = (a: readonly string[], b: readonly string[]) =>
  a.length === b.length && a.every((key, index) => same(key, b[index] ?? ''));

type Place = { readonly kind: 'value' | 'insert'; readonly line: number } | { readonly kind: 'new-table' };

/** The line that holds the value, or the line before which a new one belongs. */
function find(lines: readonly string[], path: readonly string[]): Place {
  const parent = path.slice(0, -1);
  let table: readonly string[] = [];
  let insertAt = parent.length === 0 ? 0 : undefined;
  for (const { index, header, key } of scan(lines)) {
    if (header !== undefined) table = header;
    if (key !== undefined && samePath([...table, ...key], path)) return { kind: 'value', line: index };
    if (samePath(table, parent) && (key !== undefined || header !== undefined)) insertAt = index + 1;
  }
  return insertAt === undefined ? { kind: 'new-table' } : { kind: 'insert', line: insertAt };
}

/** Behind the last line that says something. */
function lastLine(lines: readonly string[]): number {
  return lines.findLastIndex((line) => line.trim() !== '') + 1;
}

const keyText = (key: string) => (/^[\w-]+$/.test(key) ? key : JSON.stringify(key));

interface Line {
  readonly index: number;
  readonly line: string;
  /** The table that begins here, of which an array of tables has none. */
  readonly header?: readonly string[];
  /** The key at the left side of a value. */
  readonly key?: readonly string[];
}

/** What each line begins. Inside a string of several lines nothing is a key. */
function* scan(lines: readonly string[]): Generator<Line> {
  let closing: string | undefined;
  for (const [index, line] of lines.entries()) {
    if (closing !== undefined) {
      if (line.includes(closing)) closing = undefined;
      yield { index, line };
      continue;
    }
    const header = /^\s*\[([^[\]][^\]]*)\]\s*(#.*)?$/.exec(line)?.[1];
    if (header !== undefined) {
      yield { index, line, header: keysOf(`[${header}]`) ?? [] };
      continue;
    }
    const key = /^\s*([^#=[\s][^=]*?)\s*=/.exec(line)?.[1];
    if (key === undefined) yield { index, line };
    else {
      closing = opened(line.slice(line.indexOf('=') + 1));
      yield { index, line, key: keysOf(`${key} = 0`) ?? [] };
    }
  }
}

/** The quotes that close a string of several lines which this value opens. */
function opened(value: string): string | undefined {
  for (const quotes of ['"""', "'''"]) {
    const start = value.trimStart().startsWith(quotes) ? value.indexOf(quotes) : -1;
    if (start >= 0 && !value.includes(quotes, start + 3)) return quotes;
  }
  return undefined;
}

/** The keys that a header or a left side names, dotted and quoted parts taken apart by the parser itself. */
function keysOf(snippet: string): readonly string[] | undefined {
  const keys: string[] = [];
  let at: unknown = tryParse(snippet);
  while (isTable(at)) {
    const [key] = Object.keys(at);
    if (key === undefined) break;
    keys.push(key);
    at = at[key];
  }
  return keys.length > 0 ? keys : undefined;
}

function tryParse(text: string): TomlTable | undefined {
  try {
    return parse(text);
  } catch {
    return undefined;
  }
}

function replaceValue(line: string, value: string): string {
  const quoted = /^(.*?=\s*)('[^']*'|"(?:[^"\\]|\\.)*"|[^\s#]+)(.*)$/.exec(line);
  if (quoted === null) return line;
  const [, left = '', old = '', right = ''] = quoted;
  const literal = old.startsWith("'") && !value.includes("'");
  return `${left}${literal ? `'${value}'` : JSON.stringify(value)}${right}`;
}

function onlyDiffers(before: TomlTable, after: TomlTable | undefined, path: readonly string[], value: string): boolean {
  if (after === undefined || valueAt(after, path) !== value) return false;
  return sameBut(path, before, after);
}

function sameBut(path: readonly string[], before: TomlTable, after: TomlTable | undefined): boolean {
  return after !== undefined && isDeepStrictEqual(filled(without(before, path)), filled(without(after, path)));
}

/** Without the tables that have nothing in them. */
function filled(table: TomlTable): TomlTable {
  return Object.fromEntries(
    Object.entries(table).flatMap(([key, value]) => {
      if (!isTable(value)) return [[key, value]];
      const inner = filled(value);
      return Object.keys(inner).length === 0 ? [] : [[key, inner]];
    }),
  );
}

function without(table: TomlTable, [first, ...rest]: readonly string[]): TomlTable {
  if (first === undefined) return table;
  const key = actualKey(table, first);
  const { [key]: inner, ...others } = table;
  return rest.length > 0 && isTable(inner) ? { ...others, [key]: without(inner, rest) } : others;
}
