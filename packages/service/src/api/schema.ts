import { Input, type Read } from '../input/input.ts';
import { type JsonSchema, parser, type Schema as Reader, schema, withFacts } from '../input/schema.ts';
import * as shapes from '../input/shapes.ts';
import * as values from '../input/values.ts';

/* Schemas of an API: values with a description for its documentation. */

export type { JsonSchema } from '../input/schema.ts';
export { NAME, type ObjectOf } from '../input/shapes.ts';

/** Not callable, as far as its type goes: of calls that return functions, no types of a route are inferred. */
export type Schema<T> = Pick<Reader<T>, keyof Reader<T>>;

/** Callable again: a schema with further members is a copy, which is not. */
const createReader = <T>({ read, expects, example, json, isOptional, isSecret, fromText }: Schema<T>): Reader<T> =>
  schema(read, { expects, example, json, isOptional, isSecret, fromText });

export type TypeOf<S> = S extends Schema<infer T> ? T : never;
export type Members = Readonly<Record<string, Schema<unknown>>>;

function described<T>(item: Reader<T>, json: JsonSchema): Schema<T> {
  return withFacts(item, { json: { ...item.json, ...json } });
}

/** A member or parameter that may be absent. */
export function optional<T>(item: Schema<T>): Schema<T | undefined>;
export function optional<T>(item: Schema<T>, fallback: T): Schema<T>;
export function optional<T>(item: Schema<T>, fallback?: T): Schema<T | undefined> {
  return shapes.optional<T | undefined>(createReader(item), fallback);
}

export const nullable = <T>(item: Schema<T>): Schema<T | null> => shapes.nullable(createReader(item));

/** An object of answers, with a component of its own. */
export interface RecordOf<M extends Members> extends Schema<shapes.ObjectOf<M>> {
  readonly name: string;
  readonly members: M;
}

/** Its reader ignores members that a newer server may have added. */
export function record<const M extends Members>(name: string, members: M): RecordOf<M> {
  const { read } = object(members, { isOpen: true });
  return { ...find(object(members, { name }).json, read), name, members };
}

/** The first of these that a value fits. */
export const oneOf = <S extends readonly Schema<unknown>[]>(...all: S): Schema<TypeOf<S[number]>> =>
  shapes.anyOf(...(all.map(createReader) as readonly Reader<TypeOf<S[number]>>[]));

export const text = (description: string, constraints: JsonSchema = {}): Schema<string> =>
  described(values.text, { description, ...constraints });

/** Text of one form, which `parse` turns into a value. */
export const parsed = <T>(json: JsonSchema, expected: string, parse: (text: string) => T): Schema<T> =>
  parser(expected, '', (value) => parse(value), json);

/** Text that fits a pattern, which the documentation states too. @param parse Gets nothing else; throws if a match is not enough. */
export function matching<T>(
  json: JsonSchema & { readonly pattern: string },
  expected: string,
  parse: (text: string) => T,
): Schema<T> {
  const pattern = new RegExp(json.pattern);
  return parser(expected, '', (value) => (pattern.test(value) ? parse(value) : undefined), json);
}

/** One of some words. */
export const words = <const W extends string>(description: string, ...all: readonly W[]): Schema<W> =>
  described(values.words(...all), { description });

export const flag = (description: string): Schema<boolean> => described(values.bool, { description });

/** A value of its own kind. */
export const find = <T>(json: JsonSchema, read: Read<T>): Schema<T> => schema(read, { json });

/** Any JSON: the answer of another process, in its own form. */
export const json = (description: string): Schema<unknown> => find({ description }, (input) => input.value);

/** A whole number, in a parameter its digits. */
export const integer = (description: string, bounds: { min?: number; max?: number } = {}): Schema<number> =>
  described(values.integer(bounds), { description });

/** A whole number in an answer: a JSON number while that is exact, its digits as text from there on. */
export const u64 = (description: string): Schema<bigint> => described(values.unsigned(64), { description });

/** A whole number below 2^64 in a parameter, as digits. */
export function u64Digits(description: string): Schema<bigint> {
  return parser(
    'a whole number below 2^64',
    '1',
    (value) => (/^[0-9]{1,20}$/.test(value) && BigInt(value) < 1n << 64n ? BigInt(value) : undefined),
    // One digit less than 2^64 has, so that every text of this form is accepted.
    { pattern: '^[0-9]{1,19}$', description, examples: ['1'] },
  );
}

export function list<T>(item: Schema<T>, { maxItems = 100_000, minItems = 0 } = {}): Schema<readonly T[]> {
  const { read, json } = shapes.list(createReader(item), maxItems);
  return schema(
    (input) => {
      const items = read(input);
      return items.length >= minItems ? items : input.fail(`a list of at least ${minItems}`);
    },
    { json: { ...json, ...(minItems > 0 && { minItems }) } },
  );
}

/** An object of these members. @param isOpen Whether it may have other members, which readers then ignore. */
export function object<M extends Members>(
  members: M,
  { isOpen = false, ...options }: { readonly name?: string; readonly isOpen?: boolean } = {},
): Schema<shapes.ObjectOf<M>> {
  // The keys are those of the members.
  const readers = Object.fromEntries(Object.entries(members).map(([name, item]) => [name, createReader(item)])) as {
    readonly [K in keyof M]: Reader<TypeOf<M[K]>>;
  };
  const item = shapes.object(readers, { ...options, exact: true, strict: !isOpen });
  return described(item, { additionalProperties: isOpen }) as unknown as Schema<shapes.ObjectOf<M>>;
}

/** Made once for each route. The reader reads values under names that a client gave, all of them before it fails. */
export function membersReader<M extends Members>(
  members: M,
): (get: (name: string) => string | undefined) => shapes.ObjectOf<M> {
  const names = Object.keys(members);
  const { read } = object(members, { isOpen: true });
  // Nothing to read is an object without members.
  if (names.length === 0) return () => ({}) as shapes.ObjectOf<M>;
  return (get) => {
    const given = names.flatMap((name) => {
      const value = get(name);
      return value === undefined ? [] : [[name, value] as const];
    });
    return read(new Input(Object.fromEntries(given), ''));
  };
}
