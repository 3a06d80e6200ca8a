import type { Address } from '../address.ts';
import { type Denom, parseDenom } from '../asset.ts';
import { u128FromWire, u128ToWire } from '../uint128.ts';
import type { ActionDefinition } from './definition.ts';
import { addressFromWire, addressToWire, present } from './fields.ts';

/** Deposits an amount for a rollup. */
export interface BridgeLock {
  readonly kind: 'bridgeLock';
  readonly to: Address;
  readonly amount: bigint;
  readonly asset: Denom;
  readonly feeAsset: Denom;
  readonly destination: string;
}

export const bridgeLock: ActionDefinition<BridgeLock> = {
  group: 'bundleableGeneral',
  touchedAccounts: ({ to }) => [to.account],
  fromWire: ({ to, amount, asset, feeAsset, destinationChainAddress }) => ({
    kind: 'bridgeLock',
    to: addressFromWire('to', to),
    amount: u128FromWire(present('amount', amount)),
    asset: parseDenom(asset),
    feeAsset: parseDenom(feeAsset),
    destination: destinationChainAddress,
  }),
  toWire: ({ to, amount, asset, feeAsset, destination }) => ({
    to: addressToWire(to),
    amount: u128ToWire(amount),
    asset: asset.text,
    feeAsset: feeAsset.text,
    destinationChainAddress: destination,
  }),
};
