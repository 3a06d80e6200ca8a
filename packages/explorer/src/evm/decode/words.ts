import { checksummed } from '@switchyard/protocol/ethereum';

/** Digits of a word. */
const WORD = 64;
const ADDRESS = /^0{24}[0-9a-f]{40}$/;

/**
 * Values of parameters that take one word each, as text: most values of calls and logs, and the general coder takes a hundred
 * times as long for it.
 *
 * @param data With `0x`.
 * @returns undefined if the general coder has to look: at other types, and at words invalid for their type.
 */
export function decodeWords(parameters: readonly { readonly type: string }[], data: string) {
  if (data.length !== 2 + WORD * parameters.length) return undefined;
  const values: (string | boolean)[] = [];
  for (const [index, { type }] of parameters.entries()) {
    const value = wordValue(type, data.slice(2 + WORD * index, 2 + WORD * (index + 1)).toLowerCase());
    if (value === undefined) return undefined;
    values.push(value);
  }
  return values;
}

function wordValue(type: string, word: string): string | boolean | undefined {
  if (type === 'address') return ADDRESS.test(word) ? checksummed(word.slice(WORD - 40)) : undefined;
  if (type === 'bytes32') return /^[0-9a-f]{64}$/.test(word) ? `0x${word}` : undefined;
  const number = /^[0-9a-f]{64}$/.test(word) ? BigInt(`0x${word}`) : undefined;
  if (number === undefined) return undefined;
  if (type === 'bool') return number < 2n ? number === 1n : undefined;
  const bits = /^uint(\d+)$/.exec(type)?.[1];
  return bits !== undefined && BigInt.asUintN(Number(bits), number) === number ? String(number) : undefined;
}
