import type { ActionContext, Snapshot, StateWriter } from '@switchyard/machine';
import type { AccountId, Deposit, Timestamp } from '@switchyard/protocol';
import { mustBeSynchronous, mustBeUpgrades } from '#definitions';
import type { BlockRecord } from '../app/commits.ts';
import type { Spend } from '../app/definition.ts';
import type { RollupGenesis } from '../app/genesis.ts';
import type { Fields, RecordOf, UnionOf } from '../schema/shapes.ts';
import type { Type } from '../schema/type.ts';
import { type Contract, describeContract } from './contract.ts';
import type { Emitter, EventOf, Events } from './events.ts';
import type { Fees } from './fees.ts';
import type { Refusals } from './refusals.ts';
import type { Scheduler } from './schedule.ts';
import type { AnyTable } from './table.ts';
import type { WireForm } from './wire-body.ts';

/** A value that a genesis file or a query may leave out. */
export interface Fallback<T> {
  readonly type: Type<T>;
  readonly fallback: T;
}

/** A member of a genesis file, or a parameter of a query, that may be left out. See the example of {@link query}. */
export function fallback<T>(type: Type<T>, value: T): Fallback<T> {
  return { type, fallback: value };
}

/** Parameters of a query, or members of a genesis file, by their names. */
export type Parameters = Readonly<Record<string, Type<unknown> | Fallback<unknown>>>;
type TypesOf<P> = { readonly [K in keyof P]: P[K] extends Fallback<infer T> ? Type<T> : P[K] };
/** Values of parameters after fallbacks were put in. */
export type ParametersOf<P> = RecordOf<TypesOf<P>>;

/** Result of a handler that is over when it returns: an async function has another one. */
// biome-ignore lint/suspicious/noConfusingVoidType: functions of any result would be assignable to void alone
export type Over = void | undefined;

/** One kind of action: the fields that are signed, and their effect. */
export interface Action<F extends Fields> {
  readonly help?: string;
  readonly fields: F;
  /** The checks that need no state: if it is submitted, and again if it is executed. */
  check?(fields: RecordOf<F>, context: CheckContext): Over;
  /** Amounts that it takes from its signer, so that the intake can refuse unpayable ones. */
  spends?(fields: RecordOf<F>): readonly Spend[];
  /** Rows that it may read, write or delete, each time counted; 10,000, if absent. One step more refuses it. A rule of the chain. */
  readonly steps?: number;
  /** Block from which a running chain has this action, which stands behind all others of the definition. */
  readonly from?: bigint;
  /** Refuses with `Rejected`. Anything else that it throws is a bug, and refuses with the reason `bug`. */
  execute(fields: RecordOf<F>, context: HandlerContext): Over;
}

/** Facts for `check`, which has no state. */
export interface CheckContext<G extends RollupGenesis = RollupGenesis> {
  /** Members that every rollup has; a handler that states `CheckContext<GenesisOf<typeof genesis>>` gets its own too. */
  readonly genesis: G;
}

/** Facts for `execute`: the state, the signer, height and time of the block, the genesis. */
export interface HandlerContext<G extends RollupGenesis = RollupGenesis>
  extends Omit<ActionContext<never>, 'emit'>,
    CheckContext<G>,
    Emitter {
  /** For `schedule` and `cancel`. */
  readonly scheduler: Scheduler;
}

/** Fixes the types of an action; it does nothing. See the example of {@link defineRollup}. */
export function action<const F extends Fields>(definition: Action<F>): Action<F> {
  return definition;
}

/** State that a query reads: one block, and the state after it. */
export interface QueryContext {
  readonly state: Snapshot;
  readonly block: bigint;
  readonly time: Timestamp;
}

/** A question to the state after a block, with a route, a command and a call of the client. */
export interface Query<P extends Parameters, R extends Fields> {
  readonly help?: string;
  readonly parameters?: P;
  readonly answer: R;
  /** Undefined if there is nothing of these parameters. */
  handle(parameters: ParametersOf<P>, context: QueryContext): RecordOf<R> | undefined;
}

type None = Record<never, never>;

/**
 * Fixes the types of a query; it does nothing.
 * @example
 * ```ts
 * const votes = table({ name: 'votes', key: address, value: u32, absent: 0 });
 * query({
 *   parameters: { by: address, least: fallback(u32, 1) },
 *   answer: { counts: bool },
 *   handle: ({ by, least }, { state }) => ({ counts: votes.get(state, by) >= least }),
 * });
 * ```
 */
export function query<const R extends Fields>(
  definition: Query<None, R> & { readonly parameters?: never },
): Query<None, R>;
export function query<const R extends Fields, const P extends Parameters>(definition: Query<P, R>): Query<P, R>;
export function query<const R extends Fields, const P extends Parameters>(definition: Query<P, R>): Query<P, R> {
  return definition;
}

/** Actions by their kinds. */
// biome-ignore lint/suspicious/noExplicitAny: handlers take the values of their own fields
export type Actions = Readonly<Record<string, Action<any>>>;
/** Queries by their names. */
// biome-ignore lint/suspicious/noExplicitAny: as above
export type Queries = Readonly<Record<string, Query<any, any>>>;

type FieldsOf<A> = { readonly [K in keyof A]: A[K] extends Action<infer F> ? F : never };
/** One of the actions, by its `kind`. */
export type ActionOf<A> = UnionOf<FieldsOf<A>>;

/** Members of a genesis file: those of every rollup, and the ones added by a definition. */
export type GenesisOf<G> = RollupGenesis & ParametersOf<G>;

export interface Migration<G> {
  /** Block before whose deposits and transactions it runs, from 1 on. */
  readonly at: bigint;
  /** An error of it is a bug and stops the node. */
  run(state: StateWriter, genesis: G): Over;
}

/** A rollup without a virtual machine, described by schemas; everything around the handlers comes from them. */
export interface RollupSchema<G extends Parameters, A extends Actions, Q extends Queries, E extends Events> {
  readonly name: string;
  /** To be raised with a change of handlers' effects: another version makes a different chain. */
  readonly version?: number;
  readonly help?: string;
  /** Members of the genesis file in addition to those of every rollup. */
  readonly genesis?: G;
  readonly tables?: readonly AnyTable[];
  readonly actions: A;
  /** Changes of the state on a running chain, each once. */
  readonly migrations?: readonly Migration<GenesisOf<G>>[];
  readonly queries?: Q;
  /** Events that actions emit. */
  readonly events?: E;
  /** Refusals that handlers throw in addition to the common ones. */
  readonly refusals?: Refusals;
  /** Bytes that transactions have already, if the rollup is not a new one. */
  readonly wire?: WireForm;
  /** Actions of a transaction; 16, if undefined. */
  readonly maxActions?: number;
  /** Charges for the place in a block, refused transactions included. Without them the payer of the sequencer pays for all. */
  readonly fees?: Fees;
  /** The first state. */
  initialState?(state: StateWriter, genesis: GenesisOf<G>): Over;
  /**
   * Credits a deposit from a bridge account of the genesis. Without it deposits are refused. A deposit hit by a bug is credited to the
   * `failed_deposits` of the genesis, or skipped.
   */
  onDeposit?(deposit: Deposit, state: StateWriter, genesis: GenesisOf<G>): AccountId;
  /** Rows of derived tables, which alone are in `state`: written with a block, and again from stored ones when it has changed. */
  onBlock?(block: BlockRecord<EventOf<E>>, state: StateWriter): Over;
}

/** A definition with its derived parts. */
export interface DefinedRollup<
  G extends Parameters,
  A extends Actions,
  Q extends Queries,
  E extends Events = readonly never[],
> extends RollupSchema<G, A, Q, E>,
    Omit<Contract, 'name'> {}

/** A rollup of any definition. */
// biome-ignore lint/suspicious/noExplicitAny: as above
export type AnyRollup = DefinedRollup<any, any, any, any>;

/**
 * Defines a rollup.
 *
 * @throws {Error} naming its invalid part.
 * @example
 * ```ts
 * const total = single({ name: 'total', value: u64, absent: 0n });
 * const add = action({
 *   fields: { amount: u64 },
 *   execute: ({ amount }, { state }) => total.put(state, total.get(state) + amount),
 * });
 * export const counter = defineRollup({ name: 'counter', tables: [total], actions: { add } });
 * ```
 */
export function defineRollup<
  const A extends Actions,
  const Q extends Queries = Record<never, never>,
  const G extends Parameters = Record<never, never>,
  const E extends Events = readonly never[],
>(definition: RollupSchema<G, A, Q, E>): DefinedRollup<G, A, Q, E> {
  const contract = describeContract(definition);
  mustBeSynchronous(definition);
  mustBeUpgrades(contract.document);
  return { ...definition, ...contract };
}

/** The one export of a module that `defineRollup` made. @throws {Error} if there is none, or several. */
export function definitionIn(module: object): AnyRollup {
  const found = new Set(Object.values(module).filter(isDefinition));
  const [only] = found;
  if (only !== undefined && found.size === 1) return only;
  throw new Error(`expected one export that defineRollup made, got ${found.size}`);
}

function isDefinition(value: unknown): value is AnyRollup {
  return typeof value === 'object' && value !== null && 'fingerprint' in value && 'actions' in value;
}
