import type { Address, AssetId } from '@switchyard/protocol';

/** A bridge account that pays withdrawals of its asset, as the genesis names it. */
export interface WithdrawalRule {
  readonly bridge: Address;
  /** Asset of the bridge account, by its name on the sequencer. */
  readonly asset: string;
  readonly assetId: AssetId;
  /** Smaller amounts are refused, in the asset's smallest unit. At least 1. */
  readonly minimum: bigint;
}
