import type { Authorization } from '@switchyard/evm-machine/types';
import type { Message } from '@switchyard/evm-machine/values';

/** A transaction, or a call that is run as one, with the facts that decide whether a block can hold it. Amounts in wei. */
export interface EvmMessage extends Message {
  readonly maxFeePerGas: bigint;
  readonly maxPriorityFeePerGas: bigint;
  /** EIP-7702; none for other types. */
  readonly authorizations: readonly Authorization[];
  /** EIP-4844; 0 for other types. */
  readonly maxFeePerBlobGas: bigint;
}
