import type { Reader, Writer } from '@switchyard/protocol';
import {
  list as listSchema,
  object,
  optional,
  type Schema,
  schema,
  snakeCase,
  withFacts,
  words,
} from '@switchyard/service/input';
import { boundProblem, common, required } from './scalars.ts';
import {
  atStep,
  inPlace,
  Mismatch,
  type NameOf,
  openJson,
  type Type,
  unfit,
  type ValueOf,
  withMembers,
} from './type.ts';

/* Types made of others. A message has its fields in the order of their numbers, each once, and no other. */

export type Fields = Readonly<Record<string, Type<unknown>>>;

type OptionalNames<F> = { [K in keyof F]: undefined extends ValueOf<F[K]> ? K : never }[keyof F];

/** The values of fields; optional ones are undefined or left out. */
export type RecordOf<F> = Flat<
  { readonly [K in Exclude<keyof F, OptionalNames<F>>]: ValueOf<F[K]> } & {
    readonly [K in OptionalNames<F>]?: ValueOf<F[K]> | undefined;
  }
>;
/** One object type in place of several, which an editor shows. */
export type Flat<T> = { readonly [K in keyof T]: T[K] };

/** One of several records, by its `kind`. */
export type UnionOf<C> = { readonly [K in keyof C]: Flat<{ readonly kind: K } & RecordOf<C[K]>> }[keyof C];

const MOST_ITEMS = 65_536;
const MOST_DEPTH = 16;
const MOST_VALUES = 65_536;
/** Two bytes hold the tag of any field up to here. */
const MOST_NUMBER = 2_047;
const NAMES = /^[a-z][a-zA-Z0-9]{0,63}$/;

/** Items of one type, as the array of their values. */
export interface ListType<T> extends Type<readonly T[]> {
  readonly item: Type<T>;
}

/** At most this many items, one field for each: no list is packed. See the example of {@link record}. */
export function list<T>(item: Type<T>, { maxItems }: { readonly maxItems: number }): ListType<T> {
  const description = { type: 'list', item: item.description, maxItems };
  return {
    ...common,
    item,
    description,
    presence: 'repeated',
    problem:
      item.problem ??
      boundProblem('maxItems', maxItems, MOST_ITEMS) ??
      mustBeSingle('a list of', item) ??
      shapeProblem({ description }),
    maxBytes: item.maxBytes,
    maxItems,
    absent: () => [],
    isAbsent: (items) => items.length === 0,
    write(writer, number, items) {
      if (!Array.isArray(items)) throw unfit(`a list of at most ${maxItems}`, items);
      if (items.length > maxItems) throw tooMany(maxItems, items.length);
      let at = 0;
      try {
        for (; at < items.length; at++) item.write(writer, number, items[at]);
      } catch (error) {
        throw atStep(error, `[${at}]`);
      }
    },
    read: (reader) => item.read(reader),
    json: withFacts(listSchema(item.json, maxItems), { isOptional: false }),
    openJson: listSchema(openJson(item), maxItems),
    toJson: (items, nameOf) => items.map((each) => item.toJson(each, nameOf)),
  };
}

/** A value that may be absent, which differs from zero and from empty. See the example of {@link record}. */
export function option<T>(value: Type<T>): Type<T | undefined> {
  return {
    ...common,
    description: { type: 'option', value: value.description },
    presence: 'optional',
    problem: value.problem ?? mustBeSingle('an option of', value),
    maxBytes: value.maxBytes,
    absent: () => undefined,
    isAbsent: (given) => given === undefined,
    write(writer, number, given) {
      // An absent one is not written.
      value.write(writer, number, given as T);
    },
    read: (reader) => value.read(reader),
    json: optional(value.json),
    openJson: optional(openJson(value)),
    toJson: (given, nameOf) => (given === undefined ? undefined : value.toJson(given, nameOf)),
  };
}

const NOUNS: Readonly<Record<string, string>> = { list: 'a list', map: 'a map' };

/** Absent and empty would be two values of one encoding. */
function mustBeSingle(
  what: string,
  { presence, description }: Pick<Type<unknown>, 'presence' | 'description'>,
): string | undefined {
  if (presence === 'optional' || presence === 'repeated')
    return `${what} ${NOUNS[description.type] ?? 'an option'} has no encoding of its own: put it into a record`;
  return undefined;
}

/** Fields under their names. */
export interface RecordType<F extends Fields> extends Type<RecordOf<F>> {
  readonly fields: readonly Field[];
  writeFields(writer: Writer, value: RecordOf<F>): void;
  readFields(reader: Reader): RecordOf<F>;
}

export interface Field {
  readonly name: string;
  readonly number: number;
  readonly type: Type<unknown>;
}

/**
 * Fields by their names, numbered in their order. @throws {Error} naming a field that cannot be one, or a name or number that is taken.
 * @example
 * ```ts
 * const transfer = record({ to: address, asset, amount: described(u128, 'In the smallest unit.') });
 * const post = record({ text: text({ maxBytes: 280 }), answerTo: option(u64), tags: list(u32, { maxItems: 8 }) });
 * const vote = record({ shares: map(address, u64, { maxItems: 100 }), digest: numbered(7, bytes({ length: 32 })) });
 * const sent = record({ to: textAddress, asset: textAsset });
 * const profile = record({ name: text({ maxBytes: 32 }), link: since(5_000n, text({ maxBytes: 128 })) });
 * ```
 */
export function record<const F extends Fields>(fields: F): RecordType<F> {
  const numbered = numberedFields(fields, 'field');
  const writeFields = (writer: Writer, value: RecordOf<F>): void => write(numbered, writer, value);
  // The fields of F have just been read, each by its own type.
  const readFields = (reader: Reader): RecordOf<F> => read(numbered, reader) as RecordOf<F>;
  const described = numbered.map(({ name, number, type: { description, help } }) => ({
    ...{ name, number },
    ...description,
    ...(help !== '' && { help }),
  }));
  const item = required<RecordOf<F>>({
    description: { type: 'record', fields: described },
    maxBytes: computeSize(numbered),
    write: (writer, number, value) => void writer.message(number, (message) => writeFields(message, value)),
    read: (reader) => readFields(reader.message('record')),
    // Each member was read by the reader of its field.
    json: recordSchema(numbered) as Schema<RecordOf<F>>,
    openJson: recordSchema(numbered, {}, openJson) as Schema<RecordOf<F>>,
    toJson: (value, nameOf) => toJson(numbered, value, nameOf),
  });
  return { ...withMembers(item, { problem: shapeProblem(item) }), fields: numbered, writeFields, readFields };
}

/** One of several records. A case without fields is a word. */
export interface UnionType<C extends Readonly<Record<string, Fields>>> extends Type<UnionOf<C>> {
  readonly cases: readonly { readonly name: string; readonly number: number; readonly type: RecordType<Fields> }[];
}

/**
 * One of several records, by its `kind`. @throws {Error} naming a case or field that cannot be one.
 * @example
 * ```ts
 * const shape = union({ circle: { radius: u32 }, point: {} });
 * const circle: ValueOf<typeof shape> = { kind: 'circle', radius: 3 };
 * ```
 */
export function union<const C extends Readonly<Record<string, Fields>>>(cases: C): UnionType<C> {
  const records = Object.fromEntries(
    Object.entries(cases).map(([name, fields]) => {
      if (Object.hasOwn(fields, 'kind')) throw new Error(`case "${name}": a field cannot have the name "kind"`);
      return [name, inPlace(`case "${name}"`, () => record(fields))] as const;
    }),
  );
  const numbered = numberedFields(records, 'case') as UnionType<C>['cases'];
  if (numbered.length === 0) throw new Error('expected at least one case');
  const kinds = numbered.map(({ name }) => name).join(', ');
  const named = new Map(numbered.map((each) => [each.name, each]));
  const byNumber = new Map(numbered.map((each) => [each.number, each]));
  const getCase = (kind: unknown) => {
    const found = typeof kind === 'string' ? named.get(kind) : undefined;
    if (found === undefined) throw unfit(`a kind of ${kinds}`, kind);
    return found;
  };
  const item = required<UnionOf<C>>({
    description: {
      type: 'union',
      cases: numbered.map(({ name, number, type }) => ({ name, number, fields: type.description.fields })),
    },
    maxBytes: Math.max(...numbered.map(({ type }) => 8 + type.maxBytes)),
    write(writer, number, value) {
      if (typeof value !== 'object' || value === null) throw unfit('an object with a kind', value);
      const { name, number: inner, type } = getCase(value.kind);
      try {
        writer.message(number, (message) => type.write(message, inner, value));
      } catch (error) {
        throw atStep(error, name);
      }
    },
    read(reader) {
      const message = reader.message('union');
      const found = message.next() ? byNumber.get(message.field) : undefined;
      if (found === undefined)
        throw new Mismatch(`one of ${kinds}`, message.field === 0 ? 'nothing' : `field ${message.field}`);
      try {
        // A copy costs less than a kind that is added to a finished object.
        const value = { kind: found.name, ...found.type.readFields(message.message(found.name)) };
        if (message.next()) throw new Mismatch('one case', `field ${message.field} after it`);
        return value;
      } catch (error) {
        throw atStep(error, found.name);
      }
    },
    json: unionSchema(numbered) as Schema<UnionOf<C>>,
    openJson: unionSchema(numbered, openJson) as Schema<UnionOf<C>>,
    toJson: (value, nameOf) => ({ kind: value.kind, ...toJson(getCase(value.kind).type.fields, value, nameOf) }),
  });
  return { ...withMembers(item, { problem: shapeProblem(item) }), cases: numbered };
}

function unionSchema(
  cases: UnionType<Readonly<Record<string, Fields>>>['cases'],
  createReader: ReaderOf = documented,
): Schema<unknown> {
  const readers = new Map(
    cases.map(({ name, type }) => [name, recordSchema(type.fields, { kind: words(name) }, createReader)]),
  );
  const kinds = [...readers.keys()].join(', ');
  return schema(
    (input) => {
      const kind = input.at('kind');
      const read = typeof kind.value === 'string' ? readers.get(kind.value) : undefined;
      return read === undefined ? kind.fail(`one of ${kinds}`) : read(input);
    },
    {
      expects: `an object with a kind of ${kinds}`,
      json: { oneOf: [...readers.values()].map(({ json }) => json) },
    },
  );
}

/** Names may be in snake_case too, as genesis files have them. */
function recordSchema(
  fields: readonly Field[],
  more: Readonly<Record<string, Schema<unknown>>> = {},
  createReader: ReaderOf = documented,
): Schema<unknown> {
  const readers = Object.fromEntries(fields.map(({ name, type }) => [name, createReader(type)]));
  const aliases = fields.flatMap(({ name }) => (snakeCase(name) === name ? [] : [[snakeCase(name), name]]));
  const strict = createReader !== openJson;
  return object({ ...more, ...readers }, { aliases: Object.fromEntries(aliases), exact: true, strict });
}

type ReaderOf = (type: Type<unknown>) => Schema<unknown>;

function documented({ json, help }: Type<unknown>): Schema<unknown> {
  return help === '' ? json : withFacts(json, { json: { ...json.json, description: help } });
}

/** Fields whose types are being made: types that they ask for while they are read may ask for them again. */
const inWork = new Set<Fields>();

function numberedFields(fields: Fields, what: 'field' | 'case'): readonly Field[] {
  if (inWork.has(fields))
    throw new Error('it contains itself, and so has no bound: expected a reference, such as a key');
  inWork.add(fields);
  try {
    return inOrder(Object.entries(fields), what);
  } finally {
    inWork.delete(fields);
  }
}

/** The fields with their numbers, in the order of these. */
function inOrder(fields: readonly (readonly [string, Type<unknown>])[], what: 'field' | 'case'): readonly Field[] {
  const taken = new Map<number, string>();
  let last = 0;
  const numbered = fields.map(([name, type]) => {
    const place = `${what} ${JSON.stringify(name)}`;
    if (!NAMES.test(name))
      throw new Error(`${place}: expected a name in lowerCamelCase of at most 64 letters and digits`);
    if (typeof type?.write !== 'function') throw new Error(`${place}: expected a type, such as u64`);
    if (type.problem !== undefined) throw new Error(`${place}: ${type.problem}`);
    const number = type.number ?? last + 1;
    if (!Number.isInteger(number) || number < 1 || number > MOST_NUMBER)
      throw new Error(`${place}: expected a number from 1 to ${MOST_NUMBER}, got ${number}`);
    const other = taken.get(number);
    if (other !== undefined) throw new Error(`${place}: number ${number} is taken by "${other}"`);
    taken.set(number, name);
    last = number;
    return { name, number, type };
  });
  return numbered.sort((left, right) => left.number - right.number);
}

function write(fields: readonly Field[], writer: Writer, value: unknown): void {
  if (typeof value !== 'object' || value === null) throw unfit('an object', value);
  let at: Field | undefined;
  try {
    for (at of fields) {
      const { name, number, type } = at;
      const member = getMember(value, name);
      if (member === undefined) {
        if (type.presence === 'optional') continue;
        throw new Mismatch(`a value of type ${type.description.type}`, 'nothing');
      }
      if (type.presence !== 'required' && type.isAbsent(member)) continue;
      type.write(writer, number, member);
    }
  } catch (error) {
    throw at === undefined ? error : atStep(error, at.name);
  }
}

/** Fields stand in the order of their numbers, so one pass finds each at its place or not at all. */
function read(fields: readonly Field[], reader: Reader): Record<string, unknown> {
  const value: Record<string, unknown> = {};
  let isThere = reader.next();
  let place = '';
  try {
    for (const { name, number, type } of fields) {
      place = name;
      if (!isThere || reader.field !== number) {
        if (type.presence === 'required') throw new Mismatch('a value', 'nothing');
        value[name] = type.absent();
        continue;
      }
      if (type.presence === 'repeated') {
        const items: unknown[] = [];
        do {
          place = `${name}[${items.length}]`;
          if (items.length === type.maxItems) throw tooMany(type.maxItems, 'more');
          items.push(type.read(reader));
          isThere = reader.next();
        } while (isThere && reader.field === number);
        place = name;
        value[name] = type.collect === undefined ? items : type.collect(items);
        continue;
      }
      const found = type.read(reader);
      if (type.presence === 'default' && type.isAbsent(found))
        throw new Mismatch('its one encoding', 'a default that is written');
      value[name] = found;
      isThere = reader.next();
    }
    place = '';
    if (isThere)
      throw new Mismatch('fields that are known, each once and in the order of their numbers', `field ${reader.field}`);
    return value;
  } catch (error) {
    throw place === '' ? error : atStep(error, place);
  }
}

function toJson(fields: readonly Field[], value: unknown, nameOf?: NameOf): Record<string, unknown> {
  return Object.fromEntries(fields.map(({ name, type }) => [name, type.toJson(getMember(value, name), nameOf)]));
}

/** Every object has a `constructor` and a `toString`, which are no values of fields with these names. */
function getMember(value: unknown, name: string): unknown {
  // An object may be read at any member; the types of the fields check its members.
  const members = value as Readonly<Record<string, unknown>>;
  return name in Object.prototype && !Object.hasOwn(members, name) ? undefined : members[name];
}

function tooMany(most: number, got: number | string): Mismatch {
  return new Mismatch(`at most ${most} items`, String(got));
}

/** A tag and a length of up to five bytes for each. */
function computeSize(fields: readonly Field[]): number {
  return fields.reduce((sum, { type }) => sum + type.maxItems * (7 + type.maxBytes), 0);
}

/** A few bytes may become many values, so that bytes alone bound no memory. */
function shapeProblem({ description }: Pick<Type<unknown>, 'description'>): string | undefined {
  if (computeDepth(description) > MOST_DEPTH) return `nests deeper than ${MOST_DEPTH}`;
  const values = getValues(description);
  return values > MOST_VALUES
    ? `expected at most ${MOST_VALUES} values in all lists together, got ${values}: lower maxItems`
    : undefined;
}

function computeDepth(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  const inner = Math.max(0, ...Object.values(value).map(computeDepth));
  return 'type' in value ? 1 + inner : inner;
}

/** Most values that it becomes when it is read, a record and each of its fields among them. */
function getValues(shape: unknown): number {
  // Descriptions are made above: members that a type does not have are undefined.
  const { item, maxItems = 1, key, value, fields = [], cases = [] } = shape as Partial<Readonly<Record<string, never>>>;
  if (item !== undefined) return maxItems * getValues(item);
  if (key !== undefined) return maxItems * (2 + getValues(value));
  if (value !== undefined) return getValues(value);
  const most = (cases as readonly unknown[]).reduce<number>((largest, each) => Math.max(largest, getValues(each)), 0);
  return (fields as readonly unknown[]).reduce<number>((sum, each) => sum + getValues(each), 1 + most);
}
