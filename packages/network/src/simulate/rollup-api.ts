import type { Deposit } from '@switchyard/protocol';
import { isTransportFailure, type Links, TimedOut } from '@switchyard/service';
import type { DevAccount } from '../accounts/accounts.ts';

/** How users, who are no part of the network, reach a node. */
export interface NodeAccess {
  readonly url: string;
  readonly links: Links;
}

/** `over`: it was not acknowledged to this user, and is in a block. `again`: nothing is known, so the same bytes are to be sent again. */
export type Submitted = 'acknowledged' | 'over' | 'refused' | 'again';

/** All that the simulation asks of a node. Calls throw if no answer comes. */
export interface RollupNode {
  chainId(): Promise<string>;
  /** Never throws for lack of an answer. */
  submit(transaction: Uint8Array, signal: AbortSignal): Promise<Submitted>;
  /**
   * Signs another transaction in place of a waiting one, if the rollup has such.
   *
   * @returns undefined if it does not wait.
   */
  cancellation?(hash: string, account: DevAccount): Promise<Uint8Array | undefined>;
  /** `firm`, or another word for a report. @param hash As `RollupApi.hashOf` makes it. */
  findState(hash: string): Promise<string>;
  /** The height of the sequencer's block in which it was executed, if the rollup may refuse bytes that a later block may execute. */
  findExecuted?(hash: string): Promise<bigint | undefined>;
  /** Both of one moment. */
  heads(signal?: AbortSignal): Promise<{ readonly soft: bigint; readonly firm: bigint }>;
  hashOfBlock(number: bigint, signal: AbortSignal): Promise<string>;
  /** From the requested block on, the newest first. */
  blocks(upTo: bigint): AsyncIterable<{ readonly number: bigint; readonly hash: string }>;
  /** A line for each deposit that was credited, oldest first, as `RollupApi.depositLine` has it. */
  credited(): Promise<readonly string[]>;
}

/** Queries of the nodes of a rollup, and the names of its operations. */
export interface RollupApi {
  node(access: NodeAccess): RollupNode;
  findHash(transaction: Uint8Array): string;
  depositLine(deposit: Deposit, sequencerHeight: bigint): string;
  /** Whether a node acknowledges a transaction for which a nonce is missing, and keeps it until that has come. */
  readonly holdsLater?: boolean;
  /** Whether a loss of power undoes no block that a node has shown. */
  readonly flushesCommits?: boolean;
}

/**
 * Whether a call failed without an outcome.
 * @example
 * ```ts
 * const isAgain = (error: unknown) => (isUnanswered(error) ? 'again' : 'refused');
 * ```
 */
export const isUnanswered = (error: unknown): boolean => isTransportFailure(error) || error instanceof TimedOut;
