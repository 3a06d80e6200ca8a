import type { RollupClient } from '@switchyard/client';
import type { DevAccount } from '../accounts/accounts.ts';
import type { Activity } from './activity.ts';
import type { Chance } from './chance.ts';
import type { NodeAccess, RollupApi } from './rollup-api.ts';

/** Facts from which a transaction is made. */
export interface TransactionFacts {
  readonly account: DevAccount;
  /** Next nonce of the account: it counts the transactions of this run. */
  readonly nonce: number;
  /** Chain id of the rollup; of the EVM in decimal digits. */
  readonly chainId: string;
  readonly chance: Chance;
}

/** A signed transaction and, for a report, its content. */
export interface MadeTransaction {
  readonly bytes: Uint8Array;
  readonly text: string;
}

/** Transactions of a simulation, and rules that its rollup keeps. */
export interface Workload {
  /** Accounts that send; alice, bob and carol, if absent. */
  readonly senders?: readonly DevAccount[];
  /**
   * Makes the next transaction of an account. It has to be valid after those of the same account before it. If the API holds later
   * ones, some are made and sent before the one in front of them, and some of these are cancelled.
   */
  transaction(facts: TransactionFacts): Uint8Array;
  /** Account of the rollup that deposits are for; there are none without it. */
  readonly depositor?: DevAccount | undefined;
  /** Other actions of users in the meantime. */
  readonly activity?: Activity;
  /** The queries of nodes; by the HTTP API of every rollup, if absent. */
  readonly api?: RollupApi;
  /**
   * Looks at the rollup at the end, when everything is executed.
   *
   * @returns one line for each rule that does not hold.
   */
  readonly check?: (client: RollupClient, access: NodeAccess) => Promise<readonly string[]>;
}

/** A workload in which nothing is left open. */
export interface SimulatedRollup extends Omit<Workload, 'transaction' | 'check'> {
  readonly senders: readonly DevAccount[];
  readonly api: RollupApi;
  transaction(facts: TransactionFacts): MadeTransaction | Promise<MadeTransaction>;
  /** Whether the outcome of a transaction or of a deposit may be a refusal. */
  readonly mayRefuse: boolean;
  check?(access: NodeAccess): Promise<readonly string[]>;
}
