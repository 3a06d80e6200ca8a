import type { Deposit } from '@switchyard/protocol';
import { isTransportFailure, type Links, TimedOut } from '@switchyard/service';
import type { DevAccount } from '../accounts/accounts.ts';
import type { MakeTransaction } from './workload.ts';

/** A withdrawal as the rollup records it. */
export interface Withdrawn {
  readonly eventId: string;
  /** In the smallest unit of the sequencer's asset. */
  readonly amount: bigint;
}

/** How users, who are no part of the network, reach a node. */
export interface NodeAccess {
  readonly url: string;
  readonly links: Links;
}

export interface Heads {
  readonly soft: bigint;
  readonly firm: bigint;
}

export interface SeenBlock {
  readonly number: bigint;
  readonly hash: string;
}

/** `over`: it was not acknowledged to this user, and is in a block. `again`: nothing is known, so the same bytes are to be sent again. */
export type Submitted = 'acknowledged' | 'over' | 'again';

/** All that the simulation asks of a node, in whichever API it has. Calls throw where no answer comes. */
export interface RollupNode {
  chainId(): Promise<string>;
  /** Never throws for lack of an answer. */
  submit(transaction: Uint8Array, signal: AbortSignal): Promise<Submitted>;
  /**
   * Signs another transaction in the place of one that waits, where the rollup has such.
   *
   * @returns undefined where it does not wait.
   */
  cancellation?(hash: string, account: DevAccount): Promise<Uint8Array | undefined>;
  /** `firm`, or another word for a report. @param hash As `SimulatedRollup.hashOf` makes it. */
  stateOf(hash: string): Promise<string>;
  /** Both of one moment. */
  heads(signal?: AbortSignal): Promise<Heads>;
  hashOfBlock(number: bigint, signal: AbortSignal): Promise<string>;
  /** From the block up to which they are asked for, the newest first. */
  blocks(upTo: bigint): AsyncIterable<SeenBlock>;
  /** A line for each deposit that was credited, oldest first, as `SimulatedRollup.depositLine` has it. */
  credited(): Promise<readonly string[]>;
}

/** Facts from which a withdrawal is made. */
export interface ExitFacts {
  readonly account: DevAccount;
  readonly nonce: number;
  readonly chainId: string;
  /** In the smallest unit of the sequencer's asset. */
  readonly amount: bigint;
  /** Account of the sequencer. */
  readonly to: string;
}

/** A rollup and its workload. */
export interface SimulatedRollup {
  readonly senders: readonly DevAccount[];
  readonly transaction: MakeTransaction;
  readonly depositor: DevAccount | undefined;
  /** An account that does nothing but withdraw, and its transactions. */
  readonly exit?: { readonly account: DevAccount; transaction(facts: ExitFacts): Uint8Array };
  /** All withdrawals that the rollup has recorded. */
  withdrawn(access: NodeAccess): Promise<readonly Withdrawn[]>;
  /** Whether a node acknowledges a transaction for which a nonce is missing, and keeps it until that has come. */
  readonly holdsLater: boolean;
  /** Whether a loss of power undoes no block that a node has shown. */
  readonly flushesCommits: boolean;
  node(access: NodeAccess): RollupNode;
  hashOf(transaction: Uint8Array): string;
  depositLine(deposit: Deposit, sequencerHeight: bigint): string;
  /** Amount that a claim of test funds is paid with, in the smallest unit, where the rollup has a faucet. */
  readonly grant: bigint;
  /** All that the faucet's account has paid, without fees. */
  paidByFaucet(access: NodeAccess): Promise<bigint>;
  /** The rules of the workload. @returns a line for each that does not hold. */
  check(access: NodeAccess): Promise<readonly string[]>;
}

/** Whether a call failed without showing what became of it. */
export const isUnanswered = (error: unknown): boolean => isTransportFailure(error) || error instanceof TimedOut;
