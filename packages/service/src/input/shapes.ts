import type { Input, Read } from './input.ts';
import { InvalidData, type Problem, unexpected } from './invalid-data.ts';

/* Readers made of readers. Those of objects and lists read on after a mistake, so that all are named at once. */

export type Members = Readonly<Record<string, Read<unknown>>>;
type Camel<K> = K extends `${infer Head}_${infer Tail}` ? `${Head}${Capitalize<Camel<Tail>>}` : K;

/** What {@link object} returns: the members under their names in lowerCamelCase. */
export type ObjectOf<M extends Members> = {
  readonly [K in keyof M as Camel<K>]: M[K] extends Read<infer T> ? T : never;
};

export interface ObjectOptions {
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
  { aliases = {}, exact = false, strict = false }: ObjectOptions = {},
): Read<ObjectOf<M>> {
  const names = new Map<string, string>();
  const spellings = [...Object.keys(members).map((name) => [name, name] as const), ...Object.entries(aliases)];
  for (const [spelling, name] of spellings) {
    names.set(spelling, name);
    if (!exact) names.set(camelCase(spelling), name);
  }
  return (input) => {
    const misnamed: Problem[] = [];
    const written = new Map<string, string>();
    for (const [key, value] of Object.entries(input.object())) {
      const name = names.get(key);
      if (name === undefined) {
        if (strict && misnamed.length < MAX_PROBLEMS)
          misnamed.push(unexpected(input.at(key).path, `a known key: ${Object.keys(members).join(', ')}`));
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
  };
}

/** As {@link object}, where a key that is not in the table is a mistake. */
export function strictObject<M extends Members>(members: M, options: ObjectOptions = {}): Read<ObjectOf<M>> {
  return object(members, { ...options, strict: true });
}

/** What is absent or null is `fallback`. */
export function optional<T>(read: Read<T>): Read<T | undefined>;
export function optional<T>(read: Read<T>, fallback: T): Read<T>;
export function optional<T>(read: Read<T>, fallback?: T): Read<T | undefined> {
  return (input) => (input.isPresent ? read(input) : fallback);
}

/** A list, which must be there. */
export function list<T>(read: Read<T>, maxItems = Infinity): Read<readonly T[]> {
  return (input) => (input.isPresent ? readEach(input.list(maxItems), read) : input.fail('a list'));
}

/** `read` of each item. @throws {InvalidData} naming what is wrong with any of them. */
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

/** Undefined where the value is not what `read` expects: for what is only shown, or can be done without. */
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

/** The items that are as expected; none where it is no list. */
export function validItems<T>(read: Read<T>): Read<readonly T[]> {
  return (input) => {
    const items = Array.isArray(input.value) ? input.list(Infinity).map(ifValid(read)) : [];
    return items.filter((item) => item !== undefined);
  };
}

/** What several readers make of the same value. */
export function all<const R extends readonly Read<unknown>[]>(
  ...reads: R
): Read<{ readonly [I in keyof R]: R[I] extends Read<infer T> ? T : never }> {
  // One result for each reader, in their order.
  return (input) =>
    readEach(reads, (read) => read(input)) as { [I in keyof R]: R[I] extends Read<infer T> ? T : never };
}

/** What `convert` makes of what was read; it may find fault with the input. */
export function mapped<A, B>(read: Read<A>, convert: (value: A, input: Input) => B): Read<B> {
  return (input) => convert(read(input), input);
}

export const text: Read<string> = (input) => input.text();

export const flag: Read<boolean> = (input) => input.bool();

/** Text of 1 to `maxBytes` bytes. */
export function shortText(maxBytes: number): Read<string> {
  return (input) => {
    const { value } = input;
    const fits = typeof value === 'string' && value !== '' && new TextEncoder().encode(value).length <= maxBytes;
    return fits ? value : input.fail(`text of 1 to ${maxBytes} bytes`);
  };
}

/** An unsigned integer of so many bits, as a number or as decimal text. */
export function unsigned(bits: 32 | 64): Read<bigint> {
  const max = (1n << BigInt(bits)) - 1n;
  return (input) => input.big(0n, max);
}

/** Text that `parse` accepts. */
export function parsed<T>(expected: string, parse: (text: string) => T): Read<T> {
  return (input) => input.parsed(parse, expected);
}

/** Enough to correct a file by, and a bound for what a stranger sends. */
const MAX_PROBLEMS = 100;

/** Gathers what is wrong. */
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
