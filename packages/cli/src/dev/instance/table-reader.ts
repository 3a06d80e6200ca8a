import type { Problems } from '@switchyard/service/failure';
import { didYouMean } from '@switchyard/service/settings';
import { isTable, placeIn, type TomlTable } from '../files/toml.ts';
import { expand } from './expand.ts';

/** A TOML file that is being read. */
export interface OpenFile {
  readonly path: string;
  /** Their values replace `$NAME` in texts. */
  readonly variables: Readonly<Record<string, string | undefined>>;
  readonly problems: Problems;
}

/** Reads values of one table. Every mistake is noted with its line, and reading continues. */
export class TableReader {
  readonly table: TomlTable;
  readonly #file: OpenFile;
  readonly #at: string;

  /** @param at Where the table is in the file, joined by dots; empty for the whole file. */
  constructor(file: OpenFile, table: TomlTable, at: string) {
    this.#file = file;
    this.table = table;
    this.#at = at;
  }

  wrong(key: string, what: string): undefined {
    const { problems, path } = this.#file;
    problems.add(placeIn(path, this.#below(key)), `${this.#below(key)}: ${what}`);
  }

  /** Refuses other keys: a mistyped one would have no effect, silently. */
  only(known: readonly string[], hint = (key: string) => didYouMean(key, known) || `; it has ${known.join(', ')}`) {
    for (const key of Object.keys(this.table)) {
      if (!known.includes(key)) this.wrong(key, `no such key${hint(key)}`);
    }
  }

  has(key: string): boolean {
    return this.table[key] !== undefined;
  }

  /** A text with its variables replaced; empty if the value is no text. */
  text(key: string, fallback?: string): string {
    return (this.has(key) || fallback === undefined ? this.#typed(key, 'a text', ['string']) : fallback) ?? '';
  }

  /** A text, a number or a switch, as a text with its variables replaced. */
  scalar(key: string): string | undefined {
    return this.#typed(key, 'a text, a number or true or false', ['string', 'number', 'bigint', 'boolean']);
  }

  /** The texts, numbers and switches of a list or of a table. */
  scalars(key: string, expected: 'a list' | 'a table'): (readonly [key: string, text: string])[] {
    const value = this.table[key] ?? [];
    if (this.has(key) && !(expected === 'a list' ? Array.isArray(value) : isTable(value))) {
      this.wrong(key, `expected ${expected} of texts`);
      return [];
    }
    const entries = Object.entries(value);
    const inner = new TableReader(this.#file, Object.fromEntries(entries), this.#below(key));
    return entries.map(([name]) => [name, inner.scalar(name) ?? ''] as const);
  }

  /** A table; `undefined` if the value is no table. */
  inner(key: string, expected = 'a table'): TableReader | undefined {
    const value = this.table[key];
    return isTable(value)
      ? new TableReader(this.#file, value, this.#below(key))
      : this.wrong(key, `expected ${expected}`);
  }

  #typed(key: string, expected: string, types: readonly string[]): string | undefined {
    const value = this.table[key];
    if (!types.includes(typeof value)) {
      return this.wrong(key, `expected ${expected}, got ${toKind(value)}`);
    }
    const { problems, variables, path } = this.#file;
    return problems.collect(() => expand(String(value), variables, `${path}: ${this.#below(key)}`));
  }

  #below(key: string): string {
    return this.#at === '' ? key : `${this.#at}.${key}`;
  }
}

/** A wrong value for people. Lists and tables may hold secrets. */
const toKind = (value: unknown): string =>
  typeof value === 'object' ? `a ${Array.isArray(value) ? 'list' : 'table'}` : String(value ?? 'nothing');
