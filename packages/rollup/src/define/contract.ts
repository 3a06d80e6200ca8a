import { sha256Hex } from '@switchyard/protocol';
import { snakeCase } from '@switchyard/service/input';
import { type Fields, type RecordType, record, union } from '../schema/shapes.ts';
import { isBlock } from '../schema/since.ts';
import { type Description, inPlace, type NameOf, type Type } from '../schema/type.ts';
import { type BodyCodec, bodyOf } from './body.ts';
import {
  type AnyDefinition,
  type AnyQuery,
  type DefinitionDocument,
  describeKinds,
  describeParameters,
  helpOf,
  type Kinds,
  MOST_TRANSACTION_BYTES,
  mapValues,
  type NamedDescription,
  type Parameter,
  type Parts,
  parameterOf,
  partsOf,
  type TableDescription,
} from './document.ts';
import { partsAt, VALUES } from './eras.ts';
import type { KindUnion } from './events.ts';
import { describeFees } from './fees.ts';
import { checkRefusals } from './refusals.ts';
import { mustBeFree } from './reserved.ts';
import { BOUNDS } from './steps.ts';

/** Parts of a definition that its clients need, without its handlers: what `GET /v1/definition` describes. */
export interface Contract {
  readonly name: string;
  /** Digest of everything that block 0 and its state depend on: without the parts that begin at later blocks. */
  readonly fingerprint: string;
  /** Names the kind of the signed body. */
  readonly typeUrl: string;
  readonly body: BodyCodec;
  readonly maxTransactionBytes: number;
  /** An action as JSON, by the types of its fields. */
  actionJson(action: { readonly kind: string }, nameOf?: NameOf): object;
  /** Fields of each action. */
  readonly fields: ReadonlyMap<string, Fields>;
  readonly calls: ReadonlyMap<string, QueryCall>;
  /** One of the events; undefined where there are none. */
  readonly eventUnion: KindUnion | undefined;
  /** One of the own refusals with its facts. */
  readonly refusalUnion: KindUnion | undefined;
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

const NAMES = /^[a-z][a-zA-Z0-9]{0,63}$/;
const MOST_ACTIONS = 1_024;
/** Types that a parameter of a query may have: those with one text. */
const TEXTS = new Set([
  ...['u32', 'u64', 'u128', 'i32', 'i64', 'i128', 'bool', 'oneOf'],
  ...['text', 'bytes', 'address', 'asset'],
]);

/** @throws {Error} naming what of a definition cannot be. */
export const contractOf = (definition: AnyDefinition): Contract => contractOfParts(partsOf(definition));

export function contractOfParts(parts: Parts): Contract {
  const { name, version = 1, help = '', maxActions = 16, wire, fees, events, refusals, tables, migrations } = parts;
  if (!/^[a-z][a-z0-9-]{0,63}$/.test(name))
    throw new Error(
      `rollup ${JSON.stringify(name)}: expected a name of at most 64 lower-case letters, digits and hyphens`,
    );
  const place = `rollup "${name}"`;
  const actions = mapValues(parts.actions, (each) => ({ ...each, steps: each.steps ?? BOUNDS.action }));
  const genesis = mapValues(parts.genesis ?? {}, parameterOf);
  mustBeWhole('version', version, 0xffff_ffff);
  mustBeWhole('maxActions', maxActions, MOST_ACTIONS);
  const fieldsOf = (kinds: Kinds) => mapValues(kinds, ({ fields }) => fields);
  const unionOf = (kinds: Kinds) => (Object.keys(kinds).length === 0 ? undefined : union(fieldsOf(kinds)));
  const action = inPlace(`${place}: actions`, () => union(fieldsOf(actions)));
  const body = inPlace(place, () => bodyOf(action, maxActions, wire));
  const eventUnion = inPlace(`${place}: events`, () => unionOf(events));
  const refusalUnion = inPlace(`${place}: refusals`, () => {
    checkRefusals(fieldsOf(refusals));
    return unionOf(refusals);
  });
  for (const [each, { steps }] of Object.entries(actions))
    mustBeWhole(`${place}: action "${each}": steps`, steps, Number.MAX_SAFE_INTEGER);
  for (const [what, kinds] of Object.entries({ action: actions, event: events, refusal: refusals }))
    mustRise(place, what, kinds);
  if (Object.values(actions).every(({ from }) => from !== undefined))
    throw new Error(`${place}: actions: expected at least one from the beginning`);
  mustBeOnce(place, tables);
  const queries = Object.entries(parts.queries ?? {});
  inPlace(place, () => {
    mustBeFree(
      'query',
      queries.map(([query]) => query),
    );
    mustBeFree('member', Object.keys(genesis));
    mustBeFree(
      'table',
      tables.map((table) => table.name),
    );
  });
  const calls = queries.map(callOf);
  const document: DefinitionDocument = {
    ...{ name, version, help, maxActions, ...(wire !== undefined && { wire }) },
    ...(parts.initialState !== undefined && { initialState: true }),
    ...(parts.onDeposit !== undefined && { onDeposit: true }),
    actions: describeKinds(action, actions),
    events: describeKinds(eventUnion, events),
    refusals: describeKinds(refusalUnion, refusals),
    genesis: inPlace(`${place}: genesis`, () => describeParameters(genesis).map(mustHaveFallback)),
    tables,
    queries: calls.map(({ name: query, url, help: text, parameters, answer }) => ({
      ...{ name: query, url },
      ...helpOf(text),
      parameters: inPlace(`query "${query}": parameters`, () => describeParameters(parameters)),
      answer: answer.description.fields,
    })),
    migrations,
    ...(fees !== undefined && { fees: inPlace(`${place}: fees`, () => describeFees(fees)) }),
  };
  const fingerprint = fingerprintOf(inPlace(place, () => firstOf(document)));
  const typeUrl = wire?.typeUrl ?? `/${name}.${fingerprint.slice(0, 16)}.TransactionBody`;
  const mostBytes = wire?.maxTransactionBytes ?? 160 + typeUrl.length + body.maxBytes;
  return {
    ...{ name, fingerprint, typeUrl, body, eventUnion, refusalUnion, document },
    // The values of an action are those of its case.
    actionJson: (given, nameOf) => action.toJson(given as never, nameOf) as object,
    maxTransactionBytes: Math.min(MOST_TRANSACTION_BYTES, mostBytes),
    fields: new Map(Object.entries(fieldsOf(actions))),
    calls: new Map(calls.map((call) => [call.name, call])),
  };
}

function callOf([name, { help = '', parameters: given = {}, answer }]: readonly [string, AnyQuery]): QueryCall {
  if (!NAMES.test(name)) throw new Error(`query ${JSON.stringify(name)}: expected a name in lowerCamelCase`);
  const parameters = mapValues(given, parameterOf);
  for (const [parameter, { type }] of Object.entries(parameters)) mustHaveText(name, parameter, type);
  const url = `/v1/${snakeCase(name).replaceAll('_', '-')}`;
  return { name, url, help, parameters, answer: inPlace(`query "${name}": answer`, () => record(answer)) };
}

/**
 * Bytes of the text that is hashed are those of JSON without white space, members in this order: the whole document but for help,
 * queries, indexes and derived tables, on which no block depends.
 */
function fingerprintOf({ queries: _, tables, ...rules }: DefinitionDocument): string {
  const rows = tables.filter(({ state }) => state === 'authenticated').map(({ indexes: __, ...table }) => table);
  const json = JSON.stringify({ format: 2, bounds: BOUNDS, ...rules, tables: rows }, (member, value: unknown) => {
    if (VALUES.has(member)) return JSON.stringify(value);
    return member === 'help' ? undefined : value;
  });
  return sha256Hex(new TextEncoder().encode(json));
}

/** The document of block 0. */
function firstOf(document: DefinitionDocument): DefinitionDocument {
  const first = partsAt(document, 0n);
  if (first === undefined) throw new Error('expected a definition for block 0');
  return first;
}

/** A member that begins later is in no genesis file of an older program. */
function mustHaveFallback(member: NamedDescription): NamedDescription {
  if (member.from === undefined || member.before !== undefined || 'fallback' in member) return member;
  throw new Error(
    `member "${member.name}" begins at block ${member.from}: expected fallback(since(block, type), value)`,
  );
}

function mustHaveText(query: string, parameter: string, { description }: Type<unknown>): void {
  const inner = description.type === 'option' ? (description.value as Description) : description;
  if (TEXTS.has(inner.type)) return;
  throw new Error(`query "${query}": parameter "${parameter}": expected a type of one value, got ${inner.type}`);
}

function mustBeOnce(place: string, tables: readonly TableDescription[]): void {
  const places = new Map<string, number>();
  for (const [at, { name: table }] of tables.entries()) {
    const other = places.get(table);
    if (other !== undefined)
      throw new Error(
        `${place}: tables[${at}] and tables[${other}] both have the name "${table}", and so the same rows`,
      );
    places.set(table, at);
  }
}

/** Numbers follow the order, so that later ones come last. */
function mustRise(place: string, what: string, kinds: Kinds): void {
  let before = 0n;
  for (const [part, { from }] of Object.entries(kinds)) {
    const of = `${place}: ${what} "${part}"`;
    if (from !== undefined && !isBlock(from)) throw new Error(`${of}: from: expected a block from 1 on, got ${from}`);
    const block = from ?? 0n;
    if (block < before)
      throw new Error(`${of} has to stand before those that begin at later blocks, as block ${before}`);
    before = block;
  }
}

function mustBeWhole(what: string, value: number, most: number): void {
  if (!Number.isInteger(value) || value < 1 || value > most)
    throw new Error(`${what}: expected a whole number from 1 to ${most}, got ${value}`);
}
