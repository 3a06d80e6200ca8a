import type { Address, Data } from '@switchyard/evm-machine/types';
import type { Clock, Logger, Metrics, WallClock } from '@switchyard/service';
import {
  DEFAULT_BOUNDS as DEFAULT_SERVER_BOUNDS,
  type JsonRpcBounds,
  type JsonRpcMethods,
} from '@switchyard/service/json-rpc';
import type { ChainReader } from '../chain/chain.ts';
import type { Pool } from '../pool/pool.ts';
import type { ForkSchedule } from '../rules/forks.ts';
import type { NextBlock } from '../simulate/environment.ts';
import type { Simulator } from '../simulate/simulator.ts';

/** Limits on the memory and work of this node for a caller. */
export interface RpcBounds extends JsonRpcBounds {
  /** Logs that one query may find; a query that finds more is refused. */
  readonly maxLogs: number;
  /** Blocks that a query for logs spans; 0 for any number. */
  readonly maxBlockRange: number;
  /** Time limit of one query for logs. */
  readonly queryTimeoutMs: number;
  readonly maxFilters: number;
  /** Addresses and topics of all filters together, and of all subscriptions: about 100 bytes of memory each. */
  readonly maxFilterTerms: number;
  /** A filter that is not polled for this long is removed. */
  readonly filterIdleMs: number;
  readonly maxSubscriptionsPerConnection: number;
  /** Addresses and topics of its subscriptions. */
  readonly maxTermsPerConnection: number;
}

export const DEFAULT_BOUNDS: RpcBounds = {
  ...DEFAULT_SERVER_BOUNDS,
  maxLogs: 10_000,
  maxBlockRange: 0,
  queryTimeoutMs: 5_000,
  maxBodyBytes: 5 * 1_048_576,
  // A batch of calls has a few for each; a call with overrides for hundreds of accounts has hundreds.
  maxBrackets: 100_000,
  maxBatch: 1_000,
  maxBatchBytes: 25_000_000,
  maxFilters: 10_000,
  maxFilterTerms: 500_000,
  filterIdleMs: 300_000,
  maxSubscriptionsPerConnection: 100,
  maxTermsPerConnection: 20_000,
  maxWebSockets: 1_000,
};

export type RpcMethods = JsonRpcMethods;

/** Progress of the node while it catches up. */
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
  /** Answer of `eth_accounts`; nothing, if absent. */
  readonly accounts?: () => readonly Address[];
  /** Answer of `web3_clientVersion`. */
  readonly clientVersion?: string;
  /** For `eth_config`; without it, Cancun from genesis. */
  readonly forks?: ForkSchedule;
  /** The oldest block that `eth_getProof` answers for. */
  readonly oldestProof?: () => bigint;
  /** See `BudgetOptions`. */
  readonly hereMs?: number | undefined;
  /** Undefined answers mean that nothing is known to be missing. */
  readonly syncing?: () => SyncProgress | undefined;
  /** Makes names of filters and subscriptions, which must not be guessed: 16 random bytes. */
  readonly newId?: () => Data;
  /** For the pending block. */
  readonly next?: () => NextBlock;
}
