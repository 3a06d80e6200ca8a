/** Recordings of Celestia (testdata/celestia/README.md), and a plain reader of them: that of the service package is out of reach. */
// biome-ignore lint/style/noRestrictedImports: the vectors are files, which nothing but tests reads.
import { readFileSync } from 'node:fs';
import { fromHex } from '../accounts/ids.ts';
import type { JsonInput } from '../comet/json.ts';

export class Vector implements JsonInput {
  readonly value: unknown;

  constructor(value: unknown) {
    this.value = value;
  }

  at(name: string): Vector {
    return new Vector(typeof this.value === 'object' && this.value !== null && Reflect.get(this.value, name));
  }

  list(maxItems = Infinity): Vector[] {
    if (this.#isAbsent) return [];
    return Array.isArray(this.value) && this.value.length <= maxItems
      ? this.value.map((item) => new Vector(item))
      : this.fail('a list');
  }

  text(): string {
    return typeof this.value === 'string' ? this.value : this.fail('text');
  }

  bool(): boolean {
    return typeof this.value === 'boolean' ? this.value : this.fail('true or false');
  }

  integer(): number {
    return typeof this.value === 'number' && Number.isSafeInteger(this.value) ? this.value : this.fail('a number');
  }

  big(min?: bigint, max?: bigint): bigint {
    if (typeof this.value !== 'string' && typeof this.value !== 'number') this.fail('a number');
    if (!/^-?\d+$/.test(String(this.value))) this.fail('a number');
    const number = BigInt(this.value);
    return (min === undefined || number >= min) && (max === undefined || number <= max) ? number : this.fail('less');
  }

  optional<T>(read: (input: Vector) => T): T | undefined {
    return this.#isAbsent ? undefined : read(this);
  }

  parsed<T>(parse: (text: string) => T): T {
    return parse(this.text());
  }

  fail(expected: string): never {
    throw new TypeError(`expected ${expected}, got ${JSON.stringify(this.value)?.slice(0, 50)}`);
  }

  hex(): Uint8Array {
    return fromHex(this.text());
  }

  get #isAbsent(): boolean {
    return this.value === undefined || this.value === null;
  }
}

export function vector(name: string): Vector {
  return new Vector(JSON.parse(readFileSync(new URL(`../../testdata/celestia/${name}`, import.meta.url), 'utf8')));
}
