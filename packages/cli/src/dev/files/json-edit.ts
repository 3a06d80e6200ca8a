import { isDeepStrictEqual } from 'node:util';
import { Failure } from '../../failure.ts';
import { parseJson } from './files.ts';
import { isTable } from './toml.ts';

export type JsonPath = readonly (string | number)[];

/**
 * Replaces values that stand in a JSON text and touches nothing else: order, spacing and all other values stay.
 *
 * @param path Keys and positions from the root, as the file spells them.
 * @throws {Failure} when the file is broken, or has no such value.
 */
export function setJsonValue(text: string, file: string, path: JsonPath, value: unknown): string {
  const before = parseJson(text, file);
  const span = spanOf(text, path);
  if (span === undefined)
    throw new Failure(`${file}: ${path.join('.')}: is absent: set it to ${JSON.stringify(value)}`);
  const edited = text.slice(0, span.start) + JSON.stringify(value) + text.slice(span.end);
  // A key given twice is read as its last value, and we have replaced the first.
  if (!isDeepStrictEqual(parseJson(edited, file), replaced(before, path, value))) {
    throw new Failure(
      `${file}: ${path.join('.')} is written in a form that this tool does not edit: set it to ${JSON.stringify(value)} by hand`,
    );
  }
  return edited;
}

export function jsonAt(root: unknown, path: JsonPath): unknown {
  let at = root;
  for (const key of path) {
    if (typeof key === 'number') at = Array.isArray(at) ? at[key] : undefined;
    else at = isTable(at) && Object.hasOwn(at, key) ? at[key] : undefined;
  }
  return at;
}

function replaced(root: unknown, [key, ...rest]: JsonPath, value: unknown): unknown {
  if (key === undefined) return value;
  if (Array.isArray(root)) return root.map((item, index) => (index === key ? replaced(item, rest, value) : item));
  return isTable(root) ? { ...root, [key]: replaced(root[key], rest, value) } : root;
}

interface Span {
  readonly start: number;
  readonly end: number;
}

/** Walks over a text that is known to be JSON. */
function spanOf(text: string, path: JsonPath): Span | undefined {
  let at = 0;
  let found: Span | undefined;
  const skip = () => {
    while (/\s/.test(text[at] ?? '')) at += 1;
  };
  const string = (): string => {
    const start = at;
    for (at += 1; text[at] !== '"'; at += 1) if (text[at] === '\\') at += 1;
    at += 1;
    return JSON.parse(text.slice(start, at)) as string; // between quotes, so a string
  };
  const value = (rest: JsonPath | undefined): void => {
    skip();
    const start = at;
    const open = text[at];
    if (open === '{' || open === '[') {
      at += 1;
      for (let index = 0; ; index += 1) {
        skip();
        if (text[at] === '}' || text[at] === ']') break;
        const key = open === '{' ? string() : index;
        skip();
        if (open === '{') at += 1;
        value(rest !== undefined && rest.length > 0 && rest[0] === key ? rest.slice(1) : undefined);
        skip();
        if (text[at] === ',') at += 1;
      }
      at += 1;
    } else if (open === '"') string();
    else while (at < text.length && !/[\s,\]}]/.test(text[at] ?? '')) at += 1;
    if (rest?.length === 0) found ??= { start, end: at };
  };
  value(path);
  return found;
}
