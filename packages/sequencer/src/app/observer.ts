import type { TxHash } from '@switchyard/protocol';
import type { DecidedBlock, PoolView, Verdict } from './types.ts';

/** Observes the application, for logs and metrics. Never part of a decision. */
export interface AppObserver {
  checked(verdict: Verdict): void;
  /** A waiting transaction failed while a block was built, and was dropped. */
  failed(hash: TxHash, why: string): void;
  rejected(height: bigint, why: string): void;
  committed(block: DecidedBlock, pool: PoolView): void;
}

export const silentObserver: AppObserver = {
  checked() {},
  failed() {},
  rejected() {},
  committed() {},
};
