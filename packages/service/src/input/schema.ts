import { Input, type Read } from './input.ts';

export type JsonSchema = Readonly<Record<string, unknown>>;

/** An environment as a process gets it. */
export type Env = Readonly<Record<string, string | undefined>>;

/** Facts about the values that are accepted somewhere. */
export interface SchemaFacts<T> {
  /** Completes the phrase "expected ...". */
  readonly expects: string;
  /** Text of a good value, shown if one is missing. */
  readonly example: string;
  /** JSON Schema of a value in a document. */
  readonly json: JsonSchema;
  /** True if absence is a value too. */
  readonly isOptional: boolean;
  /** True if the text must never be shown, not even to state that it is wrong. */
  readonly isSecret: boolean;
  /** Reads the text of a setting or of an argument. Throws, or returns undefined, if it does not fit. */
  readonly fromText: (text: string, env?: Env) => T | undefined;
}

/**
 * The values that are accepted somewhere, described once: `read` takes them from a document, `fromText` from a setting or
 * an argument, and `json` documents them. A schema is a reader itself, so that it stands wherever a reader does.
 */
export interface Schema<T> extends Read<T>, SchemaFacts<T> {
  readonly read: Read<T>;
}

export type TypeOf<S> = S extends Read<infer T> | { readonly read: Read<infer T> } ? T : never;

export function schema<T>(read: Read<T>, facts: Partial<SchemaFacts<T>> = {}): Schema<T> {
  const standard = { expects: 'another value', example: '', json: {}, isOptional: false, isSecret: false };
  const fromText = (text: string) => read(new Input(text, ''));
  return Object.assign((input: Input) => read(input), { ...standard, fromText, ...facts, read });
}

/** Replaces some of the facts. */
export function withFacts<T>(item: Schema<T>, facts: Partial<SchemaFacts<T>>): Schema<T> {
  return schema(item.read, { ...item, ...facts });
}

/** Text of one form. @param parse Throws, or returns undefined, for text that does not fit. */
export function parser<T>(
  expects: string,
  example: string,
  parse: (text: string, env: Env) => T | undefined,
  json: JsonSchema = {},
): Schema<T> {
  const fromText = (text: string, env: Env = {}) => parse(text, env);
  return schema((input) => input.parsed(fromText, expects), {
    ...{ expects, example, fromText },
    json: { type: 'string', ...json },
  });
}
