import type { StateReader } from '../state/state.ts';
import type { Address, Data, Hash, Log } from '../types.ts';

/** A call as JSON-RPC describes it; what is undefined takes the default of `eth_call`. */
export interface CallRequest {
  readonly from?: Address;
  readonly to?: Address;
  readonly gas?: bigint;
  readonly gasPrice?: bigint;
  readonly maxFeePerGas?: bigint;
  readonly maxPriorityFeePerGas?: bigint;
  readonly value?: bigint;
  readonly data?: Data;
  readonly nonce?: bigint;
  readonly accessList?: readonly { readonly address: Address; readonly storageKeys: readonly Hash[] }[];
}

/** Replaces parts of the state for one call, as geth has it. */
export type StateOverrides = ReadonlyMap<
  Address,
  {
    readonly balance?: bigint;
    readonly nonce?: bigint;
    readonly code?: Data;
    readonly state?: ReadonlyMap<Hash, Hash>;
    readonly stateDiff?: ReadonlyMap<Hash, Hash>;
  }
>;

export interface BlockOverrides {
  readonly number?: bigint;
  readonly time?: bigint;
  readonly gasLimit?: bigint;
  readonly feeRecipient?: Address;
  readonly prevRandao?: Hash;
  readonly baseFeePerGas?: bigint;
}

export interface CallOutcome {
  readonly gasUsed: bigint;
  readonly output: Data;
  readonly logs: readonly Log[];
  /** Undefined when it succeeded; `revert` carries its data in `output`. */
  readonly failure: { readonly kind: 'revert' | 'out of gas' | 'other'; readonly message: string } | undefined;
}

/** Runs calls that leave nothing behind. Bounded by gas and by time. */
export interface Simulator {
  /**
   * On top of `block`. `pending` runs them on a block that would follow the latest one.
   *
   * @throws {JsonRpcError} for what geth refuses before it runs anything (funds, intrinsic gas, fee cap).
   */
  call(
    request: CallRequest,
    block: bigint | 'pending',
    overrides?: { state?: StateOverrides; block?: BlockOverrides },
  ): Promise<CallOutcome>;
  estimateGas(request: CallRequest, block: bigint | 'pending', overrides?: { state?: StateOverrides }): Promise<bigint>;
}

export type { StateReader };
