import { toHex } from '@switchyard/protocol';
import { keccak256 } from '@switchyard/protocol/ethereum';
import { Input, InvalidData } from '@switchyard/service/input';
import { ParamType } from 'ethers/abi';

/** Calls, events and errors of one contract, by the first bytes of the data in which they are found. */
export type Abi = ReturnType<typeof toAbi>;

export type AbiItem = NonNullable<ReturnType<typeof readItem>>;

export interface Parameter {
  readonly name: string;
  /** Type as Solidity writes it, tuples by their members. */
  readonly type: string;
  /** Without the lengths of arrays; undefined if it is not known, and one word is read as bytes. */
  readonly base: string | undefined;
  readonly isIndexed: boolean;
  /** Members of a tuple. */
  readonly components: readonly Parameter[];
  /** Type that the general coder reads: bytes for texts, `bytes24` for functions. */
  readonly coded: ParamType;
}

const MAX_ITEMS = 4_096;
const MAX_PARAMETERS = 64;
const MAX_DEPTH = 8;
/** Values that a type of fixed size may consist of; the coder allocates for each of them before it reads. */
const MAX_FIXED_VALUES = 4_096;
const SUFFIX = '((?:\\[\\d{0,5}\\]){0,8})';
const TYPE = new RegExp(`^(u?int\\d{1,3}|bool|address|string|function|bytes(?:[1-9]|[12]\\d|3[0-2])?|tuple)${SUFFIX}$`);
/** Types of libraries, such as an enum or a place in storage, and additions of later compilers. */
const OTHER_TYPE = new RegExp(`^([\\w$.]{1,256})${SUFFIX}$`);
const ANY_TYPE = /^[\w$. ,()[\]=>]{1,256}$/;
const NAME = /^[\w$]{0,256}$/;

/**
 * The items of an ABI in JSON that can be decoded; other items are left out.
 *
 * @param json Of any origin.
 */
export function parseAbi(json: unknown): Abi {
  const list = Array.isArray(json) ? json.slice(0, MAX_ITEMS) : [];
  const made = list.flatMap((each) => {
    const item = new Input(each, 'abi');
    return item.isObject && item.at('type').value === 'constructor'
      ? (ifReadable(() => readParameters(item.at('inputs'))) ?? [])
      : [];
  });
  return toAbi(
    list.flatMap((each) => parseAbiItem(each) ?? []),
    made,
  );
}

export function toAbi(items: readonly AbiItem[], constructorInputs: readonly Parameter[] = []) {
  const [functions, errors] = [new Map<string, AbiItem>(), new Map<string, AbiItem>()];
  // Several of one topic differ in the indexed fields. Events that no topic identifies are apart.
  const events = new Map<string, AbiItem[]>();
  for (const item of items) {
    if (item.kind === 'function') functions.set(item.key, item);
    else if (item.kind === 'error') errors.set(item.key, item);
    else if (!item.isAnonymous) events.set(item.key, [...(events.get(item.key) ?? []), item]);
  }
  return { functions, events, anonymous: items.filter((each) => each.isAnonymous), errors, constructorInputs };
}

/** One item alone, as the signature table keeps them. */
export function parseAbiItem(json: unknown): AbiItem | undefined {
  return ifReadable(() => readItem(new Input(json, 'abi')));
}

function ifReadable<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    // The library refuses with errors of its own other text.
    if (error instanceof InvalidData || isInvalidArgument(error)) return undefined;
    throw error;
  }
}

function readItem(item: Input) {
  const kind = item.at('type').isPresent ? item.at('type').value : 'function';
  if (kind !== 'function' && kind !== 'event' && kind !== 'error') return undefined;
  const name = item.at('name').text();
  if (name === '' || !NAME.test(name)) return undefined;
  const inputs = readParameters(item.at('inputs'));
  const signature = `${name}(${inputs.map(({ type }) => type).join(',')})`;
  const hash = toHex(keccak256(new TextEncoder().encode(signature)));
  const isAnonymous = kind === 'event' && item.at('anonymous').value === true;
  // The selector of a function or an error, the topic of an event.
  const key = `0x${kind === 'event' ? hash : hash.slice(0, 8)}`;
  return { kind, name, signature, key, isAnonymous, inputs } as const;
}

function readParameters(list: Input): Parameter[] {
  const budget = { values: MAX_FIXED_VALUES };
  return list.list(MAX_PARAMETERS).map((each) => readParameter(each, 1, budget, 1));
}

/** A parameter of a type that is known, by its name. */
export const getParameter = (type: string, name = ''): Parameter =>
  readParameter(new Input({ type, name }, 'parameter'), 1, { values: MAX_FIXED_VALUES }, 1);

/** @param times How often the parameter occurs in its enclosing type. */
function readParameter(input: Input, depth: number, budget: { values: number }, times: number): Parameter {
  const given = input.at('type').text();
  const { base, known, suffix } = getBase(given) ?? input.at('type').fail('a type');
  if (depth > MAX_DEPTH) input.fail(`at most ${MAX_DEPTH} levels of tuples`);
  const lengths = [...suffix.matchAll(/\d+/g)].map(([digits]) => Number(digits));
  const values = lengths.reduce((product, length) => product * length, times);
  budget.values -= base === 'tuple' ? 0 : values;
  if (lengths.includes(0) || values > MAX_FIXED_VALUES || budget.values < 0)
    input.fail(`at most ${MAX_FIXED_VALUES} values of fixed number`);
  const nameText = input.at('name').isPresent ? input.at('name').text() : '';
  const name = NAME.test(nameText) ? nameText : '';
  const isIndexed = depth === 1 && input.at('indexed').value === true;
  const members = base === 'tuple' ? input.at('components').list(MAX_PARAMETERS) : [];
  // Nothing bounds how many of them fit into no bytes.
  if (base === 'tuple' && members.length === 0) input.fail('a tuple with members');
  const components = members.map((each) => readParameter(each, depth + 1, budget, values));
  const type = base === 'tuple' ? `(${components.map((each) => each.type).join(',')})${suffix}` : given;
  const coded = ParamType.from({
    type: `${codedBase(known)}${suffix}`,
    name,
    components: components.map((each) => each.coded),
  });
  return { name, type, base: known, isIndexed, components, coded };
}

function getBase(type: string) {
  const [, known, suffix = ''] = TYPE.exec(type) ?? [];
  const bits = Number(known?.replace(/^u?int/, ''));
  if (known !== undefined && (Number.isNaN(bits) || (bits > 0 && bits <= 256 && bits % 8 === 0)))
    return { base: known, known, suffix };
  const [, other, otherSuffix = ''] = OTHER_TYPE.exec(type) ?? [];
  if (other !== undefined) return { base: other, known: undefined, suffix: otherSuffix };
  return ANY_TYPE.test(type) ? { base: type, known: undefined, suffix: '' } : undefined;
}

function codedBase(known: string | undefined): string {
  if (known === undefined) return 'bytes32';
  if (known === 'string') return 'bytes';
  return known === 'function' ? 'bytes24' : known;
}

const isInvalidArgument = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && error.code === 'INVALID_ARGUMENT';
