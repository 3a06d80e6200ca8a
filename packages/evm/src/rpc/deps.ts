import type { Clock, JsonRpcMethod, Logger, Metrics, WallClock } from '@switchyard/service';
import type { ChainReader } from '../chain/chain.ts';
import type { Pool } from '../pool/pool.ts';
import type { Simulator } from '../simulate/simulator.ts';
import type { Data } from '../types.ts';
import type { ForkSchedule } from './fork-config.ts';

/** What a caller can make this node keep or do at most. */
export interface RpcBounds {
  /** Of one query for logs; more are refused. */
  readonly maxLogs: number;
  /** Blocks that a query for logs spans; 0 for any number. */
  readonly maxBlockRange: number;
  /** Of one query for logs. */
  readonly queryTimeoutMs: number;
  /** A whole request, with all calls of a batch. */
  readonly requestTimeoutMs: number;
  readonly maxBodyBytes: number;
  /** Calls in one batch, and bytes of their answers. */
  readonly maxBatch: number;
  readonly maxBatchBytes: number;
  readonly maxFilters: number;
  /** Addresses and topics of all filters together, and of all subscriptions: about 100 bytes of memory each. */
  readonly maxFilterTerms: number;
  /** A filter that is not polled for so long is removed. */
  readonly filterIdleMs: number;
  readonly maxSubscriptionsPerConnection: number;
  /** Addresses and topics of its subscriptions. */
  readonly maxTermsPerConnection: number;
  readonly maxWebSockets: number;
  /** Bytes of notifications that wait for a slow reader; with more it is cut off. */
  readonly maxUnsentBytes: number;
  /** Bytes of answers that wait for readers of WebSockets, all together; with more, who has most of it is cut off. */
  readonly maxUnreadAnswerBytes: number;
}

export const DEFAULT_BOUNDS: RpcBounds = {
  maxLogs: 10_000,
  maxBlockRange: 0,
  queryTimeoutMs: 5_000,
  requestTimeoutMs: 30_000,
  maxBodyBytes: 5 * 1_048_576,
  maxBatch: 1_000,
  maxBatchBytes: 25_000_000,
  maxFilters: 10_000,
  maxFilterTerms: 500_000,
  filterIdleMs: 300_000,
  maxSubscriptionsPerConnection: 100,
  maxTermsPerConnection: 20_000,
  maxWebSockets: 1_000,
  maxUnsentBytes: 16 * 1_048_576,
  maxUnreadAnswerBytes: 256 * 1_048_576,
};

/** What one call knows of the request that it is in. */
export interface RpcContext {
  /** Who asks, for limits: an address or a network of them (`peerOf`). */
  readonly client: string;
  /** Whether the caller has gone, where the transport can tell. */
  readonly isGone?: () => boolean;
  /** The connection; undefined where answers go over HTTP. */
  readonly subscriber: Subscriber | undefined;
  /** On the server's clock: the moment after which no further call of the request is begun. */
  readonly deadline: number;
  /** Does `work` when the answer to the request has been handed to the connection. */
  readonly afterAnswer: (work: () => void) => void;
}

/** A connection that can be notified. */
export interface Subscriber {
  /** Sends one text, or ends the connection where too many wait. */
  notify(text: string): void;
  /** Calls `end` once when the connection is gone. */
  onEnd(end: () => void): void;
  /** Whether the caller has gone. */
  readonly isGone?: boolean;
}

export type RpcMethods = Readonly<Record<string, JsonRpcMethod<RpcContext>>>;

/** What the node is catching up with. */
export interface SyncProgress {
  readonly startingBlock: bigint;
  readonly currentBlock: bigint;
  readonly highestBlock: bigint;
}

export interface RpcDeps {
  readonly chain: ChainReader;
  readonly pool: Pool;
  readonly simulator: Simulator;
  readonly log: Logger;
  readonly clock: Clock;
  readonly wall: WallClock;
  readonly bounds?: Partial<RpcBounds>;
  readonly metrics?: Metrics;
  /** Answer of `web3_clientVersion`. */
  readonly clientVersion?: string;
  /** For `eth_config`; without it, Cancun from genesis. */
  readonly forks?: ForkSchedule;
  /** The oldest block that `eth_getProof` answers for. */
  readonly oldestProof?: () => bigint;
  /** Undefined answers mean that nothing is known to be missing. */
  readonly syncing?: () => SyncProgress | undefined;
  /** Makes names of filters and subscriptions, which must not be guessed: 16 random bytes. */
  readonly newId?: () => Data;
}
