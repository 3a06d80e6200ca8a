import type { LogBounds } from '../rpc/log-query.ts';
import type { ForkSchedule } from '../rules/forks.ts';
import type { SimulatorConfig } from '../simulate/evm-simulator.ts';

/** Data that a thread for calls needs to answer as its node does. */
export interface CallThreadData {
  /** Directory of the node's database. */
  readonly directory: string;
  readonly chainId: bigint;
  readonly forks: ForkSchedule;
  /** Genesis of an imported chain, whose rules are of any fork. */
  readonly archiveGenesis?: string;
  readonly safe: 'soft' | 'firm';
  readonly simulator: SimulatorConfig;
  readonly bounds: LogBounds;
}

/** One call of a JSON-RPC method. */
export interface ThreadCall {
  readonly method: string;
  readonly params: unknown;
  /** Facts that the thread has to know before, if it cannot read them. */
  readonly news?: unknown;
}

/** Answer of the thread to the one call that it has. */
export type ThreadAnswer = Answered & { readonly lines?: readonly LogLine[] };

/** A line for the log of the node. */
export type LogLine = readonly [fields: Readonly<Record<string, unknown>>, sentence: string];

type Answered =
  /** The result as JSON, handed over by the thread. */
  | { readonly pieces: readonly Uint8Array[] }
  /** Parts of a `JsonRpcError`. */
  | { readonly error: { readonly code: number; readonly message: string; readonly data?: unknown } }
  /** Anything else that was thrown. */
  | { readonly unforeseen: string };
