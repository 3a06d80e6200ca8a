import type { AccountId, TxHash } from '@switchyard/protocol';
import type { CommitListener, SoftView } from './commits.ts';
import type { RollupGenesis } from './genesis.ts';
import type { TermIndex } from './search/term-index.ts';
import type { EventStreams } from './streams/event-streams.ts';

/** A running rollup, as its HTTP routes see it. */
export interface RollupNode {
  readonly genesis: RollupGenesis;
  /** State that queries read: the soft block and the state after it. Take it again for each query. */
  readonly view: SoftView;
  /** The nonce that the account's next transaction needs, counting those passed on by this node. */
  nextNonce(account: AccountId): number;
  committedNonce(account: AccountId): number;
  /** Passes a signed transaction on, as `POST /v1/transactions` does. @throws {HttpError} @throws {Rejected} */
  submit(bytes: Uint8Array): Promise<TxHash>;
  /** @returns a function that ends it. */
  onCommit(listener: CommitListener): () => void;
  /** Indexes of logs. */
  readonly indexes: ReadonlyMap<symbol, TermIndex>;
  /** Open streams of events. */
  readonly streams: EventStreams;
  /** Aborts when the node stops. */
  readonly signal: AbortSignal;
}
