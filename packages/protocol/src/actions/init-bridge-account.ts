import type { Address } from '../address.ts';
import { type Denom, parseDenom } from '../asset.ts';
import type { RollupId } from '../ids.ts';
import type { ActionDefinition } from './definition.ts';
import { addressToWire, optionalAddressFromWire, rollupFromWire, rollupToWire } from './fields.ts';

/** Turns the signer's account into a bridge account. */
export interface InitBridgeAccount {
  readonly kind: 'initBridgeAccount';
  readonly rollup: RollupId;
  readonly asset: Denom;
  readonly feeAsset: Denom;
  /** The signer, if undefined; the withdrawer likewise. */
  readonly sudo: Address | undefined;
  readonly withdrawer: Address | undefined;
}

export const initBridgeAccount: ActionDefinition<InitBridgeAccount> = {
  group: 'unbundleableGeneral',
  touchedAccounts: () => [],
  fromWire: ({ rollupId, asset, feeAsset, sudoAddress, withdrawerAddress }) => ({
    kind: 'initBridgeAccount',
    rollup: rollupFromWire(rollupId),
    asset: parseDenom(asset),
    feeAsset: parseDenom(feeAsset),
    sudo: optionalAddressFromWire(sudoAddress),
    withdrawer: optionalAddressFromWire(withdrawerAddress),
  }),
  toWire: ({ rollup, asset, feeAsset, sudo, withdrawer }) => ({
    rollupId: rollupToWire(rollup),
    asset: asset.text,
    feeAsset: feeAsset.text,
    ...(sudo && { sudoAddress: addressToWire(sudo) }),
    ...(withdrawer && { withdrawerAddress: addressToWire(withdrawer) }),
  }),
};
