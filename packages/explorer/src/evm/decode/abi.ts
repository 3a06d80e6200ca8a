import { Input, InvalidData } from '@switchyard/service/input';
import { ErrorFragment, EventFragment, FunctionFragment, ParamType } from 'ethers/abi';

/** What one contract can be called with, emit and revert with, by the first bytes of what it is found in. */
export interface Abi {
  readonly functions: ReadonlyMap<string, FunctionFragment>;
  /** Of one topic there may be several, which differ in what is indexed. */
  readonly events: ReadonlyMap<string, readonly EventFragment[]>;
  readonly errors: ReadonlyMap<string, ErrorFragment>;
  readonly constructorInputs: readonly ParamType[];
}

export type AbiItem = FunctionFragment | EventFragment | ErrorFragment;

const MAX_ITEMS = 4_096;
const MAX_PARAMETERS = 64;
const MAX_DEPTH = 8;
/** Values that a type of fixed size may consist of; the coder allocates for each of them before it reads. */
const MAX_FIXED_VALUES = 4_096;
const TYPE = /^(u?int\d{1,3}|bool|address|string|bytes([1-9]|[12]\d|3[0-2])?|tuple)((\[\d{0,5}\]){0,8})$/;
const NAME = /^[\w$]{0,256}$/;

/**
 * The items of an ABI in JSON that can be decoded. Anything else, such as parameters that are functions, is left out.
 *
 * @param json Of any origin.
 */
export function parseAbi(json: unknown): Abi {
  const read = (Array.isArray(json) ? json.slice(0, MAX_ITEMS) : []).flatMap(
    (item) => readItem(new Input(item, 'abi')) ?? [],
  );
  const made = read.flatMap((each) => (each.kind === 'constructor' ? [each.inputs] : []));
  return abiOf(
    read.flatMap((each) => (each.kind === 'item' ? [each.item] : [])),
    made[0],
  );
}

export function abiOf(items: readonly AbiItem[], constructorInputs: readonly ParamType[] = []): Abi {
  const functions = new Map<string, FunctionFragment>();
  const events = new Map<string, EventFragment[]>();
  const errors = new Map<string, ErrorFragment>();
  for (const item of items) {
    if (item instanceof FunctionFragment) functions.set(item.selector, item);
    else if (item instanceof ErrorFragment) errors.set(item.selector, item);
    else events.set(item.topicHash, [...(events.get(item.topicHash) ?? []), item]);
  }
  return { functions, events, errors, constructorInputs };
}

/** One item alone, as the signature table keeps them. */
export function parseAbiItem(json: unknown): AbiItem | undefined {
  const read = readItem(new Input(json, 'abi'));
  return read?.kind === 'item' ? read.item : undefined;
}

type ReadItem =
  | { readonly kind: 'item'; readonly item: AbiItem }
  | { readonly kind: 'constructor'; readonly inputs: readonly ParamType[] };

function readItem(item: Input): ReadItem | undefined {
  try {
    const type = item.at('type').isPresent ? item.at('type').text() : 'function';
    const inputs = readParameters(item.at('inputs'));
    const name = item.at('name').isPresent ? item.at('name').text() : '';
    if (type === 'constructor') return { kind: 'constructor', inputs: inputs.map((each) => ParamType.from(each)) };
    if (name === '' || !NAME.test(name)) return undefined;
    switch (type) {
      case 'function': {
        const outputs = readParameters(item.at('outputs'));
        const stateMutability = item.at('stateMutability').value;
        return { kind: 'item', item: FunctionFragment.from({ type, name, inputs, outputs, stateMutability }) };
      }
      case 'event': {
        // It has no topic that identifies it.
        if (item.at('anonymous').value === true) return undefined;
        return { kind: 'item', item: EventFragment.from({ type, name, inputs, anonymous: false }) };
      }
      case 'error':
        return { kind: 'item', item: ErrorFragment.from({ type, name, inputs }) };
      default:
        return undefined;
    }
  } catch (error) {
    // The library refuses with errors of its own what is no type.
    if (error instanceof InvalidData || isInvalidArgument(error)) return undefined;
    throw error;
  }
}

interface Parameter {
  readonly type: string;
  readonly name: string;
  readonly indexed?: boolean;
  readonly components?: readonly Parameter[];
}

function readParameters(list: Input): Parameter[] {
  const budget = { values: MAX_FIXED_VALUES };
  return list.list(MAX_PARAMETERS).map((each) => readParameter(each, 1, budget, 1));
}

/** @param times How often the parameter occurs in what encloses it. */
function readParameter(input: Input, depth: number, budget: { values: number }, times: number): Parameter {
  const type = input.at('type').text();
  const [, base, , suffix = ''] = TYPE.exec(type) ?? input.fail('a type that can be decoded');
  if (depth > MAX_DEPTH) input.fail(`at most ${MAX_DEPTH} levels of tuples`);
  const lengths = [...suffix.matchAll(/\d+/g)].map(([digits]) => Number(digits));
  const values = lengths.reduce((product, length) => product * length, times);
  budget.values -= base === 'tuple' ? 0 : values;
  if (lengths.includes(0) || values > MAX_FIXED_VALUES || budget.values < 0)
    input.fail(`at most ${MAX_FIXED_VALUES} values of fixed number`);
  const nameText = input.at('name').isPresent ? input.at('name').text() : '';
  const name = NAME.test(nameText) ? nameText : '';
  const isIndexed = depth === 1 && input.at('indexed').value === true;
  const own = { type, name, ...(isIndexed && { indexed: true }) };
  if (base !== 'tuple') return own;
  const members = input.at('components').list(MAX_PARAMETERS);
  // Nothing bounds how many of them fit into no bytes.
  if (members.length === 0) input.fail('a tuple with members');
  const components = members.map((each) => readParameter(each, depth + 1, budget, values));
  return { ...own, components };
}

const isInvalidArgument = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && error.code === 'INVALID_ARGUMENT';
