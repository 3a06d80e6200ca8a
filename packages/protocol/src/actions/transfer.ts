import type { Address } from '../address.ts';
import { type Denom, parseDenom } from '../asset.ts';
import { u128FromWire, u128ToWire } from '../uint128.ts';
import type { ActionDefinition } from './definition.ts';
import { addressFromWire, addressToWire } from './fields.ts';

/** Moves an amount to another account. */
export interface Transfer {
  readonly kind: 'transfer';
  readonly to: Address;
  readonly amount: bigint;
  readonly asset: Denom;
  readonly feeAsset: Denom;
}

export const transfer: ActionDefinition<Transfer> = {
  group: 'bundleableGeneral',
  touchedAccounts: ({ to }) => [to.account],
  fromWire: ({ to, amount, asset, feeAsset }) => ({
    kind: 'transfer',
    to: addressFromWire('to', to),
    amount: u128FromWire(amount),
    asset: parseDenom(asset),
    feeAsset: parseDenom(feeAsset),
  }),
  toWire: ({ to, amount, asset, feeAsset }) => ({
    to: addressToWire(to),
    amount: u128ToWire(amount),
    asset: asset.text,
    feeAsset: feeAsset.text,
  }),
};
