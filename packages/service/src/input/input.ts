import { exactInteger } from './exact-json.ts';
import { InvalidData, shown, unexpected } from './invalid-data.ts';

/** Turns a value from outside into one of ours. @throws {InvalidData} */
export type Read<T> = (input: Input) => T;

const MAX_ITEMS = 100_000;

/**
 * A value from outside together with its location, in JSON as `JSON.parse` or `parseExactJson` returns it.
 * Members that no reader asks for are not looked at. Paths are made only for errors, so reading allocates little.
 */
export class Input {
  readonly value: unknown;
  readonly #parent: Input | undefined;
  readonly #key: string | number;

  /** @param name Source of the value, such as the name of a method; empty for a document of its own. */
  constructor(value: unknown, name: string | number, parent?: Input) {
    this.value = value;
    this.#key = name;
    this.#parent = parent;
  }

  get path(): string {
    if (this.#parent === undefined) return String(this.#key);
    const before = this.#parent.path;
    if (typeof this.#key === 'number') return `${before}[${this.#key}]`;
    return pathBelow(before, this.#key);
  }

  /** Absent and null are the same, as in Go's JSON and in that of protobuf. */
  get isPresent(): boolean {
    return this.value !== undefined && this.value !== null;
  }

  get isObject(): boolean {
    return typeof this.value === 'object' && this.value !== null && !Array.isArray(this.value);
  }

  at(name: string): Input {
    const object = this.object();
    return new Input(Object.hasOwn(object, name) ? object[name] : undefined, name, this);
  }

  /** `read` of this, or undefined if there is nothing. */
  optional<T>(read: Read<T>): T | undefined {
    return this.isPresent ? read(this) : undefined;
  }

  /** An absent list is empty: Go writes `null` for it. */
  list(maxItems = MAX_ITEMS): Input[] {
    if (!this.isPresent) return [];
    if (!Array.isArray(this.value) || this.value.length > maxItems)
      this.fail(maxItems === Infinity ? 'a list' : `a list of at most ${maxItems}`);
    return this.value.map((item: unknown, index) => new Input(item, index, this));
  }

  /** The members of an object whose keys are data. */
  members(maxMembers = Infinity): (readonly [key: string, member: Input])[] {
    const entries = Object.entries(this.object());
    if (entries.length > maxMembers) this.fail(`at most ${maxMembers} members`, String(entries.length));
    return entries.map(([key, member]) => [key, new Input(member, key, this)]);
  }

  object(): Readonly<Record<string, unknown>> {
    if (!this.isObject) this.fail('an object');
    // Any object may be read at members that it may lack; they are unknown until read.
    return this.value as Readonly<Record<string, unknown>>;
  }

  text(): string {
    return typeof this.value === 'string' ? this.value : this.fail('text');
  }

  bool(): boolean {
    return typeof this.value === 'boolean' ? this.value : this.fail('true or false');
  }

  /** A whole number that a `number` holds exactly. */
  integer(): number {
    const number = typeof this.value === 'bigint' ? Number(this.value) : this.value;
    return typeof number === 'number' && Number.isSafeInteger(number) ? number : this.fail('a whole number');
  }

  /** A whole number as a number or as decimal text; bounds are inclusive. */
  big(min?: bigint, max?: bigint): bigint {
    const number = exactInteger(this.value);
    const isWithin =
      number !== undefined && (min === undefined || number >= min) && (max === undefined || number <= max);
    return isWithin ? number : this.fail(range(min, max));
  }

  /** Result of `parse` for a text; if it throws or returns undefined, something else was expected. */
  parsed<T>(parse: (text: string) => T | undefined, expected: string): T {
    if (typeof this.value !== 'string') this.fail(expected);
    try {
      return parse(this.value) ?? this.fail(expected);
    } catch (error) {
      if (error instanceof InvalidData) throw error;
      throw new InvalidData([unexpected(this.path, expected, shown(this.value))], { cause: error });
    }
  }

  /** @throws {InvalidData} `path: expected ..., got ...` */
  fail(expected: string, got = shown(this.value)): never {
    throw new InvalidData([unexpected(this.path, expected, got)]);
  }

  /** @throws {InvalidData} with a message of its own form. */
  refuse(message: string): never {
    throw new InvalidData([{ path: this.path, message }]);
  }
}

function range(min: bigint | undefined, max: bigint | undefined): string {
  if (min === undefined && max === undefined) return 'a whole number';
  if (max === undefined) return `a whole number of at least ${min}`;
  return `a whole number from ${min === undefined ? 'any' : bound(min)} to ${bound(max)}`;
}

/** Powers of two are easier to read than their digits. */
function bound(value: bigint): string {
  const bits = (value < 0n ? -value : value + 1n).toString(2);
  if (bits.length <= 16 || !/^10+$/.test(bits)) return String(value);
  return value < 0n ? `-2^${bits.length - 1}` : `2^${bits.length - 1} - 1`;
}

/** The path of a member; keys that are no names are quoted, and cut short. */
export function pathBelow(before: string, key: string): string {
  const name = /^[\w$-]{1,70}$/.test(key) ? key : JSON.stringify(key.slice(0, 50));
  return before === '' ? name : `${before}.${name}`;
}
