import type { Timestamp } from '@switchyard/protocol';
import type { AnySigner } from '../define/submission.ts';
import type { OpenSocket } from './connection.ts';
import type { Outbox } from './outbox.ts';
import type { LiveVerifier } from './verify/verdict.ts';
import type { VerifierOptions } from './verify/verifier.ts';
import type { MessageTarget } from './verify/worker-messages.ts';

/** State of the connection of a live client. */
export interface ConnectionState {
  /**
   * `read-only` if the node lacks parts of the client's definition, which the reason names. `refused` if the node has shown something false.
   */
  readonly state: 'connecting' | 'live' | 'offline' | 'refused' | 'read-only';
  readonly reason?: string;
}

/** How far a client has verified its node. */
export interface ProofState {
  /** `unproven` for a reason, such as an explorer that does not answer; `false` names who has given a false statement. */
  readonly state: 'off' | 'starting' | 'verified' | 'unproven' | 'false';
  /** The newest block that was executed here, or in which a transaction was proven. */
  readonly block?: bigint;
  readonly reason?: string;
  /** Why the executed chain is not kept for the next start of the client. */
  readonly unkept?: string;
}

/** The newest block of a live client. */
export interface Head {
  readonly block: bigint;
  readonly time: Timestamp;
  /** The newest firm block. */
  readonly firm: bigint;
}

/** The part of a `Worker` that a client needs. */
export interface VerifierWorker extends MessageTarget {
  terminate(): void;
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
  /**
   * Proves transactions by `headers` of the sequencer, or executes all blocks from the genesis on as well and compares the results with the
   * node; or a verifier of one's own.
   */
  readonly verify?: 'headers' | 'execute' | LiveVerifier;
  /** Address of an explorer of the sequencer, which gives `verify` signed blocks: that of the node, if undefined. */
  readonly explorer?: string;
  /** Makes the worker in which a page runs `verify`, whose module calls `serveVerifier`; in Node it runs in this thread, if undefined. */
  readonly worker?: () => VerifierWorker;
  /** Text of the genesis file for `verify`: that of the node, if undefined. */
  readonly genesis?: string;
  /** A block of the sequencer that a person vouches for, with its hash in hex; the first validators seen are trusted, if undefined. */
  readonly checkpoint?: VerifierOptions['checkpoint'];
  /** Names of tables that are too large to be copied: rows are followed once they have been read. */
  readonly byRows?: readonly string[];
  /** Blocks in which signed bytes may be executed; behind them they are signed again. Some 64 to 1,088, if undefined. */
  readonly validFor?: number;
}

export interface SendOptions {
  readonly signer?: AnySigner;
  /** Reasons of refusals, such as `insufficient-balance`, for which it waits until blocks have changed what it reads, instead of being refused. */
  readonly waitFor?: readonly string[];
  /** Blocks behind the newest one: an action that none of them has is never executed. Without end, if undefined. */
  readonly validFor?: number;
}
