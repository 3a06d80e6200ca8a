import type { Input, Read } from './input.ts';
import { InvalidData, type Problem, shown, unexpected } from './invalid-data.ts';
import { nearest } from './nearest.ts';
import { type JsonSchema, type Schema, schema, type TypeOf } from './schema.ts';

/* Schemas made of others. Those of objects and lists read on after a mistake, so that all are named at once. */

export type Members = Readonly<Record<string, Read<unknown>>>;
type Camel<K> = K extends `${infer Head}_${infer Tail}` ? `${Head}${Capitalize<Camel<Tail>>}` : K;
type OptionalKeys<M> = { [K in keyof M]: undefined extends TypeOf<M[K]> ? K : never }[keyof M];

/** Result of {@link object}: the members under their names in lowerCamelCase. */
export type ObjectOf<M extends Readonly<Record<string, unknown>>> = {
  readonly [K in Exclude<keyof M, OptionalKeys<M>> as Camel<K>]: TypeOf<M[K]>;
} & { readonly [K in OptionalKeys<M> as Camel<K>]?: TypeOf<M[K]> };

/** Under which a schema stands among the components of a document that describes an API. */
export const NAME = 'x-name';

/** A plain reader is not described. */
function factsOf(read: Read<unknown>): { readonly json: JsonSchema; readonly isOptional: boolean } {
  return 'json' in read ? (read as Schema<unknown>) : { json: {}, isOptional: false };
}

export interface ObjectOptions {
  /** Names the component that describes it; without one it is described in place. */
  readonly name?: string;
  /** Other names of members. */
  readonly aliases?: Readonly<Record<string, string>>;
  /** Whether a name in snake_case is that spelling alone. */
  readonly exact?: boolean;
  /** Whether a key that no member has is a mistake. */
  readonly strict?: boolean;
}

/** An object with these members. A name in snake_case may also be written in lowerCamelCase. */
export function object<M extends Members>(
  members: M,
  { name: component, aliases = {}, exact = false, strict = false }: ObjectOptions = {},
): Schema<ObjectOf<M>> {
  const names = new Map<string, string>();
  const spellings = [...Object.keys(members).map((name) => [name, name] as const), ...Object.entries(aliases)];
  for (const [spelling, name] of spellings) {
    names.set(spelling, name);
    if (!exact) names.set(camelCase(spelling), name);
  }
  const described = Object.entries(members).map(([name, read]) => [name, factsOf(read)] as const);
  const json = {
    ...(component !== undefined && { [NAME]: component }),
    type: 'object',
    properties: Object.fromEntries(described.map(([name, each]) => [name, each.json])),
    required: described.filter(([, { isOptional }]) => !isOptional).map(([name]) => name),
    ...(strict && { additionalProperties: false }),
  };
  return schema(
    (input) => {
      const misnamed: Problem[] = [];
      const written = new Map<string, string>();
      for (const [key, value] of Object.entries(input.object())) {
        const name = names.get(key);
        if (name === undefined) {
          if (strict && misnamed.length < MAX_PROBLEMS)
            misnamed.push(unexpected(input.at(key).path, knownKey(key, Object.keys(members))));
          continue;
        }
        if (value === null) continue;
        const other = written.get(name);
        if (other === undefined) written.set(name, key);
        else misnamed.push(unexpected(input.at(key).path, `one spelling of this key; "${other}" is there too`));
      }
      const problems = new Problems();
      const entries = Object.entries(members).map(([name, read]) => [
        camelCase(name),
        problems.of(() => read(input.at(written.get(name) ?? name))),
      ]);
      problems.add(...misnamed);
      problems.end();
      // Each member was read by the reader of its name.
      return Object.fromEntries(entries) as ObjectOf<M>;
    },
    { expects: 'an object', json },
  );
}

/** An {@link object} for which a key that is not in the table is a mistake. */
export function strictObject<M extends Members>(members: M, options: ObjectOptions = {}): Schema<ObjectOf<M>> {
  return object(members, { ...options, strict: true });
}

/** Reads an absent value, or null, as `fallback`. */
export function optional<T>(item: Read<T>): Schema<T | undefined>;
export function optional<T>(item: Read<T>, fallback: NoInfer<T>): Schema<T>;
export function optional<T>(item: Read<T>, fallback?: T): Schema<T | undefined> {
  const facts = factsOf(item);
  return schema<T | undefined>((input) => (input.isPresent ? item(input) : fallback), {
    ...facts,
    // Descriptions are JSON, which has no bigint.
    json: fallback === undefined ? facts.json : { ...facts.json, default: toJson(fallback) },
    isOptional: true,
  });
}

function toJson(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value, (_, each: unknown) => (typeof each === 'bigint' ? String(each) : each)));
}

/** Reads an absent value as null. */
export function nullable<T>(item: Read<T>): Schema<T | null> {
  return schema((input) => (input.isPresent ? item(input) : null), {
    json: { anyOf: [factsOf(item).json, { type: 'null' }] },
  });
}

/** A list, which must be there; in text its items stand between commas, and none is an empty list. */
export function list<T>(item: Read<T>, maxItems = Infinity): Schema<readonly T[]> {
  const { json, expects = '', example = '', fromText } = factsOf(item) as Partial<Schema<T>>;
  return schema((input) => (input.isPresent ? readEach(input.list(maxItems), item) : input.fail('a list')), {
    expects: `a list, separated by commas, of ${expects}`,
    example,
    json: { type: 'array', items: json, maxItems },
    fromText(text, env) {
      const parts = text.split(',').flatMap((part) => (part.trim() === '' ? [] : [fromText?.(part.trim(), env)]));
      const items = parts.filter((item) => item !== undefined);
      return items.length === parts.length ? items : undefined;
    },
  });
}

/** The first of these that a value fits. */
export function anyOf<S extends readonly Read<unknown>[]>(...all: S): Schema<TypeOf<S[number]>> {
  return schema(
    (input) => {
      for (const read of all) {
        const found = ifValid(read)(input);
        if (found !== undefined) return found as TypeOf<S[number]>;
      }
      return input.fail('one of the forms of the documentation', shown(input.value));
    },
    { json: { oneOf: all.map((each) => factsOf(each).json) } },
  );
}

/** `read` of each item. @throws {InvalidData} naming the problems of all. */
export function readEach<I, T>(items: readonly I[], read: (item: I) => T): T[] {
  const problems = new Problems();
  const results: T[] = [];
  for (const item of items) {
    if (problems.isFull) break;
    problems.of(() => results.push(read(item)));
  }
  problems.end();
  return results;
}

/** Undefined if `read` does not accept the value: for values that are only shown, or dispensable. */
export function ifValid<T>(read: Read<T>): Read<T | undefined> {
  return (input) => {
    try {
      return read(input);
    } catch (error) {
      if (error instanceof InvalidData) return undefined;
      throw error;
    }
  };
}

/** The items that are as expected; none if it is no list. */
export function validItems<T>(read: Read<T>): Read<readonly T[]> {
  return (input) => {
    const items = Array.isArray(input.value) ? input.list(Infinity).map(ifValid(read)) : [];
    return items.filter((item) => item !== undefined);
  };
}

/** Results of several readers of the same value. */
export function all<const R extends readonly Read<unknown>[]>(
  ...reads: R
): Read<{ readonly [I in keyof R]: R[I] extends Read<infer T> ? T : never }> {
  // One result for each reader, in their order.
  return (input) =>
    readEach(reads, (read) => read(input)) as { [I in keyof R]: R[I] extends Read<infer T> ? T : never };
}

/** Result of `convert` for a value that was read; it may find fault with the input. */
export function mapped<A, B>(read: Read<A>, convert: (value: A, input: Input) => B): Read<B> {
  return (input) => convert(read(input), input);
}

/** Enough to correct a file by, and a bound for strangers' texts. */
const MAX_PROBLEMS = 100;

function knownKey(got: string, names: readonly string[]): string {
  const like = nearest(got, names);
  return `a known key${like === undefined ? '' : `, such as ${JSON.stringify(like)}`}: ${names.join(', ')}`;
}

/** Gathers problems. */
class Problems {
  readonly #found: Problem[] = [];

  get isFull(): boolean {
    return this.#found.length >= MAX_PROBLEMS;
  }

  /** Readers of the same value find the same mistake, which is named once. */
  add(...problems: readonly Problem[]): void {
    for (const problem of problems) {
      const isKnown = this.#found.some(({ path, message }) => path === problem.path && message === problem.message);
      if (!isKnown && !this.isFull) this.#found.push(problem);
    }
  }

  of<T>(read: () => T): T | undefined {
    try {
      return read();
    } catch (error) {
      if (!(error instanceof InvalidData)) throw error;
      this.add(...error.problems);
      return undefined;
    }
  }

  end(): void {
    if (this.#found.length > 0) throw new InvalidData(this.#found);
  }
}

/** Digits stay with the word before them, as in `ics20_withdrawal`. */
function camelCase(name: string): string {
  return name.replaceAll(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());
}

/** The other way round, for tables made from names in lowerCamelCase. */
export function snakeCase(name: string): string {
  return name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
