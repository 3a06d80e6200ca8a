import { isDeepStrictEqual } from 'node:util';
import { Failure } from '@switchyard/service/failure';
import { jsonSpan, pathBelow } from '@switchyard/service/input';
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
  const span = jsonSpan(
    text,
    path.reduce<string>((at, key) => (typeof key === 'number' ? `${at}[${key}]` : pathBelow(at, key)), ''),
  );
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
