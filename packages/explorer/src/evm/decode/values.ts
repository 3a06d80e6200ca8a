import { AbiCoder, type ParamType, type Result } from 'ethers/abi';
import { decodeWords } from './words.ts';

/** A decoded value: amounts as decimal text, bytes as hex; null where the encoding is not one of the type. */
export type Shown = string | boolean | null | readonly Shown[] | readonly Argument[];

export interface Argument {
  readonly name: string;
  readonly type: string;
  /** The members of a tuple as arguments. */
  readonly value: Shown;
}

/** What is longer is not decoded. */
export const MAX_DECODED_BYTES = 32_768;
const MAX_VALUES = 1_000;
const MAX_TEXT = 8_192;
/** Offsets may point at the same bytes again and again. */
const MAX_INFLATION = 8;
AbiCoder._setDefaultMaxInflation(MAX_INFLATION);
const coder = new AbiCoder();

/** @returns undefined where the bytes are not the encoding of these parameters. */
export function decodeValues(parameters: readonly ParamType[], data: string): Argument[] | undefined {
  if (data.length > 2 + 2 * MAX_DECODED_BYTES) return undefined;
  const words = decodeWords(parameters, data);
  if (words !== undefined)
    return parameters.map(({ name, type }, index) => ({ name, type, value: words[index] ?? null }));
  try {
    return shownMembers(parameters, coder.decode(parameters, data), { values: MAX_VALUES });
  } catch (error) {
    if (isDecodingError(error)) return undefined;
    throw error;
  }
}

interface Budget {
  values: number;
}

function shownMembers(parameters: readonly ParamType[], values: Result, budget: Budget): Argument[] {
  return parameters.map((parameter, index) => ({
    name: parameter.name,
    type: typeText(parameter),
    value: shownAt(parameter, values, index, budget),
  }));
}

/** A value that cannot be decoded is an error only when it is read. */
function shownAt(type: ParamType, values: Result, index: number, budget: Budget): Shown {
  budget.values -= 1;
  if (budget.values < 0) return null;
  try {
    return shownValue(type, values[index], budget);
  } catch (error) {
    if (isDecodingError(error)) return null;
    throw error;
  }
}

function shownValue(type: ParamType, value: unknown, budget: Budget): Shown {
  if (type.isArray()) {
    const values = value as Result;
    const shown: Shown[] = [];
    for (let index = 0; index < values.length && budget.values > 0; index += 1)
      shown.push(shownAt(type.arrayChildren, values, index, budget));
    if (shown.length < values.length) shown.push(`… ${values.length - shown.length} more`);
    return shown;
  }
  if (type.isTuple()) return shownMembers(type.components, value as Result, budget);
  if (typeof value === 'boolean') return value;
  const text = String(value);
  return text.length > MAX_TEXT ? `${text.slice(0, MAX_TEXT)}…` : text;
}

/** As Solidity writes it, tuples by their members. */
export const typeText = (type: ParamType): string => type.format('sighash');

/** Errors of the library have a code, or the error that reading a value was put off with. */
const isDecodingError = (error: unknown): boolean =>
  error instanceof RangeError || (error instanceof Error && ('code' in error || 'error' in error));
