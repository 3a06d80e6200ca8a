import type { Input, Read } from '@switchyard/service/input';
import { bool, integer, parser, type Schema } from '@switchyard/service/settings';

/** A part of a JSON Schema, draft 7, which editors read. */
export type JsonSchema = Readonly<Record<string, unknown>>;

/** The values that a field of the manifest may have, wherever they come from. */
export interface Rule<T> {
  /** Completes the phrase "expected ...". */
  readonly expects: string;
  readonly example: string;
  readonly schema: JsonSchema;
  /** From the value in a manifest. */
  readonly read: Read<T>;
  /** Converts the text of a flag or a variable to the value in a manifest. */
  readonly fromText: (text: string) => unknown;
  /** Converts a value to that in a new manifest. */
  written(value: T): unknown;
}

/** A rule for a single value. Numbers are text in the manifest: some readers of YAML round long ones. */
export function scalar<T>(parse: Schema<T>, schema: JsonSchema, written: (value: T) => unknown = String): Rule<T> {
  const { expects, example } = parse;
  return {
    ...{ expects, example, schema, written },
    fromText: (text) => text,
    read: (input) =>
      (typeof input.value === 'string' ? attempt(parse, input.value) : undefined) ?? refuse(input, expects),
  };
}

/** A parser may throw too. */
function attempt<T>(parse: Schema<T>, text: string): T | undefined {
  try {
    return parse.fromText(text);
  } catch {
    return undefined;
  }
}

/** @throws {InvalidData} that shows the value, unless it may be a key. */
export function refuse(input: Input, expects: string): never {
  return typeof input.value === 'string' ? input.fail(expects, shownValue(input.value)) : input.fail(expects);
}

/** Text with the form of a private key. A key has digits and letters, while a long name may have letters alone. */
const KEY = /(?<![0-9a-f])(?=[a-f]*\d)(?=\d*[a-f])[0-9a-f]{64}(?![0-9a-f])/i;

/** A value as a message may repeat it: text in the form of a private key may be one, in the wrong place. */
export function shownValue(text: string): string {
  if (KEY.test(text)) return 'text with 64 hex digits, which is not shown because it may be a key';
  return text.length > 80 ? `${JSON.stringify(text.slice(0, 60))}… of ${text.length} characters` : JSON.stringify(text);
}

/** Text that a pattern describes. The pattern is in the schema too. */
export function pattern(expects: string, example: string, source: string, maxLength?: number): Rule<string> {
  const expression = new RegExp(source);
  const isValid = (text: string) => expression.test(text) && text.length <= (maxLength ?? Infinity);
  return scalar(
    parser(expects, example, (text) => (isValid(text) ? text : undefined)),
    { type: 'string', pattern: source, ...(maxLength === undefined ? {} : { maxLength }) },
  );
}

/** One of a few words. */
export function word<const W extends string>(...words: readonly [W, ...W[]]): Rule<W> {
  return scalar(
    parser(`one of ${words.join(', ')}`, words[0], (text) => words.find((each) => each === text)),
    { type: 'string', enum: words },
  );
}

export const flag: Rule<boolean> = scalar(bool, { type: 'boolean' }, (value) => value);

/** A number that fits a JavaScript number; bounds are inclusive. */
export function small(min: number, max: number): Rule<number> {
  return scalar(integer({ min, max }), { type: 'integer', minimum: min, maximum: max }, (value) => value);
}

/** A whole number that is text in the manifest, since it can be long. */
export function decimal(expects: string, example: string, min: bigint, max: bigint): Rule<bigint> {
  return scalar(
    parser(expects, example, (text) => {
      const value = /^\d{1,40}$/.test(text) ? BigInt(text) : undefined;
      return value !== undefined && value >= min && value <= max ? value : undefined;
    }),
    { type: ['string', 'integer'], pattern: '^\\d{1,40}$' },
  );
}

/** A URL without credentials, query and fragment, and without slashes at its end. */
export function url(...schemes: readonly [string, ...string[]]): Rule<string> {
  const start = schemes.map((each) => `${each}://`).join(' or ');
  const host = schemes[0] === 'http' ? '127.0.0.1:26657' : '127.0.0.1:26657/websocket';
  return scalar(
    parser(`a URL that begins with ${start}, without a password, ? and #`, `${schemes[0]}://${host}`, (text) => {
      const read = URL.canParse(text) ? new URL(text) : undefined;
      if (read === undefined || !schemes.includes(read.protocol.slice(0, -1)) || read.hostname === '') return undefined;
      if (text.length > MAX_URL || /[^!-~]|[?#,]/.test(text) || read.username !== '' || read.password !== '')
        return undefined;
      return text.replace(/\/+$/, '');
    }),
    { type: 'string', pattern: `^(${schemes.join('|')})://[^\\s?#]+$`, maxLength: MAX_URL },
  );
}

const MAX_URL = 500;
