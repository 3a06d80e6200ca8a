import type { RollupClient } from '@switchyard/client';
import type { DevAccount } from '../accounts/accounts.ts';
import type { MakeTransaction } from './load.ts';

/** Transactions of a simulation, and rules that its rollup keeps. */
export interface Workload {
  /** Makes the next transaction of an account. It has to be valid after those of the same account before it. */
  readonly transaction: MakeTransaction;
  /** Account of the rollup that deposits are for; there are none without it. */
  readonly depositor?: DevAccount;
  /**
   * Looks at the rollup at the end, when everything is executed.
   *
   * @returns one line for each rule that does not hold.
   */
  readonly check?: (client: RollupClient) => Promise<readonly string[]>;
}
