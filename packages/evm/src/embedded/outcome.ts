import type { InternalCall } from '../chain/chain.ts';
import type { Log } from '../types.ts';

/** Effect of an applied transaction. */
export interface Outcome {
  readonly status: 0 | 1;
  readonly gasUsed: bigint;
  /** Wei for each unit of gas. */
  readonly effectiveGasPrice: bigint;
  readonly logs: readonly Log[];
  readonly internal: readonly InternalCall[] | undefined;
}
