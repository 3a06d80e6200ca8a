import type { Decoded } from '../../contract/evm.ts';
import type { Argument } from '../../contract/evm-contracts.ts';
import type { Abi, AbiItem, Parameter } from './abi.ts';
import { cutText, decodeValues, hasUnknown } from './values.ts';

/** Decodes a call by the first ABI that has its selector and parameters that fit its bytes. @param input With `0x`. */
export function decodeCall(abis: readonly Abi[], input: string): Decoded | undefined {
  return decodeSelected(abis, 'functions', input);
}

/** Decodes the data that a call reverted with, also that of the two errors of the language itself. */
export function decodeRevert(abis: readonly Abi[], data: string): Decoded | undefined {
  return decodeSelected(abis, 'errors', data);
}

function decodeSelected(abis: readonly Abi[], kind: 'functions' | 'errors', data: string): Decoded | undefined {
  if (data.length < 10) return undefined;
  const selector = data.slice(0, 10).toLowerCase();
  for (const abi of abis) {
    const found = abi[kind].get(selector);
    const values =
      found && (decodeValues(found.inputs, `0x${data.slice(10)}`) ?? asBytes(found, `0x${data.slice(10)}`));
    if (found !== undefined && values !== undefined)
      return { name: found.name, signature: found.signature, arguments: values };
  }
  return undefined;
}

/** Name of the function that an input calls, without looking at its arguments. */
export function findMethod(abis: readonly Abi[], input: string): string | undefined {
  const selector = input.slice(0, 10).toLowerCase();
  return abis.flatMap(({ functions }) => functions.get(selector)?.name ?? [])[0];
}

export function decodeLog(abis: readonly Abi[], topics: readonly string[], data: string): Decoded | undefined {
  const [topic = '', ...indexed] = topics;
  const shown = ({ name, signature }: AbiItem, values: Argument[]): Decoded => ({ name, signature, arguments: values });
  for (const abi of abis) {
    for (const event of abi.events.get(topic.toLowerCase()) ?? []) {
      const values = decodeEvent(event, indexed, data);
      if (values !== undefined) return shown(event, values);
    }
  }
  // Nothing in a log names an anonymous event: it must be the only fitting one.
  const fitting = abis.flatMap(({ anonymous }) =>
    anonymous.flatMap((event) => {
      const values = decodeEvent(event, topics, data);
      return values === undefined ? [] : [shown(event, values)];
    }),
  );
  return fitting.length === 1 ? fitting[0] : undefined;
}

function decodeEvent(event: AbiItem, topics: readonly string[], data: string): Argument[] | undefined {
  const { inputs } = event;
  if (inputs.filter(({ isIndexed }) => isIndexed).length !== topics.length) return undefined;
  const plain = decodeValues(
    inputs.filter(({ isIndexed }) => !isIndexed),
    data,
  );
  if (plain === undefined) return asBytes(event, data);
  const [fromTopics, fromData] = [[...topics], [...plain]];
  const values = inputs.map((input): Argument | undefined => {
    if (!input.isIndexed) return fromData.shift();
    const topic = fromTopics.shift() ?? '';
    // The log has only the hash of anything longer than a word.
    if (isHashed(input)) return { name: input.name, type: input.type, value: topic };
    return decodeValues([input], topic)?.[0];
  });
  return values.every((value) => value !== undefined) ? values : undefined;
}

/** Shows the bytes of an item whose encoding depends on a type that is not known. */
const asBytes = ({ inputs }: AbiItem, data: string): Argument[] | undefined =>
  inputs.some(hasUnknown) ? [{ name: '', type: 'bytes', value: cutText(data) }] : undefined;

const isHashed = ({ type }: Parameter): boolean => /^\(|\]$|^string$|^bytes$/.test(type);
