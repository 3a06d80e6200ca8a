/** A server returned invalid data. */
export class BadAnswer extends Error {
  override readonly name = 'BadAnswer';
}

/**
 * A value in a JSON answer together with the path to it. Reading fails with the path and what was expected.
 * Members that are not read are ignored, so a newer server may send more.
 */
export class Answer {
  readonly #value: unknown;
  readonly #path: string;

  /** @param path Where the value comes from, such as the name of a method. */
  constructor(value: unknown, path: string) {
    this.#value = value;
    this.#path = path;
  }

  at(name: string): Answer {
    const value = this.#value;
    if (typeof value !== 'object' || value === null || Array.isArray(value)) throw this.#bad('an object');
    const member: unknown = Object.hasOwn(value, name) ? Reflect.get(value, name) : undefined;
    return new Answer(member, `${this.#path}.${name}`);
  }

  /** Absent and null are the same. */
  get isPresent(): boolean {
    return this.#value !== undefined && this.#value !== null;
  }

  /** `read` of this, or undefined where there is nothing. */
  optional<T>(read: (answer: Answer) => T): T | undefined {
    return this.isPresent ? read(this) : undefined;
  }

  /** An absent list is empty: Go writes `null` for it. */
  list(maxItems = 100_000): Answer[] {
    if (!this.isPresent) return [];
    if (!Array.isArray(this.#value) || this.#value.length > maxItems) throw this.#bad(`a list of at most ${maxItems}`);
    return this.#value.map((item: unknown, index) => new Answer(item, `${this.#path}[${index}]`));
  }

  text(): string {
    if (typeof this.#value !== 'string') throw this.#bad('text');
    return this.#value;
  }

  bool(): boolean {
    if (typeof this.#value !== 'boolean') throw this.#bad('true or false');
    return this.#value;
  }

  /** A whole number that a number holds exactly. */
  integer(): number {
    if (!Number.isSafeInteger(this.#value)) throw this.#bad('a whole number');
    return Number(this.#value);
  }

  /** A whole number of any size, as decimal text or as a number. */
  big(): bigint {
    if (typeof this.#value === 'string' && /^-?\d{1,40}$/.test(this.#value)) return BigInt(this.#value);
    if (Number.isSafeInteger(this.#value)) return BigInt(Number(this.#value));
    throw this.#bad('a whole number');
  }

  object(): Readonly<Record<string, unknown>> {
    const value = this.#value;
    if (typeof value !== 'object' || value === null || Array.isArray(value)) throw this.#bad('an object');
    return { ...value };
  }

  /** What `parse` makes of text; where it throws, the answer is bad. */
  parsed<T>(parse: (text: string) => T, expected: string): T {
    const text = this.text();
    try {
      return parse(text);
    } catch (error) {
      throw this.#bad(expected, error);
    }
  }

  fail(expected: string): never {
    throw this.#bad(expected);
  }

  #bad(expected: string, cause?: unknown): BadAnswer {
    const got =
      this.#value === undefined ? 'nothing' : (JSON.stringify(this.#value)?.slice(0, 60) ?? typeof this.#value);
    return new BadAnswer(`${this.#path}: expected ${expected}, got ${got}`, { cause });
  }
}
