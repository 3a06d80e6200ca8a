import { ForeseenError } from '@switchyard/protocol/values';
import { endOfString } from './json.ts';

/** A JSON value whose integers are exact: `bigint` if the text has neither fraction nor exponent. */
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

/**
 * Parses like `JSON.parse`, except that integers that a double may have rounded are `bigint`. Nearly no text has one; the
 * others cost one look at their characters more than `JSON.parse`.
 *
 * @throws {SyntaxError} as `JSON.parse` does.
 */
export function parseJson(text: string): unknown {
  const value: unknown = JSON.parse(text);
  if (!LONG_NUMBER.test(text)) return value;
  return unmarked(JSON.parse(marked(text)));
}

/** At least 16 digits at the beginning of a value; some strings have them too. */
const LONG_NUMBER = /(?:^|[\s:,[])-?\d{16}/;
/** No text of others begins with it. */
const MARK = `${Math.random()}:`;

/** Text of JSON with a marked string in the place of each integer that a double rounds. */
function marked(text: string): string {
  const pieces: string[] = [];
  let copied = 0;
  for (let at = 0; at < text.length; at += 1) {
    if (text[at] === '"') at = endOfString(text, at);
    else if (isInNumber(text.charCodeAt(at))) {
      const start = at;
      while (isInNumber(text.charCodeAt(at + 1))) at += 1;
      if (at - start < 15 || !isRounded(text.slice(start, at + 1))) continue;
      pieces.push(text.slice(copied, start), '"', MARK, text.slice(start, at + 1), '"');
      copied = at + 1;
    }
  }
  return pieces.join('') + text.slice(copied);
}

/** Whether it is one of `+-.0123456789eE`. */
const isInNumber = (code: number): boolean =>
  (code >= 0x2b && code <= 0x39 && code !== 0x2c) || code === 0x65 || code === 0x45;

/** Many times as fast as a reviver, which is called for each value. */
function unmarked(value: unknown): unknown {
  if (typeof value === 'string') return value.startsWith(MARK) ? BigInt(value.slice(MARK.length)) : value;
  if (Array.isArray(value)) for (let at = 0; at < value.length; at += 1) value[at] = unmarked(value[at]);
  else if (typeof value === 'object' && value !== null) {
    // Its own members, and not yet seen by anything else.
    const record = value as Record<string, unknown>;
    for (const key of Object.keys(record)) record[key] = unmarked(record[key]);
  }
  return value;
}

/** A double holds no number with more digits than this, so a longer number is infinite to `JSON.parse`, and stays so. */
const MOST_DIGITS = 310;

function isRounded(found: string): boolean {
  return /^-?\d+$/.test(found) && found.length <= MOST_DIGITS && !Number.isSafeInteger(Number(found));
}

/** JSON text of a value, with bigints as integers with all their digits, as `parseExactJson` and `parseJson` read them. */
export function exactJsonText(value: unknown): string {
  if (typeof value === 'bigint') return String(value);
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null';
  if (Array.isArray(value)) return `[${value.map(exactJsonText).join(',')}]`;
  return `{${Object.entries(value)
    .filter(([, member]) => member !== undefined)
    .map(([key, member]) => `${JSON.stringify(key)}:${exactJsonText(member)}`)
    .join(',')}}`;
}

/**
 * An integer as genesis files have it: a number, or text with its decimal digits. CometBFT reads the text of a number as
 * JSON once more, so white space around the digits counts for nothing.
 *
 * @returns undefined for anything else, also for numbers that a double has rounded.
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
