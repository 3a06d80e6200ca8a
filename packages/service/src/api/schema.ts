import { Input, InvalidData, type Read, shown } from '../input/index.ts';
import { list as readList, object as readObject } from '../input/shapes.ts';

/* A value of an API, described once: how it is read where it comes in, and as JSON Schema for its documentation. */

export type JsonSchema = Readonly<Record<string, unknown>>;

export interface Schema<T> {
  readonly read: Read<T>;
  readonly json: JsonSchema;
  readonly isOptional?: boolean;
}

export type TypeOf<S> = S extends Schema<infer T> ? T : never;
export type Members = Readonly<Record<string, Schema<unknown>>>;
type OptionalKeys<M extends Members> = { [K in keyof M]: undefined extends TypeOf<M[K]> ? K : never }[keyof M];
export type ObjectOf<M extends Members> = {
  readonly [K in Exclude<keyof M, OptionalKeys<M>>]: TypeOf<M[K]>;
} & { readonly [K in OptionalKeys<M>]?: TypeOf<M[K]> };

/** Under which a schema stands among the components of the document. */
export const NAME = 'x-name';

export function text(description: string, constraints: JsonSchema = {}): Schema<string> {
  return { read: (input) => input.text(), json: { type: 'string', description, ...constraints } };
}

/** Text of one form, which `parse` turns into a value. */
export function parsed<T>(json: JsonSchema, expected: string, parse: (text: string) => T): Schema<T> {
  return { read: (input) => input.parsed(parse, expected), json: { type: 'string', ...json } };
}

/** One of some words. */
export function words<const W extends string>(description: string, ...all: readonly W[]): Schema<W> {
  return {
    read: (input) => all.find((each) => each === input.value) ?? input.fail(all.join(' or ')),
    json: { type: 'string', enum: all, description },
  };
}

export function flag(description: string): Schema<boolean> {
  return { read: (input) => input.bool(), json: { type: 'boolean', description } };
}

/** Any JSON: what another process answers, in its own form. */
export function json(description: string): Schema<unknown> {
  return { read: (input) => input.value, json: { description } };
}

/** A whole number, in a parameter its digits. */
export function integer(description: string, { min = 0, max = Number.MAX_SAFE_INTEGER } = {}): Schema<number> {
  return {
    read(input) {
      const digits = typeof input.value === 'string' && /^\d{1,15}$/.test(input.value);
      const value = digits ? Number(input.value) : input.value;
      const fits = typeof value === 'number' && Number.isSafeInteger(value) && value >= min && value <= max;
      return fits ? value : input.fail(`a whole number from ${min} to ${max}`);
    },
    json: { type: 'integer', minimum: min, maximum: max, description },
  };
}

/** A whole number below 2^64 in a parameter, as digits. */
export function u64Digits(description: string): Schema<bigint> {
  return {
    read(input) {
      const { value } = input;
      const number = typeof value === 'string' && /^[0-9]{1,20}$/.test(value) ? BigInt(value) : undefined;
      return number !== undefined && number < 1n << 64n ? number : input.fail('a whole number below 2^64');
    },
    // One digit less than 2^64 has, so that every text of this form is accepted.
    json: { type: 'string', pattern: '^[0-9]{1,19}$', description, examples: ['1'] },
  };
}

/** A whole number in an answer: a JSON number while that is exact, its digits as text from there on. */
export function u64(description: string): Schema<bigint> {
  return {
    read: (input) => input.big(0n, (1n << 64n) - 1n),
    json: {
      description,
      oneOf: [
        { type: 'integer', minimum: 0, maximum: Number.MAX_SAFE_INTEGER },
        { type: 'string', pattern: '^[0-9]{16,20}$' },
      ],
    },
  };
}

export function list<T>(item: Schema<T>, { maxItems = 100_000, minItems = 0 } = {}): Schema<readonly T[]> {
  return {
    read(input) {
      const items = readList(item.read, maxItems)(input);
      return items.length >= minItems ? items : input.fail(`a list of at least ${minItems}`);
    },
    json: { type: 'array', items: item.json, maxItems, ...(minItems > 0 && { minItems }) },
  };
}

export function nullable<T>({ read, json }: Schema<T>): Schema<T | null> {
  return {
    read: (input) => (input.isPresent ? read(input) : null),
    json: { anyOf: [json, { type: 'null' }] },
  };
}

/** A member or parameter that may be absent. */
export function optional<T>(schema: Schema<T>): Schema<T | undefined>;
export function optional<T>(schema: Schema<T>, fallback: T): Schema<T>;
export function optional<T>({ read, json }: Schema<T>, fallback?: T): Schema<T | undefined> {
  return {
    read: (input) => (input.isPresent ? read(input) : fallback),
    json: fallback === undefined ? json : { ...json, default: fallback },
    isOptional: true,
  };
}

/**
 * An object of these members.
 *
 * @param name Of the component that describes it; without one it is described in place.
 * @param isOpen Whether it may have other members, which readers then ignore.
 */
export function object<M extends Members>(
  members: M,
  { name, isOpen = false }: { readonly name?: string; readonly isOpen?: boolean } = {},
): Schema<ObjectOf<M>> {
  const entries = Object.entries(members);
  const read = readObject(Object.fromEntries(entries.map(([key, member]) => [key, member.read])), {
    exact: true,
    strict: !isOpen,
  });
  return {
    // Each member is read by the reader of its name.
    read: (input) => read(input) as ObjectOf<M>,
    json: {
      ...(name !== undefined && { [NAME]: name }),
      type: 'object',
      properties: Object.fromEntries(entries.map(([key, { json }]) => [key, json])),
      required: entries.filter(([, { isOptional }]) => isOptional !== true).map(([key]) => key),
      ...(!isOpen && { additionalProperties: false }),
    },
  };
}

/** The first of these that a value fits. */
export function oneOf<S extends readonly Schema<unknown>[]>(...schemas: S): Schema<TypeOf<S[number]>> {
  return {
    read(input) {
      for (const { read } of schemas) {
        try {
          return read(input) as TypeOf<S[number]>;
        } catch (error) {
          if (!(error instanceof InvalidData)) throw error;
        }
      }
      return input.fail('one of the forms of the documentation', shown(input.value));
    },
    json: { oneOf: schemas.map(({ json }) => json) },
  };
}

/** Made once for each route. The reader reads values under names that a client gave, all of them before it fails. */
export function membersReader<M extends Members>(
  members: M,
): (get: (name: string) => string | undefined) => ObjectOf<M> {
  const names = Object.keys(members);
  const { read } = object(members, { isOpen: true });
  // Nothing to read is an object without members.
  if (names.length === 0) return () => ({}) as ObjectOf<M>;
  return (get) => {
    const given = names.flatMap((name) => {
      const value = get(name);
      return value === undefined ? [] : [[name, value] as const];
    });
    return read(new Input(Object.fromEntries(given), ''));
  };
}
