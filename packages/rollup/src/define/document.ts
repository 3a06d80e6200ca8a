import { type Fields, record } from '../schema/shapes.ts';
import { isBlock } from '../schema/since.ts';
import type { Description, Type } from '../schema/type.ts';
import type { KindUnion } from './events.ts';
import type { Fees } from './fees.ts';
import type { KeyTypes } from './keys.ts';
import type { AnyTable } from './table.ts';
import type { WireForm } from './wire-body.ts';

/** A definition as JSON, without its handlers. */
export interface DefinitionDocument {
  readonly name: string;
  readonly version: number;
  readonly help: string;
  readonly maxActions: number;
  readonly wire?: WireForm;
  /** Hooks that the definition has, since without them a block has another result. */
  readonly initialState?: true;
  readonly onDeposit?: true;
  readonly actions: readonly NamedDescription[];
  readonly events: readonly NamedDescription[];
  readonly refusals: readonly NamedDescription[];
  readonly genesis: readonly NamedDescription[];
  readonly tables: readonly TableDescription[];
  readonly queries: readonly NamedDescription[];
  /** Blocks before which the state is changed. */
  readonly migrations: readonly NamedDescription[];
  /** Fees of transactions; there are none, if undefined. */
  readonly fees?: Readonly<Record<string, string>>;
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

export interface Parameter {
  readonly type: Type<unknown>;
  /** Stands for an omitted one; without it, and unless the type is an option, the parameter is required. */
  readonly fallback?: unknown;
}

/** An action, event or refusal. */
export interface Kind {
  readonly fields: Fields;
  readonly help?: string | undefined;
  readonly from?: bigint | undefined;
  /** Members of an action on which the result of a block depends. */
  readonly steps?: number | undefined;
  readonly check?: unknown;
}

export type Kinds = Readonly<Record<string, Kind>>;
export type NamedKind = Kind & { readonly kind: string };

type Parameters = Readonly<Record<string, Type<unknown> | Parameter>>;

export interface AnyQuery {
  readonly help?: string | undefined;
  readonly parameters?: Parameters;
  readonly answer: Fields;
}

/** Parts of a definition on which its document depends, whether they come from its code or from a document. */
export interface Parts {
  readonly name: string;
  readonly version?: number;
  readonly help?: string | undefined;
  readonly maxActions?: number;
  readonly wire?: WireForm | undefined;
  readonly fees?: Fees | undefined;
  readonly initialState?: unknown;
  readonly onDeposit?: unknown;
  readonly actions: Kinds;
  readonly events: Kinds;
  readonly refusals: Kinds;
  readonly genesis?: Parameters;
  readonly tables: readonly TableDescription[];
  readonly queries?: Readonly<Record<string, AnyQuery>>;
  readonly migrations: readonly NamedDescription[];
}

export type AnyDefinition = Omit<Parts, 'events' | 'refusals' | 'tables' | 'migrations'> & {
  readonly events?: readonly NamedKind[];
  readonly refusals?: readonly NamedKind[];
  readonly tables?: readonly AnyTable[];
  readonly migrations?: readonly { readonly at: bigint }[];
};

/** The sequencer takes transactions of 256 KiB, in which a submission is one of several. */
export const MOST_TRANSACTION_BYTES = 200_000;

export function toParts(definition: AnyDefinition): Parts {
  const { name, events = [], refusals = [], tables = [], migrations = [] } = definition;
  return {
    ...definition,
    events: byKind(name, 'event', events),
    refusals: byKind(name, 'refusal', refusals),
    tables: tables.map(describeTable),
    migrations: getMigrations(name, migrations),
  };
}

export const getBlock = (from: bigint | undefined) => (from === undefined ? {} : { from: String(from) });

export function describeKinds(type: KindUnion | undefined, kinds: Kinds): readonly NamedDescription[] {
  return (type?.cases ?? []).map(({ name, number, type: { description } }) => {
    const { help, from, steps, check } = kinds[name] ?? {};
    return {
      ...{ name, number },
      ...getHelp(help),
      ...getBlock(from),
      ...(steps !== undefined && { steps }),
      ...(check !== undefined && { check: true }),
      fields: description.fields,
    };
  });
}

/** @throws {Error} if two migrations have one block, or one has no block. */
function getMigrations(name: string, migrations: readonly { readonly at: bigint }[]): readonly NamedDescription[] {
  const blocks = migrations.map(({ at }) => at);
  const wrong = blocks.find((at) => !isBlock(at));
  if (wrong !== undefined)
    throw new Error(`rollup "${name}": migrations: expected a block from 1 on, got ${String(wrong)}`);
  if (new Set(blocks).size < blocks.length)
    throw new Error(`rollup "${name}": migrations: expected one for each block`);
  return blocks.map((at) => ({ name: `at block ${at}`, from: String(at) }));
}

export function getParameter(given: Type<unknown> | Parameter): Parameter {
  return 'type' in given ? given : { type: given };
}

export function describeParameters(parameters: Readonly<Record<string, Parameter>>): readonly NamedDescription[] {
  // A record of the same fields finds wrong names and types.
  record(mapValues(parameters, ({ type }) => type));
  return Object.entries(parameters).map(([name, { type, fallback }]) => ({
    name,
    ...type.description,
    ...getHelp(type.help),
    ...(fallback !== undefined && { fallback: plain(type.toJson(fallback)) }),
  }));
}

/** JSON in sent form: without members that are undefined. */
export function plain(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value));
}

function describeTable(table: AnyTable): TableDescription {
  const { name, help, from, isAuthenticated, key, value, absent, indexes, search } = table;
  return {
    ...{ name, ...getBlock(from), ...getHelp(help) },
    state: isAuthenticated ? 'authenticated' : 'derived',
    key: key.map(({ description }) => description),
    value: value.description,
    ...(absent !== undefined && { absent: plain(value.toJson(absent)) }),
    indexes: Object.entries(indexes).map(([index, each]) => ({
      name: index,
      key: (each.key as KeyTypes).map(({ description }) => description),
    })),
    ...(search.length > 0 && { search }),
  };
}

/** @throws {Error} naming a duplicate kind. */
function byKind(name: string, what: string, kinds: readonly NamedKind[]): Kinds {
  const twice = kinds.find(({ kind }, at) => kinds.findIndex((other) => other.kind === kind) < at);
  if (twice !== undefined) throw new Error(`rollup "${name}": ${what}s: "${twice.kind}" is listed twice`);
  return Object.fromEntries(kinds.map((each) => [each.kind, each]));
}

export function getHelp(help: string | undefined): { readonly help?: string } {
  return help === undefined || help === '' ? {} : { help };
}

export function mapValues<T, R>(
  values: Readonly<Record<string, T>>,
  convert: (value: T) => R,
): Readonly<Record<string, R>> {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, convert(value)]));
}
