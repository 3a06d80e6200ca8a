import { checksummed } from '@switchyard/protocol/ethereum';
import { AbiCoder, type ParamType, type Result } from 'ethers/abi';
import type { Argument, Shown } from '../../contract/evm-contracts.ts';
import type { Parameter } from './abi.ts';
import { decodeWords } from './words.ts';

/** Longer data is not decoded. */
export const MAX_DECODED_BYTES = 32_768;
const MAX_VALUES = 1_000;
const MAX_TEXT = 8_192;
/** Characters of all names, types and values of a call or log: types of nested tuples are long, and each element has them. */
const MAX_CHARACTERS = 65_536;
/** Offsets may point at the same bytes again and again. */
const MAX_INFLATION = 8;
AbiCoder._setDefaultMaxInflation(MAX_INFLATION);
const coder = new AbiCoder();

/** @returns undefined if the bytes are not the encoding of these parameters. */
export function decodeValues(parameters: readonly Parameter[], data: string): Argument[] | undefined {
  if (data.length > 2 + 2 * MAX_DECODED_BYTES) return undefined;
  const words = decodeWords(parameters, data);
  if (words !== undefined)
    return parameters.map(({ name, type }, index) => ({ name, type, value: words[index] ?? null }));
  try {
    const values = coder.decode(
      parameters.map(({ coded }) => coded),
      data,
    );
    return shownMembers(parameters, values, { values: MAX_VALUES, characters: MAX_CHARACTERS });
  } catch (error) {
    if (isDecodingError(error)) return undefined;
    throw error;
  }
}

interface Budget {
  values: number;
  characters: number;
}

const isSpent = ({ values, characters }: Budget): boolean => values <= 0 || characters <= 0;

function shownMembers(parameters: readonly Parameter[], values: Result, budget: Budget): Argument[] {
  return parameters.map((parameter, index) => {
    const { name, type, coded } = parameter;
    budget.characters -= name.length + type.length;
    return { name, type, value: shownAt(parameter, coded, values, index, budget) };
  });
}

/** A value that cannot be decoded is an error only when it is read. @param coded Of the parameter, or of its elements. */
function shownAt(parameter: Parameter, coded: ParamType, values: Result, index: number, budget: Budget): Shown {
  if (isSpent(budget)) return null;
  budget.values -= 1;
  try {
    return shownValue(parameter, coded, values[index], budget);
  } catch (error) {
    if (isDecodingError(error)) return null;
    throw error;
  }
}

function shownValue(parameter: Parameter, coded: ParamType, value: unknown, budget: Budget): Shown {
  if (coded.isArray()) {
    const values = value as Result;
    const shown: Shown[] = [];
    for (let index = 0; index < values.length && !isSpent(budget); index += 1)
      shown.push(shownAt(parameter, coded.arrayChildren, values, index, budget));
    if (shown.length < values.length) shown.push(`… ${values.length - shown.length} more`);
    return shown;
  }
  if (coded.isTuple()) return shownMembers(parameter.components, value as Result, budget);
  if (typeof value === 'boolean') return value;
  const text = String(value);
  if (parameter.base === 'function') {
    budget.characters -= text.length;
    return [
      { name: 'address', type: 'address', value: checksummed(text.slice(2, 42)) },
      { name: 'selector', type: 'bytes4', value: `0x${text.slice(42)}` },
    ];
  }
  const shown = cutText(parameter.base === 'string' ? toText(text) : text);
  budget.characters -= shown.length;
  return shown;
}

export const cutText = (text: string): string => (text.length > MAX_TEXT ? `${text.slice(0, MAX_TEXT)}…` : text);

/** Bytes that are no UTF-8 stay hex. */
function toText(hex: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(Buffer.from(hex.slice(2), 'hex'));
  } catch {
    return hex;
  }
}

/** Whether it, or a member of it, has a type that is not known. */
export const hasUnknown = ({ base, components }: Parameter): boolean =>
  base === undefined || components.some(hasUnknown);

/** Errors of the library have a code, or the error that reading a value was put off with. */
const isDecodingError = (error: unknown): boolean =>
  error instanceof RangeError || (error instanceof Error && ('code' in error || 'error' in error));
