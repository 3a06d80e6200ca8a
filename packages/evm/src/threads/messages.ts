import type { ForkSchedule } from '../forks.ts';
import type { SimulatorConfig } from '../simulate/evm-simulator.ts';

/** Data that a thread for calls needs to answer as its node does. */
export interface CallThreadData {
  /** Directory of the node's database. */
  readonly directory: string;
  readonly chainId: bigint;
  readonly forks: ForkSchedule;
  readonly safe: 'soft' | 'firm';
  readonly simulator: SimulatorConfig;
}

/** One call of a JSON-RPC method. */
export interface ThreadCall {
  readonly id: number;
  readonly method: string;
  readonly params: unknown;
}

/** Messages from the thread: answers in any order, and signs of life while it has something to answer. */
export type ThreadMessage =
  | 'alive'
  /** The result as JSON. */
  | { readonly id: number; readonly text: string }
  /** Parts of a `JsonRpcError`. */
  | {
      readonly id: number;
      readonly error: { readonly code: number; readonly message: string; readonly data?: unknown };
    }
  /** Anything else that was thrown. */
  | { readonly id: number; readonly unforeseen: string };
