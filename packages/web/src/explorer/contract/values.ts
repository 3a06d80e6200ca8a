import { showHiddenInJson } from '@switchyard/protocol/hidden-characters';
import { InvalidAmount, parseAmount } from '@switchyard/protocol/values';
import type { ParamType, Result } from 'ethers/abi';
import { hexlify } from 'ethers/utils';
import { shown } from '../../ui/shown.ts';

/** A user typed a value that does not fit the type of a parameter. */
export class InvalidValue extends Error {
  override readonly name = 'InvalidValue';
}

const INTEGER = /^-?(\d{1,80}|0x[0-9a-f]{1,64})$/i;

/** The value of a form's field; lists and tuples are typed as JSON. @throws {InvalidValue} */
export function parseValue(type: ParamType, text: string): unknown {
  const trimmed = text.trim();
  if (!type.isArray() && !type.isTuple()) return plainValue(type, type.baseType === 'string' ? text : trimmed);
  return nestedValue(type, parseJson(type, trimmed));
}

function plainValue({ baseType, type }: ParamType, text: string): unknown {
  if (baseType === 'string') return text;
  if (baseType === 'bool') {
    if (text !== 'true' && text !== 'false') throw invalid(type, 'true or false', text);
    return text === 'true';
  }
  if (baseType === 'address') {
    if (!/^0x[0-9a-f]{40}$/i.test(text)) throw invalid(type, '0x and 40 hex digits', text);
    return text;
  }
  if (baseType.startsWith('bytes')) return bytesValue(type, text);
  if (!INTEGER.test(text)) throw invalid(type, 'a whole number', text);
  const number = text.startsWith('-') ? -BigInt(text.slice(1)) : BigInt(text);
  const bits = BigInt(baseType.replace(/\D/g, '') || '256');
  const [min, max] = baseType.startsWith('u') ? [0n, 1n << bits] : [-(1n << (bits - 1n)), 1n << (bits - 1n)];
  if (number < min || number >= max) throw invalid(type, `a number that ${baseType} can hold`, text);
  return number;
}

function bytesValue(type: string, text: string): string {
  const length = type.slice('bytes'.length);
  const isHex = /^0x([0-9a-f]{2})*$/i.test(text);
  if (!isHex || (length !== '' && text.length !== 2 + 2 * Number(length)))
    throw invalid(type, length === '' ? 'bytes in hex' : `${length} bytes in hex`, text);
  return text;
}

function nestedValue(type: ParamType, value: unknown): unknown {
  if (type.isArray()) {
    const { arrayChildren, arrayLength } = type;
    if (!Array.isArray(value) || (arrayLength !== -1 && value.length !== arrayLength))
      throw invalid(type.type, arrayLength === -1 ? 'a list' : `a list of ${arrayLength}`, JSON.stringify(value));
    return value.map((each) => nestedValue(arrayChildren, each));
  }
  if (type.isTuple()) {
    const { components } = type;
    const members = Array.isArray(value) ? value : components.map(({ name }) => Object(value)[name]);
    if (members.length !== components.length)
      throw invalid(type.type, `${components.length} members`, JSON.stringify(value));
    return components.map((component, index) => nestedValue(component, members[index]));
  }
  if (typeof value === 'number' && !Number.isSafeInteger(value))
    throw invalid(type.type, 'a number this long as text', String(value));
  return plainValue(type, String(value));
}

function parseJson({ type }: ParamType, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw invalid(type, 'JSON', text);
  }
}

/** Wei of an amount in coins. @throws {InvalidValue} */
export function parseCoins(text: string): bigint {
  try {
    return parseAmount(text.trim() || '0', 18, 0n);
  } catch (error) {
    throw error instanceof InvalidAmount ? new InvalidValue(`value: ${error.message}`) : error;
  }
}

/** One of several results, ready to be shown: a contract of a stranger chose it. A text that is no UTF-8 is an error when it is read, and shown as bytes. */
export function resultAt(type: ParamType, results: Result, index: number): string {
  try {
    return resultText(type, results[index]);
  } catch (error) {
    const bytes: unknown = Object(Object(error).error).value;
    if (bytes instanceof Uint8Array) return hexlify(bytes);
    throw error;
  }
}

/** A result for people: numbers by their digits, lists and tuples as JSON. */
export function resultText(type: ParamType, value: unknown): string {
  const plain = toPlain(type, value);
  return typeof plain === 'string' ? shown(plain) : showHiddenInJson(JSON.stringify(plain, undefined, 1));
}

function toPlain(type: ParamType, value: unknown): unknown {
  if (type.isArray()) return (value as Result).toArray().map((each: unknown) => toPlain(type.arrayChildren, each));
  if (type.isTuple()) {
    const members = (value as Result).toArray().map((each: unknown, index: number) => {
      const component = type.components[index] ?? type;
      return [component.name || String(index), toPlain(component, each)] as const;
    });
    return Object.fromEntries(members);
  }
  return String(value);
}

const invalid = (name: string, expected: string, got: string): InvalidValue =>
  new InvalidValue(`${name}: expected ${expected}, got ${got === '' ? 'nothing' : JSON.stringify(got.slice(0, 100))}`);
