import type { InternalCall } from '../chain/chain.ts';
import type { Outcome as Executed } from '../interpreter/values.ts';
import type { Log } from '../types.ts';

/** Effect of an applied transaction. */
export interface Outcome {
  readonly status: 0 | 1;
  readonly gasUsed: bigint;
  /** See `Outcome` of the interpreter. */
  readonly blockGas: Executed['blockGas'];
  /** Wei for each unit of gas. */
  readonly effectiveGasPrice: bigint;
  readonly logs: readonly Log[];
  readonly internal: readonly InternalCall[] | undefined;
}
