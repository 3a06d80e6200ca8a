import type { Address } from '../address.ts';
import { type Denom, parseDenom } from '../asset.ts';
import type { ActionDefinition } from './definition.ts';
import { addressFromWire, addressToWire, optionalAddressFromWire } from './fields.ts';

/** Changes the keys of a bridge account, and whether it accepts deposits. */
export interface BridgeSudoChange {
  readonly kind: 'bridgeSudoChange';
  readonly bridge: Address;
  readonly newSudo: Address | undefined;
  readonly newWithdrawer: Address | undefined;
  readonly feeAsset: Denom;
  readonly disableDeposits: boolean;
}

export const bridgeSudoChange: ActionDefinition<BridgeSudoChange> = {
  group: 'unbundleableGeneral',
  touchedAccounts: ({ bridge }) => [bridge.account],
  fromWire: ({ bridgeAddress, newSudoAddress, newWithdrawerAddress, feeAsset, disableDeposits }) => ({
    kind: 'bridgeSudoChange',
    bridge: addressFromWire('bridge address', bridgeAddress),
    newSudo: optionalAddressFromWire(newSudoAddress),
    newWithdrawer: optionalAddressFromWire(newWithdrawerAddress),
    feeAsset: parseDenom(feeAsset),
    disableDeposits,
  }),
  toWire: ({ bridge, newSudo, newWithdrawer, feeAsset, disableDeposits }) => ({
    bridgeAddress: addressToWire(bridge),
    ...(newSudo && { newSudoAddress: addressToWire(newSudo) }),
    ...(newWithdrawer && { newWithdrawerAddress: addressToWire(newWithdrawer) }),
    feeAsset: feeAsset.text,
    disableDeposits,
  }),
};
