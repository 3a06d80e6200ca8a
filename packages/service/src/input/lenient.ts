import { readFileSync } from 'node:fs';
import { tried } from './failure.ts';
import { Input, type Read } from './input.ts';
import { parseInput } from './parse-input.ts';
import { ifValid } from './shapes.ts';

/* Lenient reading: status pages of our services, and files that we write ourselves and can do without. */

/** Parses JSON text with `read`; `undefined` if it is not as expected. */
export function readJson<T>(text: string, read: Read<T>): T | undefined {
  return ifValid((input) => read(parseInput(input.text(), '')))(new Input(text, ''));
}

/** Parses a JSON file with `read`; `undefined` also if it cannot be read. */
export function readJsonFile<T>(path: string, read: Read<T>): T | undefined {
  const text = tried(Error, undefined, () => readFileSync(path, 'utf8'));
  return text === undefined ? undefined : readJson(text, read);
}

/** Checks a decoded value with `read`; `undefined` if it is not as expected. */
export function readValue<T>(value: unknown, read: Read<T>): T | undefined {
  return ifValid(read)(new Input(value, ''));
}

const MAX_WHOLE = BigInt(Number.MAX_SAFE_INTEGER);

/** A whole number, also as decimal text. */
export const whole: Read<number> = (input) => Number(input.big(-MAX_WHOLE, MAX_WHOLE));
