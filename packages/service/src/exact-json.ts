import { ForeseenError } from '@switchyard/protocol';

/** A JSON value whose integers are exact: `bigint` where the text has neither fraction nor exponent. */
export type ExactJson = null | boolean | string | bigint | number | readonly ExactJson[] | ExactRecord;
export interface ExactRecord {
  readonly [key: string]: ExactJson;
}

/** The text is not JSON, or names a key twice. The position is that of a text editor, from 1. */
export class InvalidJson extends ForeseenError {
  override readonly name = 'InvalidJson';

  constructor(
    readonly line: number,
    readonly column: number,
    readonly problem: string,
  ) {
    super(`line ${line}, column ${column}: ${problem}`);
  }
}

const MAX_DEPTH = 64;

/**
 * Reads JSON without rounding integers, which `JSON.parse` does above 2^53.
 *
 * @throws {InvalidJson} at the first place that is not JSON (RFC 8259), at a repeated key, or below 64 levels.
 */
export function parseExactJson(text: string): ExactJson {
  const reader = new Reader(text);
  const value = reader.value(0);
  reader.end();
  return value;
}

/** JSON text of a value, each integer with all its digits and without quotes, as it was read. */
export function exactJsonText(value: ExactJson): string {
  if (typeof value === 'bigint') return String(value);
  if (value === null || typeof value !== 'object') return JSON.stringify(value);
  if (isList(value)) return `[${value.map(exactJsonText).join(',')}]`;
  return `{${Object.entries(value)
    .map(([key, member]) => `${JSON.stringify(key)}:${exactJsonText(member)}`)
    .join(',')}}`;
}

/** What `Array.isArray` does not say of readonly arrays. */
const isList = (value: object): value is readonly ExactJson[] => Array.isArray(value);

/**
 * An integer as genesis files have it: a number, or text with its decimal digits. CometBFT reads the text of a number as
 * JSON once more, so white space around the digits counts for nothing.
 *
 * @returns undefined for anything else, also for what a double has rounded.
 */
export function exactInteger(value: unknown): bigint | undefined {
  if (typeof value === 'bigint') return value;
  if (typeof value === 'number') return Number.isSafeInteger(value) ? BigInt(value) : undefined;
  if (typeof value !== 'string' || value.length > MAX_INTEGER_TEXT) return undefined;
  const digits = /^[ \t\r\n]*(-?\d+)[ \t\r\n]*$/.exec(value)?.[1];
  return digits === undefined ? undefined : BigInt(digits);
}

const MAX_INTEGER_TEXT = 100;

const NUMBER = /-?(?:0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?/y;
const STRING = /"(?:[^"\\\p{Cc}]|[\u007f-\u009f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"/uy;
const WORDS = { true: true, false: false, null: null } as const;

class Reader {
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  value(depth: number): ExactJson {
    if (depth > MAX_DEPTH) throw this.#error(`more than ${MAX_DEPTH} levels of nesting`);
    this.#space();
    const next = this.#text[this.#at];
    if (next === '{') return this.#record(depth);
    if (next === '[') return this.#list(depth);
    if (next === '"') return this.#string();
    for (const [word, value] of Object.entries(WORDS)) {
      if (this.#text.startsWith(word, this.#at)) {
        this.#at += word.length;
        return value;
      }
    }
    return this.#number();
  }

  end(): void {
    this.#space();
    if (this.#at < this.#text.length) throw this.#error('expected the end of the file');
  }

  #record(depth: number): ExactRecord {
    const record: Record<string, ExactJson> = Object.create(null);
    this.#at += 1;
    if (this.#takes('}')) return record;
    do {
      this.#space();
      if (this.#text[this.#at] !== '"') throw this.#error('expected a key in double quotes');
      const start = this.#at;
      const key = this.#string();
      if (key in record) throw this.#error(`the key "${key}" is there twice`, start);
      if (!this.#takes(':')) throw this.#error(`expected ":" after the key "${key}"`);
      record[key] = this.value(depth + 1);
    } while (this.#takes(','));
    if (!this.#takes('}')) throw this.#error('expected "," or "}"');
    return record;
  }

  #list(depth: number): ExactJson[] {
    const items: ExactJson[] = [];
    this.#at += 1;
    if (this.#takes(']')) return items;
    do items.push(this.value(depth + 1));
    while (this.#takes(','));
    if (!this.#takes(']')) throw this.#error('expected "," or "]"');
    return items;
  }

  #string(): string {
    const found = this.#match(STRING);
    if (found === undefined) throw this.#error('this string does not end, or has a character that must be escaped');
    // One whole JSON string by the pattern above, so the answer is a string.
    return JSON.parse(found[0]) as string;
  }

  #number(): bigint | number {
    const found = this.#match(NUMBER);
    if (found === undefined) throw this.#error('expected a value');
    const [digits, fraction, exponent] = found;
    return fraction === undefined && exponent === undefined ? BigInt(digits) : Number(digits);
  }

  #match(pattern: RegExp): RegExpExecArray | undefined {
    pattern.lastIndex = this.#at;
    const found = pattern.exec(this.#text) ?? undefined;
    if (found !== undefined) this.#at += found[0].length;
    return found;
  }

  #takes(character: string): boolean {
    this.#space();
    if (this.#text[this.#at] !== character) return false;
    this.#at += 1;
    return true;
  }

  #space(): void {
    while (/[ \t\r\n]/.test(this.#text[this.#at] ?? '')) this.#at += 1;
  }

  #error(problem: string, at = this.#at): InvalidJson {
    const before = this.#text.slice(0, at).split('\n');
    return new InvalidJson(before.length, (before.at(-1)?.length ?? 0) + 1, problem);
  }
}
