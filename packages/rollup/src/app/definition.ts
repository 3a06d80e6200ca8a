import type { TransactionOutcome } from '@switchyard/client/rollup';
import type { ActionHandler, Overlay, Registry, Snapshot, StateReader, StateWriter, Store } from '@switchyard/machine';
import type { AccountId, AssetId, Deposit, Envelope, TxHash } from '@switchyard/protocol';
import type { Logger } from '@switchyard/service';
import type { AnyRoute, ApiReference, schema } from '@switchyard/service/api';
import type { Hono } from 'hono';
import type { NameOf } from '../schema/type.ts';
import type { Activation } from './activations.ts';
import type { BlockRecord, EncodedEvent } from './commits.ts';
import type { FeeRule } from './fees.ts';
import type { RollupGenesis } from './genesis.ts';
import type { RollupNode } from './node.ts';
import type { TermIndex } from './search/term-index.ts';
import type { StateTable } from './state-tables.ts';
import type { Select } from './streams/rows-part.ts';

export interface RollupAction {
  readonly kind: string;
}

/** The signed part of a transaction. */
export interface TransactionBody<A = RollupAction> {
  readonly nonce: number;
  readonly chainId: string;
  readonly actions: readonly A[];
  /** The last block that may hold it; any, if undefined. In none behind it can it be executed. */
  readonly lastBlock?: bigint | undefined;
}

/** A transaction, without the bytes it came in. */
export interface RollupTransaction extends TransactionBody {
  readonly hash: TxHash;
  readonly signer: AccountId;
  /** The format that read it. Another may find more in its bytes, such as the default of a field that has begun. */
  readonly format: TransactionFormat;
}

/** A transaction and the signed bytes it came in. */
export interface SignedTransaction {
  readonly transaction: RollupTransaction;
  readonly envelope: SignedEnvelope;
}

/** An envelope, with the hash that a wallet has signed, which is found when it is needed. */
export interface SignedEnvelope extends Envelope {
  readonly digest?: () => Uint8Array;
}

/** An amount that a transaction takes from its signer. */
export interface Spend {
  readonly asset: AssetId;
  readonly amount: bigint;
}

export interface TransactionFormat {
  /** Names the kind of the signed body. */
  readonly typeUrl: string;
  readonly maxBytes: number;
  /** @throws {Rejected} for bytes that are no body. */
  decodeBody(body: Uint8Array): TransactionBody;
  /** The hash of a transaction that wallets sign; without it they sign none. */
  walletDigest?(envelope: Envelope, body: TransactionBody): Uint8Array;
}

export interface FormerRows {
  /** Under which they are. */
  readonly prefix: string;
  /** Appends the entries of a row to logs; without it the row is only deleted. Rows come in the order of their keys. */
  convert?(
    row: Uint8Array,
    append: (block: Pick<BlockRecord, 'number' | 'time'>, work: (state: StateWriter) => void) => void,
  ): void;
}

/** Settings and routes that a node has besides the rules of its rollup. */
export interface Beside {
  /** Newest entries of each log that can be found by words and terms; all, if undefined. */
  readonly retainSearch?: bigint | undefined;
  /** Rows from before logs, which a node converts when it starts. */
  readonly formerRows?: readonly FormerRows[];
  /** Routes of the HTTP API below /v1 in addition to the common ones; they are in its documentation. */
  api?(node: RollupNode): readonly AnyRoute[];
  /** Further parts of the documentation: modules with contracts of these routes, and the menu of its page. */
  readonly reference?: ApiReference;
  /** Other HTTP routes in addition to the common ones. */
  routes?(app: Hono, node: RollupNode): void;
  /** Members of `GET /v1/status` in addition to the common ones. */
  readonly status?: {
    /** Their schemas, for the documentation. */
    readonly members: schema.Members;
    of(snapshot: Snapshot): Readonly<Record<string, unknown>>;
  };
}

export type Handlers = Registry<RollupAction, EncodedEvent>;
export type Handler = ActionHandler<RollupAction, EncodedEvent>;

/** The rules of a rollup: all that the state after a block depends on, besides the block and the state before. */
export interface Rules {
  readonly genesis: RollupGenesis;
  readonly transactions: TransactionFormat;
  /** The format of the transactions of a block, if that changes: each one reads all of those before it in the same way. */
  transactionsAt?(number: bigint): TransactionFormat;
  /** Rules that begin at a block. */
  readonly activations?: readonly Activation[];
  readonly actions: Handlers;
  /** Bounds of the work of transactions, if it is counted. */
  readonly steps?: {
    /** A transaction has those of its action that may take most. */
    ofAction(action: RollupAction): number;
    /** Steps of all transactions of a block. */
    readonly ofBlock: number;
  };
  /** An action that waited in the state, if actions can be scheduled. */
  decodeScheduled?(action: Uint8Array): RollupAction;
  /** Why this program cannot execute a block: it lacks an upgrade that was announced. */
  missingUpgrade?(number: bigint, state: StateReader): string | undefined;
  /** Fees of the place in a block; there are none, if undefined. */
  readonly fees?: FeeRule;
  /** The first state. */
  initialState(state: StateWriter): void;
  /**
   * Credits a deposit, which is for this rollup and from one of its bridge accounts.
   *
   * @returns the account that got it.
   * @throws {Rejected} to skip it.
   */
  onDeposit(deposit: Deposit, state: StateWriter): AccountId;
  /** Tables of schemas that its handlers may use; any, if undefined. */
  readonly rowTables?: ReadonlySet<symbol>;
}

/** A rollup as its chain runs it: its transactions and their effects. */
export interface RollupDefinition extends Rules, Omit<Beside, 'retainSearch' | 'formerRows'> {
  readonly name: string;
  /** Rows under `index/` that are written together with block 0. */
  onGenesis?(state: StateWriter): void;
  /** Rows under `index/` that are written together with a block. */
  onBlock?(block: BlockRecord, state: StateWriter): void;
  /** Indexes of logs. */
  readonly indexes?: ReadonlyMap<symbol, TermIndex>;
  /** Schemas of a rollup that is defined by such: data of another definition is refused. */
  readonly schemas?: {
    /** JSON that describes them. */
    readonly document: string;
    /** Members of the genesis that begin at later blocks: the chain was begun without them. */
    readonly laterMembers: readonly string[];
    /** Changes against the schemas that have written data up to a block, of the worst kind; undefined if later blocks alone have some. */
    changes(stored: string, soft: bigint): { readonly change: string; readonly advice: string } | undefined;
  };
  /** Events of a transaction, from their bytes one after another; absent if the rollup has none. */
  eventsJson?(bytes: Uint8Array, nameOf?: NameOf): readonly Readonly<Record<string, unknown>>[];
  /** A refusal of the definition's own, by its code and its facts, which a node may not keep; undefined for another code. */
  refusalJson?(code: number, facts: Uint8Array | undefined, nameOf?: NameOf): TransactionOutcome['refusal'];
  /** An action as JSON for people; its members by a general rule, if undefined. */
  actionJson?(action: RollupAction, nameOf?: NameOf): object;
  /** Texts of the genesis, among which are the names of its assets. */
  readonly assetNames?: Iterable<string>;
  /** Amounts that an action takes from its signer, so that the intake can refuse unpayable ones. */
  spends(action: RollupAction): readonly Spend[];
  /**
   * Rows under `index/` that follow from the rows that a block, its hook or the genesis changed. It must not fail for rows that a
   * stranger can cause: those are reported.
   */
  onChange?(changed: Overlay, rows: StateWriter, report: (problem: string) => void): void;
  /** Brings rows under `index/` of a store with blocks to this definition, before the node is ready. */
  prepare?(store: Store, log: Logger, signal: AbortSignal): Promise<void>;
  /** Rows that streams follow, if the rollup has tables of schemas. */
  readonly select?: Select;
  /** Tables of the state that `GET /v1/state` shows besides nonces and balances. */
  readonly tables?: readonly StateTable[];
}
