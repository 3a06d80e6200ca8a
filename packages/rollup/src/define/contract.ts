import { sha256Hex } from '@switchyard/protocol';
import { text as anyText, type Input, integer, snakeCase } from '@switchyard/service/input';
import { text, u32 } from '../schema/scalars.ts';
import { type Fields, list, type RecordType, record, union } from '../schema/shapes.ts';
import type { Description, Type } from '../schema/type.ts';
import { casesFrom, fieldsFrom, named, typeFrom } from '../schema/type-from.ts';
import type { AnyTable } from './table.ts';

/** Parts of a definition that its clients need, without its handlers: what `GET /v1/definition` describes. */
export interface Contract {
  readonly name: string;
  /** Digest of everything that blocks and state depend on. */
  readonly fingerprint: string;
  /** Names the kind of the signed body. */
  readonly typeUrl: string;
  readonly body: RecordType<Fields>;
  readonly maxTransactionBytes: number;
  /** An action as JSON, by the types of its fields. */
  actionJson(action: { readonly kind: string }): object;
  /** Fields of each action. */
  readonly fields: ReadonlyMap<string, Fields>;
  readonly calls: ReadonlyMap<string, QueryCall>;
  /** The definition as JSON, from which {@link contractFrom} makes the same contract. */
  readonly document: DefinitionDocument;
}

/** A query as a client calls it. */
export interface QueryCall {
  readonly name: string;
  readonly url: string;
  readonly help: string;
  readonly parameters: Readonly<Record<string, Parameter>>;
  readonly answer: RecordType<Fields>;
}

export interface Parameter {
  readonly type: Type<unknown>;
  /** Stands for one that is left out; without it, and unless the type is an option, the parameter is required. */
  readonly fallback?: unknown;
}

export interface DefinitionDocument {
  readonly name: string;
  readonly version: number;
  readonly help: string;
  readonly maxActions: number;
  readonly actions: readonly NamedDescription[];
  readonly genesis: readonly NamedDescription[];
  readonly tables: readonly TableDescription[];
  readonly queries: readonly NamedDescription[];
}

export interface NamedDescription {
  readonly name: string;
  readonly [member: string]: unknown;
}

export interface TableDescription extends NamedDescription {
  readonly state: 'authenticated' | 'derived';
  readonly key: readonly Description[];
  readonly value: Description;
}

interface Parts {
  readonly name: string;
  readonly version: number;
  readonly help: string;
  readonly maxActions: number;
  readonly actions: Readonly<Record<string, Fields>>;
  readonly actionHelp: Readonly<Record<string, string>>;
  /** First block of an action, where it was added later. */
  readonly from: Readonly<Record<string, bigint | undefined>>;
  readonly genesis: Readonly<Record<string, Parameter>>;
  readonly tables: readonly TableDescription[];
  readonly queries: Readonly<Record<string, Omit<QueryCall, 'name' | 'url' | 'answer'> & { readonly answer: Fields }>>;
}

interface AnyDefinition {
  readonly name: string;
  readonly version?: number;
  readonly help?: string;
  readonly maxActions?: number;
  readonly actions: Readonly<
    Record<string, { readonly fields: Fields; readonly help?: string; readonly from?: bigint }>
  >;
  readonly genesis?: Readonly<Record<string, Type<unknown> | Parameter>>;
  readonly tables?: readonly AnyTable[];
  readonly queries?: Readonly<Record<string, AnyQuery>>;
}

interface AnyQuery {
  readonly help?: string;
  readonly parameters?: Readonly<Record<string, Type<unknown> | Parameter>>;
  readonly answer: Fields;
}

const NAMES = /^[a-z][a-zA-Z0-9]{0,63}$/;
const MOST_ACTIONS = 1_024;
const MOST_BLOCKS = (1n << 64n) - 1n;
/** The sequencer takes transactions of 256 KiB, in which a submission is one of several. */
const MOST_TRANSACTION_BYTES = 200_000;
/** Types that a parameter of a query may have: those with one text. */
const TEXTS = new Set(['u32', 'u64', 'u128', 'bool', 'text', 'bytes', 'address', 'asset']);

/** @throws {Error} naming what of a definition cannot be. */
export function contractOf(definition: AnyDefinition): Contract {
  const {
    name,
    version = 1,
    help = '',
    maxActions = 16,
    actions,
    genesis = {},
    tables = [],
    queries = {},
  } = definition;
  return build({
    ...{ name, version, help, maxActions },
    actions: mapValues(actions, ({ fields }) => fields),
    actionHelp: mapValues(actions, ({ help: text = '' }) => text),
    from: mapValues(actions, ({ from }) => from),
    genesis: mapValues(genesis, parameterOf),
    tables: tables.map(describeTable),
    queries: mapValues(queries, ({ help: text = '', parameters = {}, answer }) => ({
      ...{ help: text, answer },
      parameters: mapValues(parameters, parameterOf),
    })),
  });
}

/** The contract of a document. @throws {InvalidData} naming what of it is no definition, or another than it states. */
export function contractFrom(input: Input): Contract {
  const optionalText = (member: Input) => member.optional(anyText) ?? '';
  const actions = input.at('actions');
  const contract = build({
    name: anyText(input.at('name')),
    version: integer({ min: 1 })(input.at('version')),
    help: optionalText(input.at('help')),
    maxActions: integer({ min: 1 })(input.at('maxActions')),
    actions: casesFrom(actions),
    actionHelp: named(actions, (each) => optionalText(each.at('help'))),
    from: named(actions, (each) => each.at('from').optional((block) => block.big(1n, MOST_BLOCKS))),
    genesis: named(input.at('genesis'), parameterFrom),
    tables: input.at('tables').list(256).map(tableFrom),
    queries: named(input.at('queries'), (each) => ({
      help: optionalText(each.at('help')),
      parameters: named(each.at('parameters'), parameterFrom),
      answer: fieldsFrom(each.at('answer')),
    })),
  });
  const stated = input.at('fingerprint');
  if (stated.value !== contract.fingerprint) stated.fail(`the digest of this definition, ${contract.fingerprint}`);
  return contract;
}

function build(parts: Parts): Contract {
  const { name, version, maxActions } = parts;
  if (!/^[a-z][a-z0-9-]{0,63}$/.test(name))
    throw new Error(
      `rollup ${JSON.stringify(name)}: expected a name of at most 64 lower-case letters, digits and hyphens`,
    );
  const within = <T>(what: string, work: () => T): T => {
    try {
      return work();
    } catch (cause) {
      throw new Error(`${what}: ${cause instanceof Error ? cause.message : String(cause)}`, { cause });
    }
  };
  mustBeWhole('version', version, 0xffff_ffff);
  mustBeWhole('maxActions', maxActions, MOST_ACTIONS);
  const action = within(`rollup "${name}": actions`, () => union(parts.actions));
  const body = within(`rollup "${name}"`, () =>
    record({ nonce: u32, chainId: text({ maxBytes: 64 }), actions: list(action, { maxItems: maxActions }) }),
  );
  mustRise(name, parts.from);
  mustBeOnce(name, parts.tables);
  const calls = Object.entries(parts.queries).map(([query, { help, parameters, answer }]): QueryCall => {
    if (!NAMES.test(query)) throw new Error(`query ${JSON.stringify(query)}: expected a name in lowerCamelCase`);
    for (const [parameter, { type }] of Object.entries(parameters)) mustHaveText(query, parameter, type);
    const url = `/v1/${snakeCase(query).replaceAll('_', '-')}`;
    return { name: query, url, help, parameters, answer: within(`query "${query}": answer`, () => record(answer)) };
  });
  const document: DefinitionDocument = {
    ...{ name, version, help: parts.help, maxActions },
    actions: action.cases.map(({ name: each, number, type }) => ({
      ...{ name: each, number },
      ...helpOf(parts.actionHelp[each]),
      ...(parts.from[each] !== undefined && { from: String(parts.from[each]) }),
      fields: type.description.fields,
    })),
    genesis: within(`rollup "${name}": genesis`, () => describeParameters(parts.genesis)),
    tables: parts.tables,
    queries: calls.map(({ name: query, url, help, parameters, answer }) => ({
      ...{ name: query, url },
      ...helpOf(help),
      parameters: within(`query "${query}": parameters`, () => describeParameters(parameters)),
      answer: answer.description.fields,
    })),
  };
  const fingerprint = fingerprintOf(document);
  const typeUrl = `/${name}.${fingerprint.slice(0, 16)}.TransactionBody`;
  return {
    ...{ name, fingerprint, typeUrl, body, document },
    // The values of an action are those of its case.
    actionJson: (given) => action.toJson(given as never) as object,
    maxTransactionBytes: Math.min(MOST_TRANSACTION_BYTES, 160 + typeUrl.length + body.maxBytes),
    fields: new Map(Object.entries(parts.actions)),
    calls: new Map(calls.map((call) => [call.name, call])),
  };
}

/** Bytes of the text that is hashed are those of JSON without white space and without help, members in this order. */
function fingerprintOf({ name, version, maxActions, actions, genesis, tables }: DefinitionDocument): string {
  const authenticated = tables.filter(({ state }) => state === 'authenticated');
  const rows = authenticated.map(({ name: each, key, value }) => ({ name: each, key, value }));
  // Actions that were added to the running chain change neither its data nor the bytes of the others.
  const first = actions.filter(({ from }) => from === undefined);
  const hashed = { format: 1, name, version, maxActions, actions: first, genesis, tables: rows };
  const json = JSON.stringify(hashed, (member, value: unknown) => (member === 'help' ? undefined : value));
  return sha256Hex(new TextEncoder().encode(json));
}

function describeParameters(parameters: Readonly<Record<string, Parameter>>): readonly NamedDescription[] {
  // A record of the same fields finds what is wrong with a name or a type.
  record(mapValues(parameters, ({ type }) => type));
  return Object.entries(parameters).map(([name, { type, fallback }]) => ({
    name,
    ...type.description,
    ...helpOf(type.help),
    ...(fallback !== undefined && { fallback: plain(type.toJson(fallback)) }),
  }));
}

/** JSON with integers as their digits, so that none is rounded. */
function plain(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value, (_, each: unknown) => (typeof each === 'bigint' ? String(each) : each)));
}

function describeTable({ name, help, isAuthenticated, key, value, indexes }: AnyTable): TableDescription {
  return {
    name,
    ...helpOf(help),
    state: isAuthenticated ? 'authenticated' : 'derived',
    key: key.map(({ description }) => description),
    value: value.description,
    indexes: Object.entries(indexes).map(([index, each]) => ({
      name: index,
      key: each.key.map(({ description }) => description),
    })),
  };
}

function tableFrom(input: Input): TableDescription {
  const keyFrom = (each: Input) =>
    each
      .at('key')
      .list(16)
      .map((part) => typeFrom(part).description);
  return {
    name: anyText(input.at('name')),
    ...helpOf(input.at('help').optional(anyText)),
    state: input.at('state').value === 'derived' ? 'derived' : 'authenticated',
    key: keyFrom(input),
    value: typeFrom(input.at('value')).description,
    indexes: input
      .at('indexes')
      .list(64)
      .map((index) => ({ name: anyText(index.at('name')), key: keyFrom(index) })),
  };
}

function parameterOf(given: Type<unknown> | Parameter): Parameter {
  return 'type' in given ? given : { type: given };
}

function parameterFrom(input: Input): Parameter {
  const type = typeFrom(input);
  const help = input.at('help').optional(anyText) ?? '';
  const fallback = input.at('fallback').optional(type.json);
  return { type: { ...type, help }, ...(fallback !== undefined && { fallback }) };
}

function mustHaveText(query: string, parameter: string, { description }: Type<unknown>): void {
  const inner = description.type === 'option' ? (description.value as Description) : description;
  if (TEXTS.has(inner.type)) return;
  throw new Error(`query "${query}": parameter "${parameter}": expected a type of one value, got ${inner.type}`);
}

function mustBeOnce(name: string, tables: readonly TableDescription[]): void {
  const places = new Map<string, number>();
  for (const [place, { name: table }] of tables.entries()) {
    const other = places.get(table);
    if (other !== undefined)
      throw new Error(
        `rollup "${name}": tables[${place}] and tables[${other}] both have the name "${table}", and so the same rows`,
      );
    places.set(table, place);
  }
}

/** The numbers of actions follow their order, so that later ones come last. */
function mustRise(name: string, from: Readonly<Record<string, bigint | undefined>>): void {
  let before = 0n;
  for (const [action, block = 0n] of Object.entries(from)) {
    const isBlock = block >= 0n && block <= MOST_BLOCKS && (block > 0n || from[action] === undefined);
    if (!isBlock)
      throw new Error(`rollup "${name}": action "${action}": from: expected a block from 1 on, got ${block}`);
    if (block < before)
      throw new Error(
        `rollup "${name}": action "${action}" has to stand before those that begin at later blocks, as block ${before}`,
      );
    before = block;
  }
  if (Object.values(from).every((block) => block !== undefined))
    throw new Error(`rollup "${name}": actions: expected at least one from the beginning`);
}

function mustBeWhole(what: string, value: number, most: number): void {
  if (!Number.isInteger(value) || value < 1 || value > most)
    throw new Error(`${what}: expected a whole number from 1 to ${most}, got ${value}`);
}

function helpOf(help: string | undefined): { readonly help?: string } {
  return help === undefined || help === '' ? {} : { help };
}

function mapValues<T, R>(values: Readonly<Record<string, T>>, convert: (value: T) => R): Readonly<Record<string, R>> {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, convert(value)]));
}
