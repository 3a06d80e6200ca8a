import { type ExactJson, exactInteger, exactJsonText } from '@switchyard/service';

/**
 * Reads JSON that a person wrote into checked values and collects every mistake with its path, so that
 * one run names them all. Keys are accepted in lowerCamelCase and in snake_case; any other key is a mistake.
 */

export interface Problem {
  /** Such as `app_state.accounts[2].balance.lo`, in the spelling of the document. */
  readonly path: string;
  readonly message: string;
}

/** Returns `undefined` after adding at least one problem. */
export type Read<T> = (value: unknown, path: string, problems: Problem[]) => T | undefined;

export interface Member<T> {
  readonly read: Read<T>;
  readonly required: boolean;
}

export function required<T>(read: Read<T>): Member<T> & { readonly required: true } {
  return { read, required: true };
}

export function optional<T>(read: Read<T>): Member<T> & { readonly required: false } {
  return { read, required: false };
}

type Members = Readonly<Record<string, Member<unknown>>>;

/** What {@link object} returns: a required member that could not be read makes the whole unreadable. */
export type ObjectOf<M extends Members> = {
  readonly [K in keyof M]: M[K] extends { required: true; read: Read<infer T> }
    ? T
    : M[K] extends { read: Read<infer T> }
      ? T | undefined
      : never;
};

/** An object with these members, named in lowerCamelCase. `null` counts as absent, as in the JSON of protobuf. */
export function object<M extends Members>(members: M): Read<ObjectOf<M>> {
  return (value, path, problems) => {
    if (typeof value !== 'object' || value === null || Array.isArray(value))
      return wrong(problems, path, 'an object', value);
    const before = problems.length;
    const found = new Map<string, unknown>();
    for (const [key, member] of Object.entries(value)) {
      const name = camel(key);
      if (!Object.hasOwn(members, name)) {
        problems.push({
          path: `${path}.${key}`,
          message: `unknown key; known here: ${Object.keys(members).map(snake).join(', ')}`,
        });
        continue;
      }
      if (found.has(name)) problems.push({ path: `${path}.${key}`, message: 'given twice, in both spellings' });
      const read = member === null ? undefined : members[name]?.read(member, `${path}.${key}`, problems);
      if (member !== null) found.set(name, read);
    }
    for (const [name, member] of Object.entries(members)) {
      if (member.required && !found.has(name)) problems.push({ path: `${path}.${snake(name)}`, message: 'missing' });
    }
    if (problems.length > before) return undefined;
    // Every required member has been read, or there would be a problem.
    return Object.fromEntries(Object.keys(members).map((name) => [name, found.get(name)])) as ObjectOf<M>;
  };
}

export function list<T>(read: Read<T>): Read<readonly T[]> {
  return (value, path, problems) => {
    if (!Array.isArray(value)) return wrong(problems, path, 'a list', value);
    const items: T[] = [];
    for (const [index, item] of value.entries()) {
      const got = read(item, `${path}[${index}]`, problems);
      if (got !== undefined) items.push(got);
    }
    return items.length === value.length ? items : undefined;
  };
}

export const text: Read<string> = (value, path, problems) =>
  typeof value === 'string' ? value : wrong(problems, path, 'a text', value);

export const flag: Read<boolean> = (value, path, problems) =>
  typeof value === 'boolean' ? value : wrong(problems, path, 'true or false', value);

/** An unsigned 64-bit integer, as a number or as decimal text. */
export const uint64: Read<bigint> = (value, path, problems) => {
  const limit = (1n << 64n) - 1n;
  const number = exactInteger(value);
  if (number !== undefined && number >= 0n && number <= limit) return number;
  return wrong(problems, path, `an integer from 0 to ${limit}`, value);
};

/** Applies `convert`, whose error becomes a problem at this path. */
export function mapped<A, B>(read: Read<A>, convert: (value: A) => B): Read<B> {
  return (value, path, problems) => {
    const input = read(value, path, problems);
    if (input === undefined) return undefined;
    try {
      return convert(input);
    } catch (error) {
      problems.push({ path, message: error instanceof Error ? error.message : String(error) });
      return undefined;
    }
  };
}

function wrong(problems: Problem[], path: string, expected: string, got: unknown): undefined {
  // What is read here was parsed as JSON, or is of that form.
  const shown = got === undefined ? 'nothing' : exactJsonText(got as ExactJson);
  problems.push({ path, message: `expected ${expected}, got ${shown.length > 80 ? `${shown.slice(0, 80)}…` : shown}` });
}

function camel(key: string): string {
  return key.replaceAll(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());
}

/** Digits stay with the word before them, as in `ics20_withdrawal`. */
export function snake(name: string): string {
  return name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
