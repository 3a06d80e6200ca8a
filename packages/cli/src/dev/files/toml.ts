import { parse, TomlError } from 'smol-toml';
import { Failure } from '../../failure.ts';
import { readText } from './files.ts';

export type TomlTable = { readonly [key: string]: unknown };

export function isTable(value: unknown): value is TomlTable {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Date);
}

/** @throws {Failure} naming file, line and column. */
export function parseToml(text: string, path: string): TomlTable {
  try {
    return parse(text);
  } catch (error) {
    if (!(error instanceof TomlError)) throw error;
    const message = (error.message.split('\n')[0] ?? '').replace('Invalid TOML document: ', '');
    // What one gets by adding a line for a key that is there already, so it deserves better words.
    const reason = message.includes('redefine') ? 'this key or table stands above already: keep one of them' : message;
    throw new Failure(`${path}:${error.line}:${error.column}: not valid TOML: ${reason}`, undefined, { cause: error });
  }
}

/** @throws {Failure} when the file is absent, unreadable or broken. */
export function readToml(path: string): TomlTable {
  return parseToml(readText(path), path);
}

/**
 * The same tables with keys in lower case, as they are read.
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

/** What is below `path`, compared without regard to letter case; `undefined` when there is nothing. */
export function valueAt(root: unknown, path: readonly string[]): unknown {
  let at = root;
  for (const key of path) at = isTable(at) ? at[actualKey(at, key)] : undefined;
  return at;
}

/** The key as the file spells it. */
export function actualKey(table: TomlTable, key: string): string {
  return Object.keys(table).find((candidate) => candidate.toLowerCase() === key.toLowerCase()) ?? key;
}
