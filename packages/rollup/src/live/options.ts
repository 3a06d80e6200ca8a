import type { AnySigner } from '../define/submission.ts';
import type { OpenSocket } from './connection.ts';
import type { Outbox } from './outbox.ts';

/** State of the connection of a live client. */
export interface ConnectionState {
  /**
   * `read-only` if the node lacks parts of the client's definition, which the reason names. `refused` if the node has shown something false.
   */
  readonly state: 'connecting' | 'live' | 'offline' | 'refused' | 'read-only';
  readonly reason?: string;
}

/** Proves outcomes; see `@switchyard/rollup/live/verify`. */
export interface LiveVerifier {
  onVerdict(listener: (verdict: { readonly kind: string; readonly problem?: string }) => void): unknown;
  /** Is called with each block that the node announces. */
  announced(block: bigint, hash: string): void;
  /** Resolves when a transaction is known to be in the signed data of a block, or not to be. */
  proven(hash: string, block: bigint): Promise<{ readonly kind: string }>;
  close(): unknown;
}

export interface LiveOptions {
  /** Address of the rollup node. */
  readonly url: string;
  /** Signs actions that have no other signer. */
  readonly signer?: AnySigner | undefined;
  /** Keeps actions until their outcome is known: in memory, if undefined. */
  readonly outbox?: Outbox;
  /** Makes the sockets of the connection: those of the platform, if undefined. */
  readonly socket?: OpenSocket;
  readonly fetch?: (url: string, init: RequestInit) => Promise<Response>;
  readonly verify?: LiveVerifier;
  /** Names of tables that are too large to be copied: rows are followed once they have been read. */
  readonly byRows?: readonly string[];
  /** Blocks in which signed bytes may be executed; behind them they are signed again. Some 64 to 1,088, if undefined. */
  readonly validFor?: number;
}

export interface SendOptions {
  readonly signer?: AnySigner;
  /** Blocks behind the newest one: an action that none of them has is never executed. Without end, if undefined. */
  readonly validFor?: number;
}
