/**
 * The line between the application and the engine that orders blocks for it.
 *
 * It has the shape of ABCI (CometBFT 0.38) in plain types, so that one application runs behind the solo engine, behind
 * an external CometBFT, and in tests without either. Calls come one at a time per block, in the order of
 * "Methods" in the ABCI specification; only `query` may overlap anything.
 */

import type { Action, Timestamp, TxHash } from '@switchyard/protocol';

export interface Application {
  /** Height and root of the last commit. Height 0 means that `initChain` has not been called on this database. */
  info(): AppInfo;

  /**
   * Sets up the first state. Nothing is on disk until the first `commit`: after a crash before it, the engine calls
   * `initChain` again.
   *
   * @throws {InvalidGenesis} naming every mistake of `appState` with its path.
   */
  initChain(genesis: Genesis): InitResult;

  /**
   * Decides whether bytes enter the pool. Never throws for bad bytes; `code` 0 means held (pending or parked). `tx` may
   * be a view of more bytes, which are not kept.
   */
  checkTx(tx: Uint8Array, mode: 'new' | 'recheck'): Verdict;

  /** The entries of the next block: two injected roots, then transactions as submitted, at most `maxTxBytes` together. */
  prepareProposal(input: ProposalInput): readonly Uint8Array[];

  /** Whether this block may be decided. A proposal leaves no trace until it is finalized. */
  processProposal(proposal: Proposal): 'accept' | 'reject';

  /**
   * Executes a decided block and computes the root after it. Writes nothing; calling it again with the same block
   * before `commit` gives the same result.
   */
  finalizeBlock(block: DecidedBlock): BlockResult;

  /** The only write: one durable batch with everything of the finalized block. Resolves when it is on disk and readable. */
  commit(): Promise<CommitResult>;

  /** Answers from committed state. Never throws for bad input; `code` is the outcome. */
  query(path: string, data: Uint8Array, height?: bigint): Promise<QueryResult>;
}

/**
 * Refuses transactions that the rules of the chain allow and the engine below cannot carry out. It is called before a transaction enters
 * the pool or a proposal, never about a block that was decided.
 *
 * @throws {Rejected} `unsupported-action`.
 */
export type EngineSupport = (action: Action) => void;

export interface AppInfo {
  /** Fixed text that clients of the wire expect. */
  readonly data: 'astria_sequencer';
  readonly version: string;
  readonly appVersion: bigint;
  readonly height: bigint;
  /** 32 bytes; empty at height 0. */
  readonly appHash: Uint8Array;
}

/** An ed25519 key and its voting power; power 0 removes. */
export interface ValidatorUpdate {
  /** 32 bytes. */
  readonly publicKey: Uint8Array;
  readonly power: bigint;
}

export interface ConsensusParams {
  readonly block: { readonly maxBytes: bigint; readonly maxGas: bigint };
  readonly evidence: {
    readonly maxAgeNumBlocks: bigint;
    /** Nanoseconds. */
    readonly maxAgeDuration: bigint;
    readonly maxBytes: bigint;
  };
  readonly validator: { readonly pubKeyTypes: readonly string[] };
  readonly version: { readonly app: bigint };
  readonly abci: { readonly voteExtensionsEnableHeight: bigint };
}

export interface Genesis {
  readonly chainId: string;
  readonly time: Timestamp;
  /** At least 1: a genesis file's "0" means 1. */
  readonly initialHeight: bigint;
  readonly consensusParams: ConsensusParams;
  readonly validators: readonly ValidatorUpdate[];
  /** The JSON text of `app_state`, UTF-8. */
  readonly appState: Uint8Array;
}

export interface InitResult extends Pick<Genesis, 'validators' | 'consensusParams'> {
  /** 32 bytes, carried by the header of the first block. */
  readonly appHash: Uint8Array;
}

/** Answer of `checkTx`; codes are those of `codes.ts`. */
export interface Verdict {
  readonly code: number;
  /** The code in words. */
  readonly info: string;
  /** Details, empty when the code is 0. */
  readonly log: string;
  /** SHA-256 of the bytes, so that they are hashed once. */
  readonly hash: TxHash;
}

export interface ProposalInput extends Omit<Proposal, 'txs'> {
  /** For all entries, the injected ones included, each with its tag and length as in an encoded block. */
  readonly maxTxBytes: number;
}

export interface Proposal {
  readonly height: bigint;
  readonly time: Timestamp;
  /** 20 bytes. */
  readonly proposer: Uint8Array;
  readonly txs: readonly Uint8Array[];
  readonly misbehavior: readonly Misbehavior[];
  readonly lastCommit: LastCommit;
}

export interface DecidedBlock extends Proposal {
  /** 32 bytes: the header hash, which is the block's id everywhere. */
  readonly hash: Uint8Array;
}

/** Signatures of the previous block, according to this one. */
export interface LastCommit {
  readonly round: number;
  readonly votes: readonly {
    /** 20 bytes. */
    readonly address: Uint8Array;
    readonly power: bigint;
    readonly flag: 'absent' | 'commit' | 'nil';
  }[];
}

export interface Misbehavior {
  readonly kind: 'duplicate-vote' | 'light-client-attack';
  /** 20 bytes. */
  readonly address: Uint8Array;
  readonly power: bigint;
  readonly height: bigint;
  readonly time: Timestamp;
  readonly totalPower: bigint;
}

export interface BlockResult {
  /** One for each entry of the block, the injected ones included, in the same order. */
  readonly txResults: readonly TxResult[];
  readonly validatorUpdates: readonly ValidatorUpdate[];
  /** Only in a block that changes them. */
  readonly consensusParamUpdates: ConsensusParams | undefined;
  /** 32 bytes, carried by the header of the next block. */
  readonly appHash: Uint8Array;
  /** Events of the block as a whole. */
  readonly events: readonly AbciEvent[];
}

export interface TxResult {
  readonly code: number;
  readonly data: Uint8Array;
  readonly log: string;
  readonly info: string;
  readonly gasWanted: bigint;
  readonly gasUsed: bigint;
  readonly events: readonly AbciEvent[];
  readonly codespace: string;
}

export interface AbciEvent {
  readonly type: string;
  readonly attributes: readonly { readonly key: string; readonly value: string; readonly index: boolean }[];
}

export interface CommitResult {
  /** The engine may forget blocks below this height; 0 keeps all. */
  readonly retainHeight: bigint;
}

export interface QueryResult {
  readonly code: number;
  readonly info: string;
  readonly log: string;
  /** The path, UTF-8. */
  readonly key: Uint8Array;
  readonly value: Uint8Array;
  /** Height of the state that answered. */
  readonly height: bigint;
}

/** The application's pool, for an engine that has none. */
export interface PoolView {
  /** Transactions that could go into the next block. */
  readonly pendingCount: number;
  /** Pending and parked. */
  readonly count: number;
  readonly bytes: number;
  /** In block-building order, at most `limit`. */
  transactions(limit: number): readonly Uint8Array[];
  /**
   * Called (synchronously) whenever something became pending, also without a call of the engine: gRPC submissions, and parked
   * transactions that a commit releases.
   *
   * @returns a function that ends the subscription.
   */
  onPending(listener: () => void): () => void;
}
