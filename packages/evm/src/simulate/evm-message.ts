import type { Hash } from '@switchyard/evm-machine/types';
import type { Authorization, Message } from '@switchyard/evm-machine/values';

/** A transaction, or a call that is run as one, with the facts that decide whether a block can hold it. Amounts in wei. */
export interface EvmMessage extends Omit<Message, 'blobHashes'> {
  readonly maxFeePerGas: bigint;
  readonly maxPriorityFeePerGas: bigint;
  /** EIP-7702; none for other types. */
  readonly authorizations: readonly Authorization[];
  /** EIP-4844; undefined for other types. */
  readonly blobs: { readonly hashes: readonly Hash[]; readonly maxFeePerGas: bigint } | undefined;
}
