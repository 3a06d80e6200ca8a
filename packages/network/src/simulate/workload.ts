import type { RollupClient } from '@switchyard/client';
import type { DevAccount } from '../accounts/accounts.ts';
import type { Chance } from './chance.ts';

/** Facts from which a transaction is made. */
export interface TransactionFacts {
  readonly account: DevAccount;
  /** Next nonce of the account: it counts the transactions of this run. */
  readonly nonce: number;
  /** Chain id of the rollup; of the EVM in decimal digits. */
  readonly chainId: string;
  readonly chance: Chance;
}

/** Signed transactions for a rollup. */
export type MakeTransaction = (facts: TransactionFacts) => Uint8Array;

/** Transactions of a simulation, and rules that its rollup keeps. */
export interface Workload<Client = RollupClient> {
  /**
   * Makes the next transaction of an account. It has to be valid after those of the same account before it. On the EVM some are made and
   * sent before the one in front of them, and some of these are cancelled by a transfer of nothing.
   */
  readonly transaction: MakeTransaction;
  /** Account of the rollup that deposits are for; there are none without it. */
  readonly depositor?: DevAccount;
  /**
   * Looks at the rollup at the end, when everything is executed.
   *
   * @returns one line for each rule that does not hold.
   */
  readonly check?: (client: Client) => Promise<readonly string[]>;
}
