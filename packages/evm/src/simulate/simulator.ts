import type { StateReader } from '@switchyard/evm-machine/state';
import type { Data, Log } from '@switchyard/evm-machine/types';
import type { BlockOverrides, CallRequest, StateOverrides } from './call-request.ts';

export type { BlockOverrides, CallRequest, StateOverrides };

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
   * @throws {JsonRpcError} for refusals of geth before it runs anything (funds, intrinsic gas, fee cap).
   */
  call(request: CallRequest, block: CallBlock, overrides?: Overrides): Promise<CallOutcome>;
  /** @throws {JsonRpcError} also if the call fails with all the gas it may have. */
  estimateGas(request: CallRequest, block: CallBlock, overrides?: Overrides): Promise<bigint>;
}

export type { StateReader };
