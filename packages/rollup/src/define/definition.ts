import type { ActionContext, Snapshot, StateWriter } from '@switchyard/machine';
import type { AccountId, Deposit, Timestamp } from '@switchyard/protocol';
import type { BlockRecord } from '../app/commits.ts';
import type { Spend } from '../app/definition.ts';
import type { RollupGenesis } from '../app/genesis.ts';
import type { Fields, RecordOf, UnionOf } from '../schema/shapes.ts';
import type { Type } from '../schema/type.ts';
import { type Contract, contractOf } from './contract.ts';
import type { AnyTable } from './table.ts';

/** A value that a genesis file or a query may leave out. */
export interface Fallback<T> {
  readonly type: Type<T>;
  readonly fallback: T;
}

export function fallback<T>(type: Type<T>, value: T): Fallback<T> {
  return { type, fallback: value };
}

export type Parameters = Readonly<Record<string, Type<unknown> | Fallback<unknown>>>;
type TypesOf<P> = { readonly [K in keyof P]: P[K] extends Fallback<infer T> ? Type<T> : P[K] };
/** Values of parameters after fallbacks were put in. */
export type ParametersOf<P> = RecordOf<TypesOf<P>>;

export interface Action<F extends Fields> {
  readonly help?: string;
  readonly fields: F;
  /** The checks that need no state: where it is submitted, and again where it is executed. */
  check?(fields: RecordOf<F>): void;
  /** Amounts that it takes from its signer, so that the intake can refuse what cannot be paid. */
  spends?(fields: RecordOf<F>): readonly Spend[];
  /** Rows that it may read, write or delete, each time counted; 10,000, if absent. One step more refuses it. A rule of the chain. */
  readonly steps?: number;
  /**
   * Block from which there is this action, for one that is added to a running chain: behind all others of the definition. It
   * belongs to no fingerprint, so that clients and data stay what they are.
   */
  readonly from?: bigint;
  /** Refuses with `Rejected`; anything else it throws is a bug and stops the node. */
  execute(fields: RecordOf<F>, context: HandlerContext): void;
}

export interface HandlerContext extends ActionContext<never> {
  /** Members of the genesis that every rollup has. */
  readonly genesis: RollupGenesis;
}

/** Fixes the types of an action; it does nothing. */
export function action<const F extends Fields>(definition: Action<F>): Action<F> {
  return definition;
}

/** State that a query reads: one block, and the state after it. */
export interface QueryContext {
  readonly state: Snapshot;
  readonly block: bigint;
  readonly time: Timestamp;
}

export interface Query<P extends Parameters, R extends Fields> {
  readonly help?: string;
  readonly parameters?: P;
  readonly answer: R;
  /** Undefined where there is nothing of these parameters. */
  handle(parameters: ParametersOf<P>, context: QueryContext): RecordOf<R> | undefined;
}

type None = Record<never, never>;

/** Fixes the types of a query; it does nothing. */
export function query<const R extends Fields>(
  definition: Query<None, R> & { readonly parameters?: never },
): Query<None, R>;
export function query<const R extends Fields, const P extends Parameters>(definition: Query<P, R>): Query<P, R>;
export function query<const R extends Fields, const P extends Parameters>(definition: Query<P, R>): Query<P, R> {
  return definition;
}

// biome-ignore lint/suspicious/noExplicitAny: handlers take the values of their own fields
export type Actions = Readonly<Record<string, Action<any>>>;
// biome-ignore lint/suspicious/noExplicitAny: as above
export type Queries = Readonly<Record<string, Query<any, any>>>;

type FieldsOf<A> = { readonly [K in keyof A]: A[K] extends Action<infer F> ? F : never };
/** One of the actions, by its `kind`. */
export type ActionOf<A> = UnionOf<FieldsOf<A>>;

type Genesis<G> = RollupGenesis & ParametersOf<G>;

export interface Migration<G> {
  /** Block before whose deposits and transactions it runs, from 1 on. */
  readonly at: bigint;
  /** An error of it is a bug and stops the node. */
  run(state: StateWriter, genesis: G): void;
}

/** A rollup without a virtual machine, described by schemas; everything around the handlers comes from them. */
export interface RollupSchema<G extends Parameters, A extends Actions, Q extends Queries> {
  readonly name: string;
  /** To be raised with a change of what handlers do: another version is another chain. */
  readonly version?: number;
  readonly help?: string;
  /** Members of the genesis file beside those of every rollup. */
  readonly genesis?: G;
  readonly tables?: readonly AnyTable[];
  readonly actions: A;
  /** Changes of the state on a running chain, each once. */
  readonly migrations?: readonly Migration<Genesis<G>>[];
  readonly queries?: Q;
  /** Actions of a transaction; 16, if undefined. */
  readonly maxActions?: number;
  /** The first state. */
  initialState?(state: StateWriter, genesis: Genesis<G>): void;
  /** Credits a deposit from a bridge account of the genesis. Without it deposits are refused. */
  onDeposit?(deposit: Deposit, state: StateWriter, genesis: Genesis<G>): AccountId;
  /** Rows of derived tables that are written with a block. */
  onBlock?(block: BlockRecord<never>, state: StateWriter): void;
}

/** A definition with what follows from it. */
export interface DefinedRollup<G extends Parameters, A extends Actions, Q extends Queries>
  extends RollupSchema<G, A, Q>,
    Omit<Contract, 'name'> {}

// biome-ignore lint/suspicious/noExplicitAny: as above
export type AnyRollup = DefinedRollup<any, any, any>;

/**
 * Defines a rollup.
 *
 * @throws {Error} naming what of it cannot be.
 */
export function defineRollup<
  const A extends Actions,
  const Q extends Queries = Record<never, never>,
  const G extends Parameters = Record<never, never>,
>(definition: RollupSchema<G, A, Q>): DefinedRollup<G, A, Q> {
  return { ...definition, ...contractOf(definition) };
}
