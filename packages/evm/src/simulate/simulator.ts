import type { Authorization } from '../interpreter/values.ts';
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
  readonly authorizationList?: readonly Authorization[];
  readonly blobVersionedHashes?: readonly Hash[];
  readonly maxFeePerBlobGas?: bigint;
  readonly chainId?: bigint;
}

/** Replacements for parts of one account; parts that are undefined stay. */
export interface AccountOverride {
  readonly balance?: bigint;
  readonly nonce?: bigint;
  readonly code?: Data;
  /** All of its storage. */
  readonly state?: ReadonlyMap<Hash, Hash>;
  /** These slots of it. */
  readonly stateDiff?: ReadonlyMap<Hash, Hash>;
  /** Where the precompiled contract of this address is found instead. */
  readonly movePrecompileToAddress?: Address;
}

/** Replaces parts of the state for one call, as geth has it. */
export type StateOverrides = ReadonlyMap<Address, AccountOverride>;

export interface BlockOverrides {
  readonly number?: bigint;
  readonly time?: bigint;
  readonly gasLimit?: bigint;
  readonly feeRecipient?: Address;
  readonly prevRandao?: Hash;
  readonly baseFeePerGas?: bigint;
  readonly blobBaseFee?: bigint;
  readonly difficulty?: bigint;
}

export interface Overrides {
  readonly state?: StateOverrides | undefined;
  readonly block?: BlockOverrides | undefined;
}

/** How a call is run. */
export interface CallTerms {
  /** Other than the simulator's own. */
  readonly timeoutMs?: number | undefined;
}

/** `pending`: a block that would follow the latest one. */
export type CallBlock = bigint | 'pending';

export interface CallOutcome {
  readonly gasUsed: bigint;
  readonly output: Data;
  readonly logs: readonly Log[];
  /** Undefined when it succeeded; `revert` carries its data in `output`. */
  readonly failure: { readonly kind: 'revert' | 'out of gas' | 'other'; readonly message: string } | undefined;
}

/** Runs calls that leave nothing behind. Bounded by gas and by time. Each holds up its thread to its end. */
export interface Simulator {
  /**
   * On top of `block`. `pending` runs them on a block that would follow the latest one.
   *
   * @throws {JsonRpcError} for what geth refuses before it runs anything (funds, intrinsic gas, fee cap).
   */
  call(request: CallRequest, block: CallBlock, overrides?: Overrides, terms?: CallTerms): Promise<CallOutcome>;
  /** @throws {JsonRpcError} also where the call fails with all the gas it may have. */
  estimateGas(request: CallRequest, block: CallBlock, overrides?: Overrides, terms?: CallTerms): Promise<bigint>;
}

export type { StateReader };
