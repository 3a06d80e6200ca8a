import {
  type ConfigProblem,
  type ExactJson,
  type ExactRecord,
  exactInteger,
  InvalidConfig,
  InvalidJson,
  parseExactJson,
} from '@switchyard/service';

/** Turns the JSON value at `path` into a value of ours, or reports what is wrong there and answers `undefined`. */
export type Read<T> = (value: ExactJson, path: string, report: Report) => T | undefined;
export type Report = (path: string, expected: string, got?: ExactJson) => void;

/**
 * Reads a JSON file into a value, naming all mistakes at once.
 *
 * @throws {InvalidConfig} with one problem for each mistake, each with file and key path.
 */
export function readJson<T>(text: string, file: string, read: Read<T>): T {
  const problems: ConfigProblem[] = [];
  const report: Report = (path, expected, got) =>
    void problems.push({
      variable: path === '' ? file : `${file}: ${path}`,
      expected,
      ...(got === undefined ? {} : { got: show(got) }),
      advice: 'correct the file',
    });
  const value = read(parseFile(text, file), '', report);
  if (problems.length > 0 || value === undefined) throw new InvalidConfig(problems);
  return value;
}

function parseFile(text: string, file: string): ExactJson {
  try {
    return parseExactJson(text);
  } catch (error) {
    if (!(error instanceof InvalidJson)) throw error;
    const { line, column, problem } = error;
    throw new InvalidConfig([
      {
        variable: file,
        expected: 'JSON',
        got: `line ${line}, column ${column}: ${problem}`,
        advice: 'correct the file',
      },
    ]);
  }
}

/**
 * Takes known keys out of a JSON object. Every key may be written in snake_case and in lowerCamelCase, and `done`
 * reports the keys that were not read.
 */
export class RecordReader {
  readonly #record: ExactRecord;
  readonly #path: string;
  readonly #report: Report;
  readonly #taken = new Set<string>();

  constructor(record: ExactRecord, path: string, report: Report) {
    this.#record = record;
    this.#path = path;
    this.#report = report;
  }

  /** The value under one of `names` (given in snake_case), or `fallback` where the key is absent. */
  optional<T>(names: string | readonly string[], read: Read<T>, fallback: T): T {
    const found = this.#take(names);
    if (found === undefined) return fallback;
    return read(found.value, found.path, this.#report) ?? fallback;
  }

  /** As `optional`, but absence is a mistake. The result is only used where no mistake was reported. */
  required<T>(names: string | readonly string[], expected: string, read: Read<T>, placeholder: T): T {
    const found = this.#take(names);
    if (found !== undefined) return read(found.value, found.path, this.#report) ?? placeholder;
    this.#report(join(this.#path, typeof names === 'string' ? names : (names[0] ?? '')), `${expected}, got nothing`);
    return placeholder;
  }

  done(): void {
    for (const key of Object.keys(this.#record)) {
      if (!this.#taken.has(key)) this.#report(join(this.#path, key), 'a known key');
    }
  }

  #take(names: string | readonly string[]): { readonly value: ExactJson; readonly path: string } | undefined {
    const spellings = [names].flat().flatMap((name) => [name, camelCase(name)]);
    const present = [...new Set(spellings)].filter((key) => key in this.#record);
    for (const key of present) this.#taken.add(key);
    const [key, other] = present;
    if (key === undefined) return undefined;
    if (other !== undefined) this.#report(join(this.#path, other), `one spelling of this key; "${key}" is there too`);
    return { value: this.#record[key] ?? null, path: join(this.#path, key) };
  }
}

/** An object, read by `read` through a `RecordReader`. */
export function record<T>(read: (reader: RecordReader) => T): Read<T> {
  return (value, path, report) => {
    if (!isRecord(value)) return void report(path, 'an object', value);
    const reader = new RecordReader(value, path, report);
    const result = read(reader);
    reader.done();
    return result;
  };
}

export function list<T>(read: Read<T>): Read<readonly T[]> {
  return (value, path, report) => {
    if (!Array.isArray(value)) return void report(path, 'a list', value);
    return value
      .map((item: ExactJson, index) => read(item, `${path}[${index}]`, report))
      .filter((item) => item !== undefined);
  };
}

/** An unsigned integer of so many bits, as a JSON number or as decimal text. */
export function unsigned(bits: 32 | 64): Read<bigint> {
  return (value, path, report) => {
    const number = exactInteger(value);
    if (number !== undefined && number >= 0n && number < 1n << BigInt(bits)) return number;
    return void report(path, `an integer from 0 to 2^${bits} - 1`, value);
  };
}

export const flag: Read<boolean> = (value, path, report) =>
  typeof value === 'boolean' ? value : void report(path, 'true or false', value);

/** Text of 1 to `maxBytes` bytes. */
export function string(maxBytes: number): Read<string> {
  return (value, path, report) => {
    if (typeof value === 'string' && value !== '' && Buffer.byteLength(value) <= maxBytes) return value;
    return void report(path, `text of 1 to ${maxBytes} bytes`, value);
  };
}

/** Text that `parse` accepts. */
export function parsed<T>(expected: string, parse: (text: string) => T): Read<T> {
  return (value, path, report) => {
    if (typeof value !== 'string') return void report(path, expected, value);
    try {
      return parse(value);
    } catch {
      return void report(path, expected, value);
    }
  };
}

function isRecord(value: ExactJson): value is ExactRecord {
  return value !== null && typeof value === 'object' && !Array.isArray(value);
}

function camelCase(name: string): string {
  return name.replace(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());
}

function join(path: string, key: string): string {
  return path === '' ? key : `${path}.${key}`;
}

function show(value: ExactJson): string {
  const text = JSON.stringify(value, (_, each) => (typeof each === 'bigint' ? Number(each) : each)) ?? 'nothing';
  return text.length > 100 ? `${text.slice(0, 100)}...` : text;
}
