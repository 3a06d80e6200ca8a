import type { Registry, Snapshot, StateWriter } from '@switchyard/machine';
import type { AccountId, AssetId, Deposit, Envelope, TxHash } from '@switchyard/protocol';
import type { AnyRoute, ApiReference, schema } from '@switchyard/service/api';
import type { Hono } from 'hono';
import type { Activation } from './activations.ts';
import type { BlockRecord } from './commits.ts';
import type { RollupGenesis } from './genesis.ts';
import type { RollupNode } from './node.ts';
import type { StateTable } from './state-tables.ts';

export interface RollupAction {
  readonly kind: string;
}

/** The signed part of a transaction. */
export interface TransactionBody<A> {
  readonly nonce: number;
  readonly chainId: string;
  readonly actions: readonly A[];
}

/** A transaction, without the bytes it came in. */
export interface RollupTransaction<A> extends TransactionBody<A> {
  readonly hash: TxHash;
  readonly signer: AccountId;
}

/** A transaction and the signed bytes it came in. */
export interface SignedTransaction<A> {
  readonly transaction: RollupTransaction<A>;
  readonly envelope: Envelope;
}

/** An amount that a transaction takes from its signer. */
export interface Spend {
  readonly asset: AssetId;
  readonly amount: bigint;
}

export interface TransactionFormat<A> {
  /** Names the kind of the signed body. */
  readonly typeUrl: string;
  readonly maxBytes: number;
  /** @throws {Rejected} for bytes that are no body. */
  decodeBody(body: Uint8Array): TransactionBody<A>;
}

/**
 * A rollup without a virtual machine: what its transactions are and what they do.
 *
 * `A` is the union of its actions, `E` of its events.
 */
export interface RollupDefinition<A extends RollupAction, E> {
  readonly name: string;
  readonly genesis: RollupGenesis;
  /** Digest of the schemas, where the rollup is defined by such: data of another definition is refused. */
  readonly fingerprint?: string;
  readonly transactions: TransactionFormat<A>;
  /** The format of the transactions of a block, where that changes: each one reads all of those before it in the same way. */
  transactionsAt?(number: bigint): TransactionFormat<A>;
  /** Rules that begin at a block. */
  readonly activations?: readonly Activation[];
  readonly actions: Registry<A, E>;
  /** An action as JSON for people; its members by a general rule, if undefined. */
  actionJson?(action: A): object;
  /** Amounts that an action takes from its signer, so that the intake can refuse what cannot be paid. */
  spends(action: A): readonly Spend[];
  /** The first state. */
  initialState(state: StateWriter): void;
  /**
   * Credits a deposit, which is for this rollup and from one of its bridge accounts.
   *
   * @returns the account that got it.
   * @throws {Rejected} to skip it.
   */
  onDeposit(deposit: Deposit, state: StateWriter): AccountId;
  /** Rows under `index/` that are written together with block 0. */
  onGenesis?(state: StateWriter): void;
  /** Rows under `index/` that are written together with a block. */
  onBlock?(block: BlockRecord<E>, state: StateWriter): void;
  /** Tables of the state that `GET /v1/state` shows beside nonces and balances. */
  readonly tables?: readonly StateTable[];
  /** Routes of the HTTP API below /v1 beside those that every rollup has; they are in its documentation. */
  api?(node: RollupNode<E>): readonly AnyRoute[];
  /** Further parts of the documentation: modules with contracts of these routes, and the menu of its page. */
  readonly reference?: ApiReference;
  /** Other HTTP routes beside those that every rollup has. */
  routes?(app: Hono, node: RollupNode<E>): void;
  /** Members of `GET /v1/status` beside those that every rollup has. */
  readonly status?: {
    /** Their schemas, for the documentation. */
    readonly members: schema.Members;
    of(snapshot: Snapshot): Readonly<Record<string, unknown>>;
  };
}

/** Fixes the types of a definition; it runs nothing. */
export function defineRollup<A extends RollupAction, E>(definition: RollupDefinition<A, E>): RollupDefinition<A, E> {
  return definition;
}
