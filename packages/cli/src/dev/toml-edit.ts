import { isDeepStrictEqual } from 'node:util';
import { parse } from 'smol-toml';
import { Failure } from '../failure.ts';
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
  if (place.kind === 'value') lines[place.line] = replaceValue(lines[place.line] ?? '', value);
  else lines.splice(place.line, 0, `${path.at(-1)} = ${JSON.stringify(value)}`);
  const edited = lines.join('\n');
  if (!onlyDiffers(before, tryParse(edited), path, value)) {
    throw new Failure(
      `${file}: ${path.join('.')} is written in a form that this tool does not edit: set it to ${JSON.stringify(value)} by hand`,
    );
  }
  return edited;
}

const same = (a: string, b: string) => a.toLowerCase() === b.toLowerCase();
const samePath = (a: readonly string[], b: readonly string[]) =>
  a.length === b.length && a.every((key, index) => same(key, b[index] ?? ''));

/** The line that holds the value, or the line before which a new one belongs. */
function find(lines: readonly string[], path: readonly string[]): { kind: 'value' | 'insert'; line: number } {
  const parent = path.slice(0, -1);
  let table: readonly string[] = [];
  let insertAt = 0;
  let closing: string | undefined;
  for (const [index, line] of lines.entries()) {
    // Inside a string of several lines nothing is a key.
    if (closing !== undefined) {
      if (line.includes(closing)) closing = undefined;
      continue;
    }
    const header = /^\s*\[([^[\]][^\]]*)\]\s*(#.*)?$/.exec(line)?.[1];
    if (header !== undefined) table = keysOf(`[${header}]`) ?? [];
    const key = header === undefined ? /^\s*([^#=[\s][^=]*?)\s*=/.exec(line)?.[1] : undefined;
    if (key !== undefined && samePath([...table, ...(keysOf(`${key} = 0`) ?? [])], path)) {
      return { kind: 'value', line: index };
    }
    if (key !== undefined) closing = opened(line.slice(line.indexOf('=') + 1));
    if (samePath(table, parent) && (key !== undefined || header !== undefined)) insertAt = index + 1;
  }
  return { kind: 'insert', line: insertAt };
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
  return isDeepStrictEqual(without(before, path), without(after, path));
}

function without(table: TomlTable, [first, ...rest]: readonly string[]): TomlTable {
  if (first === undefined) return table;
  const key = actualKey(table, first);
  const { [key]: inner, ...others } = table;
  return rest.length > 0 && isTable(inner) ? { ...others, [key]: without(inner, rest) } : others;
}
