import { sha256Hex } from '@switchyard/protocol';
import { snakeCase } from '@switchyard/service/input';
import { checkParts } from '#definitions';
import { type Fields, type RecordType, record, union } from '../schema/shapes.ts';
import { inPlace, type NameOf } from '../schema/type.ts';
import { type BodyCodec, toBody } from './body.ts';
import {
  type AnyDefinition,
  type AnyQuery,
  type DefinitionDocument,
  describeKinds,
  describeParameters,
  getHelp,
  getParameter,
  type Kinds,
  MOST_TRANSACTION_BYTES,
  mapValues,
  type Parameter,
  type Parts,
  toParts,
} from './document.ts';
import { partsAt, VALUES } from './eras.ts';
import type { KindUnion } from './events.ts';
import { describeFees } from './fees.ts';
import { BOUNDS } from './steps.ts';

/** Parts of a definition that its clients need, without its handlers: described by `GET /v1/definition`. */
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
  /** One of the events; undefined if there are none. */
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

/** @throws {Error} naming the invalid part of a definition. */
export function describeContract(definition: AnyDefinition): Contract {
  const parts = toParts(definition);
  checkParts(parts);
  return contractOfParts(parts);
}

/** The contract of parts that {@link checkParts} has taken. */
export function contractOfParts(parts: Parts): Contract {
  const { name, version = 1, help = '', maxActions = 16, wire, fees, events, refusals, tables, migrations } = parts;
  const place = `rollup "${name}"`;
  const actions = mapValues(parts.actions, (each) => ({ ...each, steps: each.steps ?? BOUNDS.action }));
  const genesis = mapValues(parts.genesis ?? {}, getParameter);
  const getFields = (kinds: Kinds) => mapValues(kinds, ({ fields }) => fields);
  const unionOf = (kinds: Kinds) => (Object.keys(kinds).length === 0 ? undefined : union(getFields(kinds)));
  const action = inPlace(`${place}: actions`, () => union(getFields(actions)));
  const body = inPlace(place, () => toBody(action, maxActions, wire));
  const eventUnion = inPlace(`${place}: events`, () => unionOf(events));
  const refusalUnion = inPlace(`${place}: refusals`, () => unionOf(refusals));
  const calls = Object.entries(parts.queries ?? {}).map(toCall);
  const document: DefinitionDocument = {
    ...{ name, version, help, maxActions, ...(wire !== undefined && { wire }) },
    ...(parts.initialState !== undefined && { initialState: true }),
    ...(parts.onDeposit !== undefined && { onDeposit: true }),
    actions: describeKinds(action, actions),
    events: describeKinds(eventUnion, events),
    refusals: describeKinds(refusalUnion, refusals),
    genesis: inPlace(`${place}: genesis`, () => describeParameters(genesis)),
    tables,
    queries: calls.map(({ name: query, url, help: text, parameters, answer }) => ({
      ...{ name: query, url },
      ...getHelp(text),
      parameters: inPlace(`query "${query}": parameters`, () => describeParameters(parameters)),
      answer: answer.description.fields,
    })),
    migrations,
    ...(fees !== undefined && { fees: inPlace(`${place}: fees`, () => describeFees(fees)) }),
  };
  const fingerprint = computeFingerprint(inPlace(place, () => getFirst(document)));
  const typeUrl = wire?.typeUrl ?? `/${name}.${fingerprint.slice(0, 16)}.TransactionBody`;
  const mostBytes = wire?.maxTransactionBytes ?? 160 + typeUrl.length + body.maxBytes;
  return {
    ...{ name, fingerprint, typeUrl, body, eventUnion, refusalUnion, document },
    // The values of an action are those of its case.
    actionJson: (given, nameOf) => action.toJson(given as never, nameOf) as object,
    maxTransactionBytes: Math.min(MOST_TRANSACTION_BYTES, mostBytes),
    fields: new Map(Object.entries(getFields(actions))),
    calls: new Map(calls.map((call) => [call.name, call])),
  };
}

function toCall([name, { help = '', parameters: given = {}, answer }]: readonly [string, AnyQuery]): QueryCall {
  const parameters = mapValues(given, getParameter);
  const url = `/v1/${snakeCase(name).replaceAll('_', '-')}`;
  return { name, url, help, parameters, answer: inPlace(`query "${name}": answer`, () => record(answer)) };
}

/**
 * Bytes of the text that is hashed are those of JSON without white space, members in this order: the whole document but for help,
 * queries, indexes, searches and derived tables, on which no block depends.
 */
function computeFingerprint({ queries: _, tables, ...rules }: DefinitionDocument): string {
  const rows = tables
    .filter(({ state }) => state === 'authenticated')
    .map(({ indexes: __, search: ___, ...table }) => table);
  const json = JSON.stringify({ format: 2, bounds: BOUNDS, ...rules, tables: rows }, (member, value: unknown) => {
    if (VALUES.has(member)) return JSON.stringify(value);
    return member === 'help' ? undefined : value;
  });
  return sha256Hex(new TextEncoder().encode(json));
}

/** The document of block 0. */
function getFirst(document: DefinitionDocument): DefinitionDocument {
  const first = partsAt(document, 0n);
  if (first === undefined) throw new Error('expected a definition for block 0');
  return first;
}
