import type { EventFragment, ParamType } from 'ethers/abi';
import type { Abi, AbiItem } from './abi.ts';
import { type Argument, decodeValues, typeText } from './values.ts';

/** A call, an event or an error, as people read it. */
export interface Decoded {
  readonly name: string;
  readonly signature: string;
  readonly arguments: readonly Argument[];
}

/** By the first ABI that has the selector and whose parameters the bytes are. @param input With `0x`. */
export function decodeCall(abis: readonly Abi[], input: string): Decoded | undefined {
  return decodeSelected(abis, 'functions', input);
}

/** What a call reverted with: also the two errors of the language itself. */
export function decodeRevert(abis: readonly Abi[], data: string): Decoded | undefined {
  return decodeSelected(abis, 'errors', data);
}

function decodeSelected(abis: readonly Abi[], kind: 'functions' | 'errors', data: string): Decoded | undefined {
  if (data.length < 10) return undefined;
  const selector = data.slice(0, 10).toLowerCase();
  for (const abi of abis) {
    const found = abi[kind].get(selector);
    const values = found && decodeValues(found.inputs, `0x${data.slice(10)}`);
    if (found !== undefined && values !== undefined)
      return { name: found.name, signature: signatureOf(found), arguments: values };
  }
  return undefined;
}

/** Name of the function that an input calls, without looking at its arguments. */
export function methodOf(abis: readonly Abi[], input: string): string | undefined {
  const selector = input.slice(0, 10).toLowerCase();
  return abis.flatMap(({ functions }) => functions.get(selector)?.name ?? [])[0];
}

export function decodeLog(abis: readonly Abi[], topics: readonly string[], data: string): Decoded | undefined {
  const [topic, ...indexed] = topics;
  if (topic === undefined) return undefined;
  for (const abi of abis) {
    for (const event of abi.events.get(topic.toLowerCase()) ?? []) {
      const values = decodeEvent(event, indexed, data);
      if (values !== undefined) return { name: event.name, signature: signatureOf(event), arguments: values };
    }
  }
  return undefined;
}

function decodeEvent({ inputs }: EventFragment, topics: readonly string[], data: string): Argument[] | undefined {
  const isIndexed = (input: ParamType) => input.indexed === true;
  if (inputs.filter(isIndexed).length !== topics.length) return undefined;
  const plain = decodeValues(
    inputs.filter((input) => !isIndexed(input)),
    data,
  );
  if (plain === undefined) return undefined;
  const [fromTopics, fromData] = [[...topics], [...plain]];
  const values = inputs.map((input): Argument | undefined => {
    if (!isIndexed(input)) return fromData.shift();
    const topic = fromTopics.shift() ?? '';
    // Of anything longer than a word only the hash is in the log.
    if (isHashed(input)) return { name: input.name, type: typeText(input), value: topic };
    return decodeValues([input], topic)?.[0];
  });
  return values.every((value) => value !== undefined) ? values : undefined;
}

const signatures = new WeakMap<AbiItem, string>();

/** With the types of its parameters. Writing it takes longer than decoding most logs. */
function signatureOf(item: AbiItem): string {
  const known = signatures.get(item) ?? item.format('sighash');
  signatures.set(item, known);
  return known;
}

const isHashed = (input: ParamType): boolean =>
  input.isArray() || input.isTuple() || input.type === 'string' || input.type === 'bytes';
