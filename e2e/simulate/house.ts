import type { DevAccount } from '@switchyard/network/accounts';
import type { NodeAccess } from '@switchyard/network/simulate';

/** A withdrawal as the rollup records it. */
export interface Withdrawn {
  readonly eventId: string;
  /** In the smallest unit of the sequencer's asset. */
  readonly amount: bigint;
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

/** A rollup of ours, with its faucet and its withdrawer. */
export interface House {
  /** Label of the faucet. */
  readonly faucet: string;
  /** Accounts for which test funds are claimed. */
  readonly claimants: readonly DevAccount[];
  /** Amount that a claim is paid with, in the smallest unit. */
  readonly grant: bigint;
  /** All that the faucet's account has paid, without fees. */
  paidByFaucet(access: NodeAccess): Promise<bigint>;
  /** An account that does nothing but withdraw, and its transactions. */
  readonly exit: { readonly account: DevAccount; transaction(facts: ExitFacts): Uint8Array };
  findHash(transaction: Uint8Array): string;
  /** All withdrawals that the rollup has recorded. */
  withdrawn(access: NodeAccess): Promise<readonly Withdrawn[]>;
}
